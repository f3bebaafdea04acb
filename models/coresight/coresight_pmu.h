// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <tlm_utils/simple_target_socket.h>
#include <systemc>

#include "models/coresight/coresight_pmu_options.h"
#include "models/coresight/counter_input.h"
#include "models/pmu/counter_block.h"
#include "tlm/clock/clock_domain.h"
#include "tlm/interrupt/interrupt.h"
#include "tlm/registers/register_bank.h"

namespace pmufab::coresight {

/// A CoreSight PMU: the register file, and a CounterBlock behind it, which runs while PMCR.E is set.
///
/// Software numbers counters logically; registers use physical numbers. With a cycle counter and at most 31 counters in
/// all, the regular ones are 0 ... counters - 2 and the cycle counter is 31. Otherwise physical equals logical, and 31
/// is the cycle counter if there is one.
///
/// An access acts at sc_time_stamp() plus its annotated delay, in the order of the calls.
class CoreSightPmu : public sc_core::sc_module {
 public:
  static constexpr std::uint32_t kPageSize = 0x1000;
  static constexpr unsigned kCycleCounterIndex = 31;

  /// @param clock    counted by the cycle counter and by clock-type events; must outlive the PMU
  /// @param resolve  maps a program to what a regular counter counts (often an EventTable)
  /// @throws std::invalid_argument if the options contradict each other; the message names the option
  CoreSightPmu(const sc_core::sc_module_name& name, const CoreSightPmuOptions& options, const ClockDomain& clock,
               InputResolver resolve);
  ~CoreSightPmu() override;

  /// Drive `line` with the overflow interrupt. Without a line the PMU works, but raises no interrupt.
  void connect_interrupt(InterruptLine& line) { counters_.connect_interrupt(line); }

  /// Set every register, counter and the interrupt to the state after power-up: all zero, nothing counting.
  void reset();

  /// The block's, by physical numbers. @{
  void pass_cycles(std::uint64_t cycles, Picoseconds when) { counters_.pass_cycles(cycles, when); }
  void refresh() { counters_.refresh(); }
  [[nodiscard]] std::uint64_t counter_value(unsigned counter, Picoseconds when) const {
    return counters_.value(counter, when);
  }
  [[nodiscard]] bool is_running(unsigned counter) const noexcept { return counters_.is_running(counter); }
  /// @}

  /// @return the implementation-defined register at 0xd80 + 4 `word`.
  [[nodiscard]] std::uint32_t implementation_defined(unsigned word) const noexcept;
  [[nodiscard]] const CoreSightPmuOptions& options() const noexcept { return options_; }

  /// @return the number of guest errors on both pages.
  [[nodiscard]] std::uint64_t guest_errors() const noexcept;

  /// @return the registers of page 0 and, if the PMU has dual pages, of page 1.
  [[nodiscard]] std::vector<const RegisterBank*> pages() const;

  /// Page 0.
  tlm_utils::simple_target_socket<CoreSightPmu, 64> socket;
  /// Page 1. Bind it if, and only if, the PMU has dual pages.
  tlm_utils::simple_target_socket_optional<CoreSightPmu, 64> page1;

 private:
  void page0_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void page1_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned page0_debug(tlm::tlm_generic_payload& payload);
  unsigned page1_debug(tlm::tlm_generic_payload& payload);

  // Register accesses (coresight_pmu_registers.cpp).
  [[nodiscard]] RegisterBank& upper_bank() noexcept { return page1_bank_ ? *page1_bank_ : page0_bank_; }
  void build_registers();
  void build_identification();
  void build_counters();
  void build_programs();
  void build_masks();
  using MaskRead = std::uint32_t (*)(const CounterBlock& counters, unsigned word, Picoseconds when);
  /// @param mask  the bits that the access covers
  using MaskWrite = void (*)(CounterBlock& counters, unsigned word, std::uint32_t value, std::uint32_t mask,
                             Picoseconds when);
  void build_mask(RegisterBank& bank, std::string_view reg, MaskRead read, MaskWrite write);
  [[nodiscard]] CounterProgram program(unsigned counter) const;

  CoreSightPmuOptions options_;
  RegisterBank page0_bank_;
  std::unique_ptr<RegisterBank> page1_bank_;
  RegisterId type_{}, filter_{}, filter2_{}, implementation_defined_{};
  InputResolver resolve_;
  CounterBlock counters_;
};

}  // namespace pmufab::coresight
