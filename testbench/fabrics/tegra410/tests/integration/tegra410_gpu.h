// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>
#include <tlm>

#include "models/platform/platform.h"
#include "models/tegra410/part/tegra410_part.h"
#include "tlm/transaction/fabric_extension.h"

namespace pmufab::integration {

/// A GPU of a socket. It reads and writes past all caches.
class Gpu : public sc_core::sc_module {
 public:
  Gpu(const sc_core::sc_module_name& name, platform::Platform& platform, unsigned socket_index)
      : sc_core::sc_module(name), socket("socket") {
    socket.bind(platform.get<platform::Tegra410Part>().socket(socket_index).requests);
    extension_.requester = RequesterKind::gpu;
    extension_.socket = static_cast<std::uint8_t>(socket_index);
    payload_.set_extension(&extension_);
  }
  ~Gpu() override { payload_.clear_extension(&extension_); }

  /// @param id  of the GPU, if there are several
  void read(std::uint64_t address, unsigned length, unsigned times, unsigned id = 0) {
    extension_.opcode = FabricOpcode::read_once;
    send(tlm::TLM_READ_COMMAND, address, length, times, id);
  }
  /// Whole lines.
  void write(std::uint64_t address, unsigned times, unsigned id = 0) {
    extension_.opcode = FabricOpcode::write_unique_full;
    send(tlm::TLM_WRITE_COMMAND, address, 64, times, id);
  }

  tlm_utils::simple_initiator_socket<Gpu, 64> socket;

 private:
  void send(tlm::tlm_command command, std::uint64_t address, unsigned length, unsigned times, unsigned id) {
    extension_.requester_id = static_cast<std::uint16_t>(id);
    for (unsigned i = 0; i < times; ++i) {
      payload_.set_command(command);
      payload_.set_address(address);
      payload_.set_data_length(length);
      payload_.set_streaming_width(length);
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      socket->b_transport(payload_, delay);
      ASSERT_EQ(payload_.get_response_status(), tlm::TLM_OK_RESPONSE);
    }
  }

  tlm::tlm_generic_payload payload_;
  FabricExtension extension_;
};

}  // namespace pmufab::integration
