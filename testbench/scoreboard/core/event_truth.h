// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "testbench/scoreboard/core/event_result.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::scoreboard {

/// One term of a user's event text: `name` or `name=value`.
struct EventTerm {
  std::string name;
  std::optional<std::uint64_t> value{};  ///< absent for a bare word; a bare filter word means 1, as in perf
};
using EventTerms = std::vector<EventTerm>;

/// An instant at which a truth was looked at: when, and how far it had come.
struct Mark {
  Picoseconds when = 0;
  std::uint64_t position = 0;  ///< of the truth's own kind: a count so far, a time, the number of a checkpoint
};

/// A span of time in which an event had to count.
struct Span {
  Mark begin;
  Mark end;
};

/// What one event of the user must count, by its documented meaning. Made anew for each event, by the judge of its PMU.
class EventTruth {
 public:
  virtual ~EventTruth() = default;

  /// The event in words, for reports.
  [[nodiscard]] virtual std::string text() const = 0;
  /// Look now. Called in simulation order.
  [[nodiscard]] virtual Mark mark(Picoseconds when) = 0;
  /// @return what the event counts in a span between two of its marks. May be asked again later, when things that were
  /// told late make it another.
  [[nodiscard]] virtual std::uint64_t count(const Span& span) const = 0;

  /// The driver took the event in, or gave it up; whether its PMU counts meanwhile is another matter. For truths that
  /// depend on which event came first.
  virtual void activated() {}
  virtual void deactivated() {}
  /// An event began, or stopped, to count: chances to remember more than the mark, to explain a difference.
  virtual void opened() {}
  virtual void closed() {}

  /// May the driver's reading of a running event differ from the truth, and how? Hardware that is read in pieces can be
  /// caught in between. @param low, high  the truth at begin and end of the call
  [[nodiscard]] virtual bool allows(std::uint64_t value, std::uint64_t low, std::uint64_t high) const {
    return low <= value && value <= high;
  }
  /// Must readings of a running event never step back?
  [[nodiscard]] virtual bool grows() const { return true; }

  /// Add to a result what this kind of event tells besides its count. @param spans  all of them, the open one too
  virtual void describe(std::span<const Span> spans, EventResult& result) const = 0;
  /// @return what is known of the difference to the driver's value.
  [[nodiscard]] virtual std::string explain(std::span<const Span> spans, std::uint64_t driver) const = 0;
};

}  // namespace pmufab::scoreboard
