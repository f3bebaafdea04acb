// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "testbench/fabrics/soc/judge/soc_judge.h"
#include "testbench/judge/pmu_judge.h"

namespace pmufab::scoreboard {

class MapGate;

/// Judges one described PMU with a register map. What the bus shows of its registers says when it counts.
class MapPmuJudge final : public PmuJudge {
 public:
  /// @param chronicle  where it says what it finds; must outlive the judge. Null: nowhere
  explicit MapPmuJudge(std::unique_ptr<SocEvents> events, Chronicle* chronicle = nullptr);

  bool see_write(const MmioBus::BusAccess& access) override;
  void see_read(const MmioBus::BusAccess& access) override;
  void see_reset(std::optional<std::uint64_t> window, Picoseconds when) override;
  [[nodiscard]] bool written_on() const override {
    if (map().runs_by_event) return wanted;
    const bool is_range_on = ranged_ == 0 || (range_runs_ & switchable_ & used()) != 0;
    return runs_ && is_range_on && (!writes_running_ || (enables_ & named_) != 0);
  }
  [[nodiscard]] bool lets_count() const override { return runs_ && (enables_ & range_runs_) != 0; }
  [[nodiscard]] bool is_counter_read(const MmioBus::BusAccess& access) const override;
  [[nodiscard]] std::uint64_t latched_counters(const MmioBus::BusAccess& access) const override;
  [[nodiscard]] std::unique_ptr<EventTruth> truth(const EventTerms& terms) override;
  [[nodiscard]] Publication publication() const override;
  [[nodiscard]] std::optional<std::string> room_for(const EventTruth& refused,
                                                    const std::vector<const EventTruth*>& active) const override;
  [[nodiscard]] Injection injection(const EventTerms& terms, unsigned /*unit*/) override {
    return events_->injection(terms);
  }

 private:
  /// An access as one register sees it.
  struct Hit {
    const soc::RegisterDescription* reg = nullptr;
    unsigned element = 0;
    unsigned shift = 0;       ///< of the access in the register: its upper half
    std::uint64_t value = 0;  ///< at its place in the register
    std::uint64_t mask = 0;
  };

  /// What an access says of counters by one field: a bit for each.
  struct Said {
    std::uint64_t covered = 0;
    std::uint64_t set = 0;  ///< by a 1
  };
  [[nodiscard]] Said said_by(const soc::FieldDescription& field, const Hit& hit) const;

  /// Which counters a field stands for.
  struct Fields {
    unsigned first = 0;
    unsigned count = 1;  ///< in one register
    bool is_bit_each = false;
    bool is_for_all = false;
  };
  [[nodiscard]] static Fields fields_of(const soc::FieldDescription& field, const soc::RegisterDescription& reg);
  /// What registers say after a reset.
  void apply_reset();
  /// @return the counters for which some field is meant
  [[nodiscard]] std::uint64_t counters_with(bool (*is_meant)(const soc::FieldDescription&)) const;
  [[nodiscard]] static std::uint64_t counters_of(const soc::FieldDescription& field,
                                                 const soc::RegisterDescription& reg);
  /// @return of the switches of interrupts, those that reach as far as a field does
  [[nodiscard]] std::uint64_t& interrupts_of(const soc::FieldDescription& field, const soc::RegisterDescription& reg);
  [[nodiscard]] std::optional<Hit> hit_by(const MmioBus::BusAccess& access) const;
  /// A write to values of counters. @param first  counter of the first
  void see_counters(const soc::FieldDescription& field, const Hit& hit, unsigned first);
  /// A write to selectors of events, of which 0 may stop a counter.
  void see_selectors(const soc::FieldDescription& field, const Hit& hit);
  void select(const soc::FieldDescription& field, unsigned counter, std::uint64_t number);
  /// @return whether it says if the whole PMU counts
  bool see_field(const soc::FieldDescription& field, const Hit& hit);
  /// @return a bit for each counter whose overflow sends one, as all such switches say
  [[nodiscard]] std::uint64_t interrupts_on() const {
    return std::accumulate(interrupts_.begin(), interrupts_.end(), ~std::uint64_t{0}, std::bit_and<>());
  }
  /// @param interrupts  a bit for each counter whose overflow may send one, as far as such switches say
  static void switch_interrupts(soc::Role role, std::uint64_t covered, std::uint64_t set, std::uint64_t& interrupts);
  /// A field lets the counters of `on` run, and no others of `which`. @return whether it says something of counters
  bool let_run(const soc::FieldDescription& field, std::uint64_t which, std::uint64_t on);
  /// @return the counters whose own switches let them count
  [[nodiscard]] std::uint64_t let_count() const;
  /// @return the counters that active events may have; without such events, those that any event may have
  [[nodiscard]] std::uint64_t used() const;
  /// @return whether one switch lets counters count, or none
  [[nodiscard]] bool share_switch(std::uint64_t counters) const;
  /// A driver must have turned on the overflow interrupts of counters when it lets them count, and when it reads one. It may
  /// have turned one off that it reads for the last time: so that is found where it is so at two looks.
  void look_for_untold(bool is_read, Picoseconds when);
  /// @return a bit for each counter that can count an event
  [[nodiscard]] std::uint64_t counters_for(const EventTerms& terms) const;
  [[nodiscard]] const soc::RegisterMap& map() const { return *events_->spec().description.map; }

  std::unique_ptr<SocEvents> events_;
  Chronicle* chronicle_;
  std::shared_ptr<MapGate> gate_;  // null: all counters count while perf has the PMU on
  std::uint64_t free_ = 0;         // by counter: it counts whether perf has the PMU on or not
  std::uint64_t ranged_ = 0;       // by counter: a range of them has a switch
  std::uint64_t range_runs_ = 0;   // by counter: that is on, or there is none
  std::uint64_t switchable_ = 0;   // by counter: a switch of a range, or of all, stops it
  std::uint64_t countable_ = 0;    // by counter: some event may have it
  std::uint64_t elsewhere_ = 0;    // by counter: events may have it that no gate tells of
  std::uint64_t silent_ = 0;       // by counter: its overflow sends no interrupt
  std::uint64_t untold_ = 0;       // by counter: at the last look, it counted with its interrupt off
  std::uint64_t reset_on_ = 0;     // by counter: it is on since the last reset, and no driver let it count
  std::uint64_t excused_ = 0;      // by counter: its interrupt is off since a reset, of which no driver hears
  std::uint64_t read_only_ = 0;    // by counter: its driver reads what it begins with
  bool must_tell_ = false;         // drivers must let overflows send interrupts
  bool runs_ = false;              // what lets all run does so
  std::uint64_t enables_ = 0;      // by counter
  bool writes_running_ = false;    // its driver lets all run to write a counter, while none that is on has an event
  std::uint64_t named_ = ~std::uint64_t{0};  // by counter: the PMU has the event that is selected
  std::uint64_t switched_ = 0;               // by counter: something turns it on
  /// By counter, whether switches of it alone, of a range and of all let its overflow send one; then masks of such.
  std::array<std::uint64_t, 6> interrupts_{};
  std::uint64_t touched_ = 0;                   // by counter: the last write gave it a value, or another event
  std::uint64_t begun_ = 0;                     // by the present write: a bit for each counter that begins there
  std::map<unsigned, std::uint64_t> selected_;  // by counter
};

}  // namespace pmufab::scoreboard
