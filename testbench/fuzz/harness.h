// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>
#include <tlm>

#include "testbench/fuzz/machine.h"
#include "testbench/fuzz/operation.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::fuzz {

/// Plays inputs on a machine, one after the other in the same simulation, because SystemC elaborates once per process.
/// Each input begins after a reset, at a multiple of kEpoch of simulated time, so that clocks have the same phase.
///
/// For every access on any machine, the harness checks that it ends with one of the responses of RegisterBank; that
/// bytes beyond its length, the data of a write, and the address are unchanged; that its latency is bounded; that reads
/// change nothing, so a second read and debug transport return the same; and that DMI is not offered. Exceptions of any
/// kind, and reports other than guest errors, are violations.
class Harness : public sc_core::sc_module {
 public:
  static constexpr unsigned kMostOperations = 200;      ///< the rest of an input is ignored
  static constexpr Picoseconds kEpoch = 1'000'000'000;  ///< a millisecond
  static constexpr Picoseconds kLongestAccess = 1'000'000;
  static constexpr Picoseconds kLongestDrain = 10'000'000'000;

  Harness(const sc_core::sc_module_name& name, Machine& machine);
  ~Harness() override;

  /// Play an input. Call it outside of any process. @throws Violation
  void run(std::span<const std::uint8_t> input);
  /// Print each access to standard error, to analyse a finding.
  void tell(bool on) noexcept { tells_ = on; }

 private:
  struct Access {
    tlm::tlm_command command = tlm::TLM_READ_COMMAND;
    std::uint64_t address = 0;
    unsigned length = 4;
    std::array<std::uint8_t, Operation::kMostBytes> data{};
    bool byte_enables = false;
    unsigned streaming_width = 0;  // 0: the length
  };

  void story();
  void play();
  void perform(const Operation& operation);
  void special(const Operation& operation);
  void read(std::uint64_t address, unsigned length);
  void write(std::uint64_t address, unsigned length, const std::array<std::uint8_t, Operation::kMostBytes>& data);
  tlm::tlm_response_status transport(Access& access);
  void pass(Picoseconds duration);
  void settle();
  void reset();
  [[nodiscard]] std::uint64_t address_in_window(const Operation& operation) const;
  static void on_report(const sc_core::sc_report& report, const sc_core::sc_actions& actions);

  Machine& machine_;
  tlm_utils::simple_initiator_socket<Harness, 64> socket_;
  sc_core::sc_event start_;
  std::vector<MmioBus::Window> windows_;
  std::span<const std::uint8_t> input_;
  std::optional<std::string> failure_;
  bool tells_ = false;
  bool started_ = false;
  bool finished_ = false;
  bool unseen_ = false;    // some operations were not checked
  Picoseconds ahead_ = 0;  // time ahead of sc_time_stamp(), as for a bus master with a quantum
  Effect effect_;

  static std::string unexpected_report_;
};

}  // namespace pmufab::fuzz
