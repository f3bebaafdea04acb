// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

/// A timer as another project has it. It knows nothing of pmufab. Registers of 32 bits: CONTROL (0x0, bit 0 lets it
/// run), COUNT (0x4, microseconds), COMPARE (0x8, raises the interrupt).
class ForeignTimer : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(ForeignTimer);
  explicit ForeignTimer(const sc_core::sc_module_name& name) : sc_core::sc_module(name), socket("socket"), irq("irq") {
    socket.register_b_transport(this, &ForeignTimer::b_transport);
    socket.register_transport_dbg(this, &ForeignTimer::transport_dbg);
    SC_METHOD(drive);
    sensitive << begun_ << expired_;
    dont_initialize();
  }

  tlm_utils::simple_target_socket<ForeignTimer> socket;
  sc_core::sc_out<bool> irq;

 private:
  enum Offset : std::uint64_t { control = 0x0, count = 0x4, compare = 0x8 };

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const std::uint64_t offset = payload.get_address();
    delay += sc_core::sc_time(200, sc_core::SC_NS);
    if (offset > compare || offset % 4 != 0 || payload.get_data_length() != 4) {
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    std::uint32_t value = read(offset);
    if (payload.is_write()) {
      std::memcpy(&value, payload.get_data_ptr(), 4);
      write(offset, value);
    } else {
      std::memcpy(payload.get_data_ptr(), &value, 4);
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  unsigned transport_dbg(tlm::tlm_generic_payload& payload) {
    if (!payload.is_read() || payload.get_address() > compare || payload.get_data_length() != 4) return 0;
    const std::uint32_t value = read(payload.get_address());
    std::memcpy(payload.get_data_ptr(), &value, 4);
    return 4;
  }

  [[nodiscard]] std::uint32_t read(std::uint64_t offset) const {
    if (offset == control) return runs_ ? 1 : 0;
    if (offset == compare) return compare_;
    return runs_ ? static_cast<std::uint32_t>((sc_core::sc_time_stamp() - begin_).to_seconds() * 1e6) : 0;
  }

  void write(std::uint64_t offset, std::uint32_t value) {
    if (offset == compare) compare_ = value;
    if (offset != control) return;
    runs_ = (value & 1U) != 0;
    begin_ = sc_core::sc_time_stamp();
    expired_.cancel();
    begun_.notify(sc_core::SC_ZERO_TIME);
    if (runs_) expired_.notify(sc_core::sc_time(compare_, sc_core::SC_US));
  }

  void drive() { irq = runs_ && sc_core::sc_time_stamp() - begin_ >= sc_core::sc_time(compare_, sc_core::SC_US); }

  bool runs_ = false;
  std::uint32_t compare_ = 0;
  sc_core::sc_time begin_;
  sc_core::sc_event begun_;
  sc_core::sc_event expired_;
};
