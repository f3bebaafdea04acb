#pragma once

#include <cstddef>
#include <cstdint>

#include <boost/circular_buffer.hpp>

#include "models/pmu/alarm.h"

namespace pmufab {

class Counter;

/// The wires over which wraps of small counters travel to big ones, with one latency for all.
///
/// Carries under way wait in a queue; only the next arrival is a SystemC notification. With latency 0 a carry arrives
/// in the call.
class CarryPath {
 public:
  /// @param capacity  carries under way for which room is made at once; more make the queue grow
  explicit CarryPath(Picoseconds latency, std::size_t capacity = 64);

  /// Add `amount` to `target` at `when` + latency.
  void send(Counter& target, std::uint64_t amount, Picoseconds when);
  /// Deliver what arrives up to `when`: for an access ahead of simulated time.
  void settle(Picoseconds when);
  /// Forget what is under way.
  void clear();
  [[nodiscard]] std::size_t under_way() const noexcept { return carries_.size(); }
  [[nodiscard]] Picoseconds latency() const noexcept { return latency_; }

 private:
  struct Carry {
    Picoseconds arrival;
    Counter* target;
    std::uint64_t amount;
  };

  Picoseconds latency_;
  boost::circular_buffer<Carry> carries_;  // by arrival
  Alarm alarm_;
};

}  // namespace pmufab
