// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include "tlm/registers/register_bank.h"

namespace pmufab {

/// The smallest device: a register bank behind a socket.
struct BankTarget : sc_core::sc_module {
  BankTarget(const sc_core::sc_module_name& module_name, RegisterBank::Options options,
             std::span<const RegisterSpec> registers)
      : sc_core::sc_module(module_name), socket("socket"), bank(std::move(options), registers) {
    socket.register_b_transport(this, &BankTarget::b_transport);
    socket.register_transport_dbg(this, &BankTarget::transport_dbg);
  }

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) { bank.b_transport(payload, delay); }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) { return bank.transport_dbg(payload); }

  tlm_utils::simple_target_socket<BankTarget, 64> socket;
  RegisterBank bank;
};

}  // namespace pmufab
