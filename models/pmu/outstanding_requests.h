// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <boost/circular_buffer.hpp>

#include "tlm/clock/clock_domain.h"

namespace pmufab {

class OccupancyCount;

/// The requests of one place while they are outstanding, for counters that add up, clock edge by clock edge, how many
/// there are.
///
/// Each is told once, with its start and its end; both may lie ahead of simulated time. Those that have not ended are
/// kept, so that a counter which begins to watch, or to watch others, sees what is outstanding already. A request that
/// nobody counts costs an entry in a ring; nothing is stepped or scheduled.
class OutstandingRequests {
 public:
  /// Which requests a counter counts.
  struct Selection {
    std::uint64_t qualifiers = ~std::uint64_t{0};  ///< bit q: those of qualifier q
    std::uint32_t id = 0;                          ///< and of these, those whose id equals this ...
    std::uint32_t id_mask = 0;                     ///< ... in these bits

    [[nodiscard]] bool holds(unsigned qualifier, std::uint32_t of) const noexcept {
      return (qualifiers >> qualifier & 1U) != 0 && ((of ^ id) & id_mask) == 0;
    }
    bool operator==(const Selection&) const = default;
  };

  /// @param clock     whose edges counters look at; must outlive this
  /// @param capacity  requests for which room is made at once; more make the ring grow
  explicit OutstandingRequests(const ClockDomain& clock, std::size_t capacity = 64);
  OutstandingRequests(const OutstandingRequests&) = delete;
  OutstandingRequests& operator=(const OutstandingRequests&) = delete;

  /// A request is outstanding in [start, end). Neither is before sc_time_stamp().
  /// @param qualifier  0 ... 63; its meaning, and that of `id`, are the publisher's
  void add(Picoseconds start, Picoseconds end, unsigned qualifier, std::uint32_t id) {
    if (kept_.full()) [[unlikely]]
      make_room();
    kept_.push_back({start, end, id, qualifier});
    if (!watches_.empty()) count(kept_.back());
  }

  [[nodiscard]] const ClockDomain& clock() const noexcept { return clock_; }

 private:
  friend class OccupancyCount;
  struct Request {
    Picoseconds start;
    Picoseconds end;
    std::uint32_t id;
    unsigned qualifier;
  };
  struct Watch {
    OccupancyCount* count;
    Selection selection;
  };
  void make_room();
  void count(const Request& request);
  void watch(OccupancyCount& count, const Selection& selection) { watches_.push_back({&count, selection}); }
  void unwatch(const OccupancyCount& count);
  /// @return the sum, over clock edges number `edge` and later, of the outstanding requests told so far.
  [[nodiscard]] std::uint64_t remaining(const Selection& selection, std::uint64_t edge) const noexcept;
  /// @return the number of the last edge at which a request told so far may be outstanding, plus one.
  [[nodiscard]] std::uint64_t end_edge() const noexcept;

  const ClockDomain& clock_;
  boost::circular_buffer<Request> kept_;
  std::vector<Watch> watches_;
};

}  // namespace pmufab
