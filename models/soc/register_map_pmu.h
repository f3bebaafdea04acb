// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tlm_utils/simple_target_socket.h>
#include <systemc>

#include "models/pmu/counter_block.h"
#include "models/soc/wire/description.h"
#include "tlm/clock/clock_domain.h"
#include "tlm/registers/register_bank.h"

namespace pmufab::soc {

/// What registers say of the event that a counter counts.
struct EventSelection {
  std::uint64_t number = 0;
  std::uint64_t known = 0;  ///< bits of the number that they hold
  bool is_none = false;     ///< they name a copy of a selector that is not there
};

/// The registers of a described PMU that is no CoreSight PMU, and a CounterBlock behind them.
///
/// An access acts at sc_time_stamp() plus its annotated delay, in the order of the calls.
class RegisterMapPmu {
 public:
  /// @param description  has a register map; it must outlive the PMU, as must the clock
  /// @param resolve      maps a counter to what it counts
  RegisterMapPmu(const std::string& name, const PmuDescription& description, const ClockDomain& clock,
                 CounterBlock::Resolver resolve);
  ~RegisterMapPmu();
  RegisterMapPmu& operator=(RegisterMapPmu&&) = delete;

  [[nodiscard]] CounterBlock& counters() noexcept { return counters_; }
  void reset();
  /// @return the event that is programmed into a counter
  [[nodiscard]] EventSelection event(unsigned counter) const;
  /// @return what a register holds for a counter, by its number in the map
  [[nodiscard]] std::uint64_t value(std::size_t reg, unsigned counter, unsigned repeat = 1, unsigned step = 0) const;
  /// @return whether a register holds something for a counter: it is for all, or an element of the array is for this one
  [[nodiscard]] bool has_value(std::size_t reg, unsigned counter, unsigned repeat = 1) const;
  /// @return the socket of a window, in the order of the description
  [[nodiscard]] tlm::tlm_base_target_socket_b<64>& socket(std::size_t window);
  [[nodiscard]] std::vector<const RegisterBank*> pages() const;
  /// @param is_pending  whether the PMU of that name on the same socket interrupts
  void connect_others(std::function<bool(const std::string&)> is_pending) { is_pending_ = std::move(is_pending); }

 private:
  class Window;
  using Counters = std::uint64_t;            // a bit for each
  using Switches = std::array<Counters, 3>;  // by Reach: a counter is on if it is in all
  /// What an access says of counters by one field.
  struct Said {
    Counters covered = 0;
    Counters ones = 0;
  };

  /// What a latch has copied of a counter.
  struct Latched {
    std::uint64_t value = 0;
    std::uint64_t earlier = 0;  ///< what is shown until then
    Picoseconds when = 0;       ///< from where on the value is shown
    [[nodiscard]] std::uint64_t shown(Picoseconds now) const noexcept { return now < when ? earlier : value; }
  };

  [[nodiscard]] std::vector<std::unique_ptr<Window>> make_windows(const std::string& name);
  void build(std::size_t number);
  /// @return the counter whose registers program this one: of a pair, the first
  [[nodiscard]] unsigned without_twins(unsigned counter) const;
  /// Adds what fields say of a counter's event. @param base  those with this for_number; nothing: those without
  void add_selection(unsigned counter, std::optional<std::uint64_t> base, EventSelection& selection) const;
  /// @return which copy of a field is a counter's; nothing: what chooses it names none
  [[nodiscard]] std::optional<unsigned> chosen_copy(const FieldDescription& field, unsigned counter) const;
  [[nodiscard]] std::uint64_t live(std::size_t number, unsigned element, Picoseconds when) const;
  /// @return what software reads of a counter in a field; nothing: what is stored there
  [[nodiscard]] std::optional<std::uint64_t> shown(const FieldDescription& field, Reach reach, unsigned counter,
                                                   Picoseconds when) const;
  void write(std::size_t number, const RegisterWrite& write);
  void forget_overflow(Counters which, Picoseconds when);
  bool write_switch(const FieldDescription& field, const Said& said, Reach reach, Picoseconds when);
  void write_field(const FieldDescription& field, const Said& said, const RegisterDescription& reg,
                   const RegisterWrite& write);
  /// What is on from the start, by reset values or because nothing turns it on.
  void apply_reset(Picoseconds when);
  void has_been_read(std::size_t number, unsigned element, Picoseconds when);
  /// Counters of a reach are on, and others off.
  void put_enables(Reach reach, Counters on, Picoseconds when);
  void put_interrupt_enables(bool is_mask, Reach reach, Counters on, Picoseconds when);
  [[nodiscard]] bool is_let_run(unsigned counter) const;
  /// Let those of `which` run that are in `on`; where they are no range, the whole PMU.
  void let_run(Reach reach, Counters which, Counters on, Picoseconds when);
  void clear(Counters which, Picoseconds when);
  /// @param takes  until what is copied now is shown
  void latch(Counters which, Picoseconds takes, Picoseconds when);
  /// @return the counters of fields for which `is_meant` holds
  [[nodiscard]] Counters counters_of(
      const std::function<bool(const RegisterDescription&, const FieldDescription&)>& is_meant) const;
  [[nodiscard]] Said said_by(const RegisterDescription& reg, const FieldDescription& field, unsigned element,
                             std::uint64_t value, std::uint64_t mask) const;
  [[nodiscard]] bool has_overflowed(unsigned counter, Picoseconds when) const;
  [[nodiscard]] Counters with_twins(Counters counters) const;
  [[nodiscard]] RegisterBank& bank_of(std::size_t number);
  [[nodiscard]] const RegisterBank& bank_of(std::size_t number) const;
  /// @return the counter that a write to Role::preload sets, if there is one
  [[nodiscard]] std::optional<unsigned> preloaded() const;

  const PmuDescription& description_;
  const RegisterMap& map_;
  std::vector<std::unique_ptr<Window>> windows_;
  std::vector<RegisterId> ids_;  // by number in the map
  std::vector<bool> programs_;   // by number: it says what counters count
  CounterBlock counters_;
  std::function<bool(const std::string&)> is_pending_{};
  Switches enables_{};                    // of Reach::range: those that run
  std::array<Switches, 2> interrupts_{};  // of enables, and of masks
  std::vector<Latched> latched_;          // by counter
  bool has_main_run_ = false;             // something lets the whole PMU run
};

}  // namespace pmufab::soc
