// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tlm_utils/simple_target_socket.h>
#include <systemc>

#include "models/cxl/cpmu/counter_unit.h"
#include "models/cxl/cpmu/cpmu_parameters.h"
#include "models/cxl/cpmu/cpmu_registers.h"
#include "models/cxl/cpmu/event_group.h"
#include "models/pmu/alarm.h"
#include "tlm/clock/clock_domain.h"
#include "tlm/registers/register_bank.h"

namespace pmufab::cxl {

/// An event that a CPMU can count, for tools.
struct CpmuEvent {
  std::string name;                 ///< see event_name(); names of several events are joined by "+"
  std::uint16_t vendor;             ///< event vendor id
  std::uint16_t group;              ///< event group id
  std::uint32_t mask;               ///< events of the group
  unsigned group_index;             ///< number of the event capability register
  std::optional<unsigned> counter;  ///< its fixed or free-running counter; empty: any configurable one
};

/// A CXL performance monitoring unit: the register block (CXL 3.1, 8.2.7) and the counters behind it.
///
/// Accesses and events act at sc_time_stamp() plus their annotated delay, in the order of the calls. A counter runs
/// while it is enabled and not frozen; freeze is a separate latch. After an overflow of a counter with global freeze on
/// overflow, all counters except free-running ones freeze at the next edge of the CPMU's clock: events of the same
/// clock still count. Messages are sent at the exact instant of the overflow. If the traffic was issued ahead of
/// simulated time, status and values are early by as much, but the message is not. An overflow caused by the clock
/// (ticks, thresholds) shows one picosecond after its edge.
class Cpmu : public sc_core::sc_module, private CounterUnit::Owner {
 public:
  /// @param groups  event capabilities, in the order of their registers; the probes must outlive the CPMU
  /// @throws SpecError as check() does
  Cpmu(const sc_core::sc_module_name& name, const CpmuParameters& parameters, std::vector<EventGroup> groups);
  ~Cpmu() override;

  /// Set the function that sends the overflow message (the device's MSI-X). Without it the CPMU works, but sends
  /// nothing.
  void on_interrupt(std::function<void()> send) { send_ = std::move(send); }

  /// Set every register and counter to the state after power-up. Messages not sent yet are dropped.
  void reset();

  /// Let `ticks` ticks of the clock pass at once, for the counters that count ticks now. Conditions on other events do
  /// not see these ticks.
  void pass_ticks(std::uint64_t ticks, Picoseconds when);

  [[nodiscard]] const CpmuParameters& parameters() const noexcept { return parameters_; }
  [[nodiscard]] const std::vector<EventGroup>& groups() const noexcept { return groups_; }
  [[nodiscard]] const ClockDomain& clock() const noexcept { return clock_; }
  /// @return everything that can be counted: single events on configurable counters by capability register, then the
  ///         masks of fixed and free-running counters.
  [[nodiscard]] std::vector<CpmuEvent> events() const;

  /// @return the value of counter `counter` at `when`; 0 if there is none. For debugging and tests.
  [[nodiscard]] std::uint64_t counter_value(unsigned counter, Picoseconds when) const;
  [[nodiscard]] bool is_running(unsigned counter) const noexcept;
  /// @return messages sent since construction.
  [[nodiscard]] std::uint64_t messages_sent() const noexcept { return messages_sent_; }
  /// @return the number of guest errors, repeated ones included.
  [[nodiscard]] std::uint64_t guest_errors() const noexcept { return bank_.guest_errors() + guest_errors_; }

  [[nodiscard]] const RegisterBank& bank() const noexcept { return bank_; }

  /// The block of kCpmuBlockSize bytes; registers take its first kCpmuRegisterBytes.
  tlm_utils::simple_target_socket<Cpmu, 64> socket;

 private:
  /// Guest errors about a counter; each is reported once per counter.
  enum class Mistake : std::uint8_t {
    no_such_group,
    group_of_fixed_counter,
    unsupported_events,
    changed_while_enabled,
    written_while_running,
    written_while_frozen,
  };
  struct Slot {
    std::unique_ptr<CounterUnit> unit;
    bool selected = false;  // the unit matches its registers
    std::uint8_t mistakes_told = 0;
  };

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) { return bank_.transport_dbg(payload); }

  void build_registers();
  void build_counter_registers();
  [[nodiscard]] std::uint64_t capability() const;
  [[nodiscard]] std::uint64_t reset_configuration(const CpmuCounterParameters& counter) const;
  [[nodiscard]] std::uint64_t writable_fields(const CpmuCounterParameters& counter) const;
  [[nodiscard]] CounterConfiguration configuration(unsigned counter) const noexcept {
    return CounterConfiguration(bank_.value(configuration_, counter));
  }
  void write_configuration(const RegisterWrite& write);
  void write_filter(unsigned counter, Picoseconds when);
  void write_data(unsigned counter, std::uint64_t value, Picoseconds when);
  void write_freeze(std::uint64_t value, Picoseconds when);
  void clear_overflow(std::uint64_t bits, Picoseconds when);
  void mistake(unsigned counter, Mistake mistake, std::string_view text);

  // Counting.
  [[nodiscard]] bool is_free_running(unsigned counter) const noexcept {
    return parameters_.counters[counter].type == CounterType::free_running;
  }
  void apply(unsigned counter, Picoseconds when);
  void select(unsigned counter, Picoseconds when);
  void predict(CounterUnit& unit, Picoseconds when);

  // Overflow, freeze and messages.
  void overflowed(CounterUnit& unit, Picoseconds when) override;
  void approached(CounterUnit& unit, Picoseconds when) override;
  void freeze_after(Picoseconds when);
  void freeze_all(Picoseconds when);
  void settle(Picoseconds when);  // process all overflows and freezes up to `when`
  void arm();                     // set the alarm for the next event
  void finish();                  // send the messages that are due, and arm

  CpmuParameters parameters_;
  std::vector<EventGroup> groups_;
  ClockDomain clock_;
  std::function<void()> send_;

  RegisterBank bank_;
  RegisterId configuration_{}, hdm_filter_{}, ddr_filter_{};
  std::uint32_t groups_of_fixed_counters_ = 0;  // one bit per event capability
  std::uint64_t can_freeze_ = 0;                // one bit per counter, also in the next two members
  std::uint64_t overflow_status_ = 0;
  std::uint64_t frozen_ = 0;

  std::vector<Slot> slots_;
  Picoseconds next_overflow_ = kNever;  // earliest overflow_time() of the units; valid unless predictions_changed_
  bool predictions_changed_ = false;
  Picoseconds freeze_time_ = kNever;   // time of a pending global freeze
  std::vector<Picoseconds> messages_;  // messages not sent yet, sorted by time
  std::uint64_t messages_sent_ = 0;
  std::uint64_t guest_errors_ = 0;
  Alarm alarm_;
};

}  // namespace pmufab::cxl
