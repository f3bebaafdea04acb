// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "models/cmn/pmu/dtm.h"
#include "models/cmn/wire/types.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::cmn {

/// Local counters whose events nobody reports. The mesh tallies flit events anyway, so a counter of one is as far on as
/// its tally. It is brought up to date when somebody asks.
///
/// A counter that may soon wrap is not among them, because its carry leaves at the event that wraps it. An event happens
/// at most once in a cycle; so a look every kPeriod cycles is enough to find those counters in time.
class FlitTallies {
 public:
  /// @return how often an event has happened since the beginning
  using Tally = std::function<std::uint64_t(unsigned xp, Interface interface, Channel channel, FlitEvent event)>;
  /// Cycles from look to look.
  static constexpr Cycle kPeriod = 512;

  /// An event of an XP.
  struct Event {
    Interface interface;
    Channel channel;
    FlitEvent event;
    bool operator==(const Event&) const = default;
  };

  /// @param dtms  must outlive this object, and does not move once the first counter is added
  FlitTallies(std::vector<Dtm>& dtms, unsigned xps) : dtms_(dtms), entries_(xps) {}
  /// Without this, no counter is tallied.
  void use(Tally tally) { tally_ = std::move(tally); }

  /// Bring the counters of an XP up to date. Needed before they are read or written.
  void settle(unsigned xp);
  void settle_all();
  /// The counters of an XP are about to be chosen anew. Brings them up to date.
  void forget(unsigned xp);
  /// A local counter counts an event from now on. @return false if each event must be reported
  bool add(unsigned xp, unsigned dtm, unsigned counter, const Event& event);

  /// @return true if it is time to look(): ask before the work of each cycle.
  [[nodiscard]] bool is_due(Cycle now) const noexcept { return now >= next_look_; }
  /// Bring all counters up to date. @return the XPs whose counters must be chosen anew
  [[nodiscard]] std::span<const unsigned> look(Cycle now);

  /// @return true if a tallied counter counts an event of the XP.
  [[nodiscard]] bool hold(unsigned xp, const Event& event) const noexcept;
  /// Add occurrences that the mesh does not tally to the tallied counters of an event.
  /// @return true if there are any: the counters of the XP must be chosen anew
  bool add_at_once(unsigned xp, const Event& event, std::uint64_t amount, Picoseconds when);

 private:
  struct Entry {
    unsigned dtm;
    unsigned counter;  // of the DTM
    Event event;
    bool tallied;
    std::uint64_t seen;  // the tally when the counter was brought up to date
  };
  [[nodiscard]] bool can_wait(const Entry& entry) const noexcept {
    return dtms_[entry.dtm].room(entry.counter) >= kPeriod;
  }
  [[nodiscard]] std::uint64_t tally_of(unsigned xp, const Event& event) const {
    return tally_(xp, event.interface, event.channel, event.event);
  }

  std::vector<Dtm>& dtms_;
  Tally tally_;
  std::vector<std::vector<Entry>> entries_;  // by XP
  std::vector<unsigned> changed_;            // XPs
  Cycle next_look_ = 0;
};

}  // namespace pmufab::cmn
