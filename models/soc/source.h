// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/pmu/clock_condition.h"
#include "models/pmu/counter_input.h"
#include "models/pmu/outstanding_requests.h"
#include "models/soc/wire/description.h"
#include "tlm/clock/clock_domain.h"
#include "tlm/probe/probe.h"
#include "tlm/transaction/occurrence.h"

namespace pmufab::soc {

/// What one counter wants of a source: which occurrences, and what it adds for each.
struct Wish {
  struct Condition {
    enum class Kind : std::uint8_t { bit, bits, within };
    Kind kind = Kind::bits;
    unsigned attribute = 0;
    std::uint64_t value = 0;  ///< bit: a mask of values; bits: what the attribute equals; within: the least
    std::uint64_t limit = 0;  ///< bits: those that matter; within: the greatest
    bool inverted = false;    ///< of bits: it holds for the other values

    [[nodiscard]] bool holds(std::uint64_t attribute_value) const noexcept {
      switch (kind) {
        case Kind::bit:
          return attribute_value < 64 && (value >> attribute_value & 1U) != 0;
        case Kind::bits:
          return (((attribute_value ^ value) & limit) == 0) != inverted;
        case Kind::within:
          break;
      }
      return value <= attribute_value && attribute_value <= limit;
    }
  };

  Wish(const std::string& name, const ClockDomain& clock) : probe(name), requests(clock) {}

  [[nodiscard]] bool passes(const Occurrence& occurrence) const noexcept {
    for (const Condition& condition : conditions) {
      if (!condition.holds(occurrence.attributes[condition.attribute])) return false;
    }
    return true;
  }

  /// @return the units that a sum's value begins
  [[nodiscard]] std::uint64_t in_units(std::uint64_t value) const noexcept {
    return unit == 1 ? value : value / unit + (value % unit != 0 ? 1 : 0);
  }

  std::vector<Condition> conditions;
  EventDescription::Counts counts = EventDescription::Counts::occurrences;
  unsigned attribute = 0;           ///< for a sum
  std::uint64_t unit = 1;           ///< for a sum
  ClockCondition::Settings clocks;  ///< which clocks count, in place of what passes
  Probe probe;                      ///< what has passed
  OutstandingRequests requests;     ///< what has passed, if outstanding occurrences are wanted
  std::uint32_t program = 0;        ///< number of the wish, by which its requests differ from those of the wish before
  ProbeChoices choices;             ///< of probes that a source follows: what passes
};

/// A probe of a fabric that tells of what happens at a source.
struct Feed {
  /// The attributes that a qualifier stands for; 0 for those that the probe stands for.
  struct Qualified {
    unsigned qualifier;
    Occurrence occurrence;
  };
  Probe* probe;
  Occurrence occurrence;  ///< the attributes that the probe stands for; 0 for those of qualifiers
  std::shared_ptr<const std::vector<Qualified>> qualifiers;
};

/// One source of one socket.
class Source {
 public:
  /// @param number  as OccurrenceObserver has it
  Source(const SourceDescription& description, unsigned number)
      : attributes_(description.attributes), number_(number) {}

  /// What happens here is published on probes of a fabric, and happen() is not called.
  void follow(std::vector<Feed> feeds) { feeds_ = std::move(feeds); }
  /// @return whether probes tell of what happens here
  [[nodiscard]] bool follows() const noexcept { return !feeds_.empty(); }
  /// Fill in the probes, and of each the qualifiers, that a wish lets pass.
  void choose(Wish& wish) const;

  /// @return whether happen() would reach anybody.
  [[nodiscard]] bool is_heard() const noexcept { return !wishes_.empty() || keeps_open_ || observer_ != nullptr; }
  /// Something happens now.
  void happen(const Occurrence& occurrence, Picoseconds when) {
    tell(occurrence, when);
    signal(occurrence, when);
  }
  /// The observer hears it, and nobody counts it.
  void tell(const Occurrence& occurrence, Picoseconds when) {
    if (observer_ != nullptr) observer_->on_occurrence(number_, occurrence, when);
  }
  /// PMUs count it, and the observer does not hear it.
  void signal(const Occurrence& occurrence, Picoseconds when) {
    for (Wish* const wish : wishes_) serve(*wish, occurrence, when);
    if (keeps_open_) keep(occurrence, when);
  }

  /// Serve a wish from now on. It outlives the source, or is removed.
  void add(Wish& wish);
  void remove(const Wish& wish);
  /// Some event counts outstanding occurrences: keep those that have not ended, for counters that start later.
  void keep_open() noexcept { keeps_open_ = true; }
  /// @param observer  not owned; null: none
  void set_observer(OccurrenceObserver* observer) noexcept { observer_ = observer; }
  [[nodiscard]] const std::vector<std::string>& attributes() const noexcept { return attributes_; }

 private:
  struct Open {
    Occurrence occurrence;
    Picoseconds begin;
    Picoseconds end;
  };
  static void serve(Wish& wish, const Occurrence& occurrence, Picoseconds when) {
    if (wish.counts == EventDescription::Counts::outstanding) {
      if (occurrence.duration != 0 && wish.passes(occurrence)) hold(wish, occurrence, when, when + occurrence.duration);
      return;
    }
    if (!wish.probe.is_watched() || !wish.passes(occurrence)) return;
    const bool is_sum = wish.counts == EventDescription::Counts::sum;
    const std::uint64_t amount = is_sum ? wish.in_units(occurrence.attributes[wish.attribute]) : 1;
    wish.probe.publish(occurrence.repeat * amount, 0, when);
  }
  static void hold(Wish& wish, const Occurrence& occurrence, Picoseconds begin, Picoseconds end);
  void keep(const Occurrence& occurrence, Picoseconds when);

  std::vector<std::string> attributes_;
  unsigned number_;
  OccurrenceObserver* observer_ = nullptr;
  std::vector<Feed> feeds_;
  std::vector<Wish*> wishes_;
  bool keeps_open_ = false;
  std::vector<Open> open_;
  std::size_t prune_at_ = 64;  // when open_ is as long, those that have ended are dropped
};

}  // namespace pmufab::soc
