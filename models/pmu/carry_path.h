// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <boost/circular_buffer.hpp>

#include "models/pmu/alarm.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab {

class Counter;

/// The wires over which wraps of small counters travel to big ones, all with the same latency. Optionally they end in a
/// queue that passes a limited number per clock.
///
/// Carries under way wait in a ring; only the next arrival is a SystemC notification. With latency 0 and no queue, a
/// carry arrives within the call.
class CarryPath {
 public:
  /// A queue at the end of the wires.
  struct Queue {
    const ClockDomain* clock = nullptr;  ///< carries leave the queue at its edges; must outlive the path
    unsigned per_cycle = 1;              ///< carries that leave it per clock edge; at least 1
    std::size_t room = 0;                ///< carries that can wait; with a full queue a carry is lost. 0: unlimited
  };

  /// @param capacity  carries under way that the ring has room for; it grows when there are more
  explicit CarryPath(Picoseconds latency, std::size_t capacity = 64);
  /// With a queue, a carry leaves at the first clock edge, not before its arrival, at which fewer than `per_cycle`
  /// carries leave. Carries enter the queue in the order of the calls, so calls must not run backwards in time.
  /// @throws std::invalid_argument if the queue has no clock or `per_cycle` is 0
  CarryPath(Picoseconds latency, const Queue& queue, std::size_t capacity = 64);

  /// Add `amount` to `target` at `when` + latency (with a queue, when the carry leaves it).
  void send(Counter& target, std::uint64_t amount, Picoseconds when) {
    if (latency_ == 0 && queue_.clock == nullptr) [[likely]] {
      deliver(target, amount, when);
    } else {
      take(target, amount, when);
    }
  }
  /// Deliver everything that arrives up to `when`, for an access ahead of simulated time.
  void settle(Picoseconds when);
  /// Drop all carries under way.
  void clear();
  [[nodiscard]] std::size_t under_way() const noexcept { return carries_.size(); }
  [[nodiscard]] Picoseconds latency() const noexcept { return latency_; }
  /// @return carries that found the queue full, since construction. For debugging: no register shows it.
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_; }
  /// @return the largest number of carries that ever waited in the queue.
  [[nodiscard]] std::size_t longest_queue() const noexcept { return longest_queue_; }

 private:
  struct Carry {
    Picoseconds arrival;  // at the target
    Counter* target;
    std::uint64_t amount;
  };

  static void deliver(Counter& target, std::uint64_t amount, Picoseconds when);
  void take(Counter& target, std::uint64_t amount, Picoseconds when);
  void enqueue(Counter& target, Picoseconds arrival);
  void append(const Carry& carry);

  Picoseconds latency_;
  Queue queue_{};
  boost::circular_buffer<Carry> carries_;  // by arrival
  Alarm alarm_;
  std::uint64_t next_edge_ = 0;  // edge of the queue's clock at which the last carry so far leaves
  unsigned leaving_ = 0;         // carries that leave at that edge
  std::uint64_t lost_ = 0;
  std::size_t longest_queue_ = 0;
};

}  // namespace pmufab
