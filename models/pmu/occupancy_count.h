// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/pmu/alarm.h"
#include "models/pmu/outstanding_requests.h"

namespace pmufab {

/// The arithmetic of a counter of 1 to 64 bits that adds, at each clock edge, how many of the selected requests are
/// outstanding: value and time of overflow computed, nothing stepped.
///
/// Windows are half open, as those of a CycleCount: running from `on` to `off` counts the edges in [on, off), and at
/// each of them the requests with start <= edge < end, also those that started before `on`. The value at an instant
/// does not include an edge of that very instant. A wrap can be seen one picosecond after its edge.
class OccupancyCount {
 public:
  /// Called when a request brings an overflow into sight, or forward: next_overflow() has another answer. From within
  /// OutstandingRequests::add().
  using OnOverflowNearer = void (*)(void* context);

  /// @throws std::invalid_argument if the width is not 1 ... 64
  explicit OccupancyCount(unsigned width);
  ~OccupancyCount();
  OccupancyCount(const OccupancyCount&) = delete;
  OccupancyCount& operator=(const OccupancyCount&) = delete;

  /// Count these requests, which must outlive this. While stopped.
  void select(OutstandingRequests& requests, const OutstandingRequests::Selection& selection) noexcept {
    requests_ = &requests;
    selection_ = selection;
  }
  void on_overflow_nearer(OnOverflowNearer function, void* context) noexcept {
    on_nearer_ = function;
    context_ = context;
  }

  /// After select().
  void start(Picoseconds when);
  void stop(Picoseconds when);
  [[nodiscard]] bool is_running() const noexcept { return running_; }
  [[nodiscard]] std::uint64_t value(Picoseconds when) const noexcept;
  void set_value(std::uint64_t value, Picoseconds when) noexcept;
  [[nodiscard]] std::uint64_t maximum() const noexcept { return maximum_; }

  /// @return the first instant after `when` at which the value has wrapped once more, by the requests told so far;
  ///         kNever if it does not, or is stopped. From now on on_overflow_nearer() tells of changes.
  [[nodiscard]] Picoseconds next_overflow(Picoseconds when) noexcept;
  /// Do not tell of overflows until next_overflow() is asked again.
  void forget_overflow() noexcept { headroom_ = ~std::uint64_t{0}; }

 private:
  friend class OutstandingRequests;
  void tell(std::uint64_t first, std::uint64_t end);
  [[nodiscard]] std::uint64_t edge_at(Picoseconds when) const noexcept;

  OutstandingRequests* requests_ = nullptr;
  OutstandingRequests::Selection selection_;
  std::uint64_t maximum_;
  // While running: the value once all requests told so far have ended, modulo 2^64. While stopped: the value.
  std::uint64_t total_ = 0;
  std::uint64_t since_ = 0;     // first edge that counts, or that has come since the value was set
  std::uint64_t headroom_ = 0;  // what may be added to total_ before an overflow comes into sight
  bool running_ = false;
  OnOverflowNearer on_nearer_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace pmufab
