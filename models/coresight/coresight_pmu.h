// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <tlm_utils/simple_target_socket.h>
#include <systemc>

#include "models/coresight/coresight_pmu_options.h"
#include "models/coresight/counter_input.h"
#include "models/pmu/alarm.h"
#include "models/pmu/counter.h"
#include "models/pmu/cycle_count.h"
#include "models/pmu/occupancy_count.h"
#include "tlm/clock/clock_domain.h"
#include "tlm/interrupt/interrupt.h"
#include "tlm/registers/register_bank.h"

namespace pmufab::coresight {

/// A CoreSight PMU: the register file, the counters behind it, and its overflow interrupt.
///
/// Software numbers counters logically; registers use physical numbers. With a cycle counter and at most 31 counters in
/// all, the regular ones are 0 ... counters - 2 and the cycle counter is 31. Otherwise physical equals logical, and 31
/// is the cycle counter if there is one.
///
/// An access acts at sc_time_stamp() plus its annotated delay, in the order of the calls. A stopped counter watches
/// nothing. The interrupt line is high while a counter's overflow status and overflow interrupt enable are both set,
/// whatever PMCR.E says. The line changes at the exact instant of the cause, also if the traffic that overflowed a
/// counter was issued ahead of simulated time. A wrap of a counter of clock edges or outstanding requests shows one
/// picosecond after the edge (see CycleCount).
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
  void connect_interrupt(InterruptLine& line);

  /// Set every register, counter and the interrupt to the state after power-up: all zero, nothing counting.
  void reset();

  /// Let `cycles` cycles of the clock pass at once, for the counters that count them now. Counters of outstanding
  /// requests do not see these cycles.
  void pass_cycles(std::uint64_t cycles, Picoseconds when);

  /// Call the resolver again for every running counter, because something outside the programs changed their meaning.
  void refresh();

  /// @return the value of physical counter `counter` at `when` (0 if not implemented). For debugging and tests.
  [[nodiscard]] std::uint64_t counter_value(unsigned counter, Picoseconds when) const;
  /// @return true if physical counter `counter` is counting.
  [[nodiscard]] bool is_running(unsigned counter) const noexcept;
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
  struct Slot;  // one physical counter
  struct LineChange {
    Picoseconds when;
    bool high;
  };
  struct PendingOverflow {
    Picoseconds when;
    unsigned counter;
  };
  using Mask = std::array<std::uint32_t, 8>;  // one bit per physical counter

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
  using MaskWrite = void (CoreSightPmu::*)(unsigned word, std::uint32_t value, std::uint32_t mask, Picoseconds when);
  using MaskRead = std::uint32_t (CoreSightPmu::*)(unsigned word, Picoseconds when) const;
  void build_mask(RegisterBank& bank, std::string_view reg, MaskRead read, MaskWrite write);

  // Times below are those of the access or event that causes the call. `mask`: the bits the access covers.
  void set_enables(unsigned word, std::uint32_t value, std::uint32_t mask, Picoseconds when);
  void clear_enables(unsigned word, std::uint32_t value, std::uint32_t mask, Picoseconds when);
  void write_enables(unsigned word, std::uint32_t value, std::uint32_t mask, Picoseconds when);
  void set_interrupt_enables(unsigned word, std::uint32_t value, std::uint32_t mask, Picoseconds when);
  void clear_interrupt_enables(unsigned word, std::uint32_t value, std::uint32_t mask, Picoseconds when);
  void set_overflow(unsigned word, std::uint32_t value, std::uint32_t mask, Picoseconds when);
  void clear_overflow(unsigned word, std::uint32_t value, std::uint32_t mask, Picoseconds when);
  [[nodiscard]] std::uint32_t enable_word(unsigned word, Picoseconds when) const;
  [[nodiscard]] std::uint32_t interrupt_enable_word(unsigned word, Picoseconds when) const;
  [[nodiscard]] std::uint32_t overflow_word(unsigned word, Picoseconds when) const;
  /// What software asks for by PMCR.
  struct Control {
    bool enable;
    bool reset_events;
    bool reset_cycles;
  };
  void write_control(const Control& control, Picoseconds when);
  void write_counter(unsigned counter, std::uint64_t value, std::uint64_t mask, Picoseconds when);
  void program_changed(unsigned counter, Picoseconds when);
  [[nodiscard]] CounterProgram program(unsigned counter) const;

  // Counting.
  void put_enables(unsigned word, std::uint32_t enables, Picoseconds when);
  void apply(Slot& slot, Picoseconds when);
  static void select(Slot& slot, Picoseconds when);
  void start(Slot& slot, Picoseconds when);
  void stop(Slot& slot, Picoseconds when);
  void predict_overflow(Slot& slot, Picoseconds when);

  // Overflow and interrupt.
  static void counter_wrapped(void* context, std::uint64_t wraps, Picoseconds when);
  static void overflow_nearer(void* context);
  [[nodiscard]] bool has_overflowed(unsigned counter) const noexcept;
  void overflow(unsigned counter, Picoseconds when);
  void settle(Picoseconds when);       // take overflows up to `when` into the status
  void update_line(Picoseconds when);  // record a change of the interrupt
  void finish();                       // drive the changes that are due, and set the alarm for the others

  CoreSightPmuOptions options_;
  const ClockDomain& clock_;
  InputResolver resolve_;
  InterruptLine* line_ = nullptr;
  Mask implemented_{};

  RegisterBank page0_bank_;
  std::unique_ptr<RegisterBank> page1_bank_;
  RegisterId type_{}, filter_{}, filter2_{}, implementation_defined_{};

  std::vector<std::unique_ptr<Slot>> slots_;  // by physical counter; null where there is none
  bool enabled_ = false;                      // PMCR.E
  Mask enables_{}, interrupt_enables_{}, overflow_status_{};

  Picoseconds next_timed_overflow_ = kNever;  // earliest overflow_time of the slots
  bool predictions_changed_ = false;          // next_timed_overflow_ must be computed again
  std::vector<PendingOverflow> pending_;      // overflows of traffic ahead of simulated time; sorted
  std::vector<LineChange> line_changes_;      // not yet driven; sorted
  bool line_high_ = false;                    // level after all of line_changes_
  Alarm alarm_;
};

}  // namespace pmufab::coresight
