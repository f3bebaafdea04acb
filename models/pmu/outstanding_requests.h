// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <boost/circular_buffer.hpp>

#include "tlm/clock/clock_domain.h"

namespace pmufab {

class OccupancyCount;

/// The requests of one place while they are outstanding, for counters that add up, at each clock edge, how many there
/// are.
///
/// Each request is added once, with its start and its end; both may lie ahead of simulated time. Requests that have not
/// ended are kept, so that a counter that starts, or changes its selection, sees those already outstanding. A request
/// that no counter selects costs an entry in a ring. Nothing is stepped or scheduled.
class OutstandingRequests {
 public:
  /// Which requests a counter counts.
  struct Selection {
    std::uint64_t qualifiers = ~std::uint64_t{0};  ///< bit q: those of qualifier q
    std::uint32_t id = 0;                          ///< and whose id equals this ...
    std::uint32_t id_mask = 0;                     ///< ... in these bits

    [[nodiscard]] bool holds(unsigned qualifier, std::uint32_t request_id) const noexcept {
      return (qualifiers >> qualifier & 1U) != 0 && ((request_id ^ id) & id_mask) == 0;
    }
    bool operator==(const Selection&) const = default;
  };

  /// @param clock     counters sample at its edges; must outlive this object
  /// @param capacity  requests that the ring has room for; it grows when there are more
  explicit OutstandingRequests(const ClockDomain& clock, std::size_t capacity = 64);
  OutstandingRequests& operator=(OutstandingRequests&&) = delete;

  /// Add a request that is outstanding in [start, end). Neither time is before sc_time_stamp().
  /// @param qualifier  0 ... 63; the publisher defines its meaning, and that of `id`
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
  /// @return the sum, over clock edges number `edge` and later, of the outstanding requests added so far.
  [[nodiscard]] std::uint64_t remaining(const Selection& selection, std::uint64_t edge) const noexcept;
  /// @return by how much the number of outstanding requests added so far changes at clock edges number `edge` and later;
  ///         at `edge` it is that number itself.
  [[nodiscard]] std::map<std::uint64_t, std::int64_t> changes(const Selection& selection, std::uint64_t edge) const;

  const ClockDomain& clock_;
  boost::circular_buffer<Request> kept_;
  std::vector<Watch> watches_;
};

}  // namespace pmufab
