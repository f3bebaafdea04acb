// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <iostream>
#include <string>
#include <utility>

#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>
#include <tlm>

/// A processor that runs one function and reaches registers through its socket.
class Software : public sc_core::sc_module {
 public:
  Software(const sc_core::sc_module_name& name, std::function<void(Software&)> program)
      : sc_module(name), program_(std::move(program)) {
    SC_HAS_PROCESS(Software);
    SC_THREAD(run);
  }

  void write32(std::uint64_t address, std::uint32_t value) { access(tlm::TLM_WRITE_COMMAND, address, value); }
  std::uint32_t read32(std::uint64_t address) {
    std::uint32_t value = 0;
    access(tlm::TLM_READ_COMMAND, address, value);
    return value;
  }

  void expect(const std::string& what, std::uint64_t expected, std::uint64_t found) {
    std::cout << what << ": " << found << (found == expected ? "\n" : " is wrong\n");
    failed_ = failed_ || found != expected;
  }
  /// @return the exit code of the simulation: 0 if the program ended and all expectations held.
  [[nodiscard]] int exit_code() const { return ended_ && !failed_ ? 0 : 1; }

  tlm_utils::simple_initiator_socket<Software, 64> socket{"socket"};

 private:
  void run() {
    program_(*this);
    ended_ = true;
    sc_core::sc_stop();
  }

  void access(tlm::tlm_command command, std::uint64_t address, std::uint32_t& value) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(sizeof value);
    payload.set_streaming_width(sizeof value);
    sc_core::sc_time delay;
    socket->b_transport(payload, delay);
    wait(delay);
    if (!payload.is_response_ok()) expect("response to an access", tlm::TLM_OK_RESPONSE, payload.get_response_status());
  }

  std::function<void(Software&)> program_;
  bool ended_ = false;
  bool failed_ = false;
};
