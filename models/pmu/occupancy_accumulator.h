// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <boost/circular_buffer.hpp>

#include "tlm/clock/clock_domain.h"

namespace pmufab {

/// Counts requests, and adds up how many are outstanding at each clock edge. The sums are computed; nothing is stepped.
///
/// A request of `amount` outstanding in [start, end) counts `amount` requests at start, and adds `amount` for each
/// clock edge in [start, end). Only the part in a running window [on, off) counts. Starts and ends may lie ahead of the
/// time at which the request is added. Ends in order cost least; ends out of order are sorted in.
class OccupancyAccumulator {
 public:
  /// @param width     1 ... 64 bits of both counters
  /// @param capacity  requests that the queues have room for; they grow when there are more
  /// @throws std::invalid_argument if the width is not 1 ... 64
  explicit OccupancyAccumulator(const ClockDomain& clock, unsigned width = 64, std::size_t capacity = 64);

  /// Add a request. `now` is the time of the caller, not after `start`. No later call may name an earlier time, nor one
  /// before sc_time_stamp().
  void add(Picoseconds now, Picoseconds start, Picoseconds end, std::uint64_t amount) {
    if (starts_.full() || ends_.full()) [[unlikely]]
      make_room(now);
    insert(starts_, {start, amount});
    insert(ends_, {end, amount});
  }

  void start(Picoseconds when);
  void stop(Picoseconds when);
  [[nodiscard]] bool is_running() const noexcept { return running_; }

  /// @return the requests whose start lies before `when`, modulo 2^width.
  [[nodiscard]] std::uint64_t requests(Picoseconds when) const { return low(state_at(when).requests) & maximum_; }
  /// @return the sum of outstanding requests over the clock edges before `when`, modulo 2^width.
  [[nodiscard]] std::uint64_t occupancy(Picoseconds when) const { return low(state_at(when).occupancy) & maximum_; }
  /// @return true if the request counter wrapped before `when` and since the last clear().
  [[nodiscard]] bool requests_overflowed(Picoseconds when) const;
  [[nodiscard]] bool occupancy_overflowed(Picoseconds when) const;

  /// Set the counters and clear the overflow status. Requests under way remain.
  void set_values(std::uint64_t requests, std::uint64_t occupancy, Picoseconds when);
  void clear(Picoseconds when) { set_values(0, 0, when); }
  /// Return to the state after construction: counters zero, stopped, no requests.
  void reset();

 private:
  __extension__ using Wide = unsigned __int128;

  struct Change {
    Picoseconds when;
    std::uint64_t amount;
  };
  using Changes = boost::circular_buffer<Change>;
  struct State {  // up to a point in time
    Wide requests = 0;
    Wide occupancy = 0;  // of the edges before last_edge
    std::uint64_t outstanding = 0;
    std::uint64_t last_edge = 0;  // edges before that point in time, while running
  };

  static std::uint64_t low(Wide value) noexcept { return static_cast<std::uint64_t>(value); }
  static void insert(Changes& changes, const Change& change) {
    if (changes.empty() || changes.back().when <= change.when) [[likely]] {
      changes.push_back(change);
    } else {
      insert_sorted(changes, change);
    }
  }
  static void insert_sorted(Changes& changes, const Change& change);
  void make_room(Picoseconds now);
  void pass_time(State& state, Picoseconds when) const;
  void start_requests(State& state, const Change& change) const;
  void end_requests(State& state, const Change& change) const;
  void settle(Picoseconds when) const;  // no visible change
  [[nodiscard]] State state_at(Picoseconds when) const;

  const ClockDomain* clock_;
  std::uint64_t maximum_;
  bool running_ = false;
  // The sum of all requests folded in so far. When that happens is not visible, hence mutable.
  mutable State state_;
  mutable Changes starts_;  // not yet folded into state_, sorted by time
  mutable Changes ends_;
};

}  // namespace pmufab
