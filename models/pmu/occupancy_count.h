// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "models/pmu/alarm.h"
#include "models/pmu/busy_clocks.h"
#include "models/pmu/clock_condition.h"
#include "models/pmu/outstanding_requests.h"

namespace pmufab {

/// The arithmetic of a counter of 1 to 64 bits that adds, at each clock edge, how many of the selected requests are
/// outstanding. Value and time of overflow are computed; nothing is stepped.
///
/// Windows are half open, as for CycleCount: running from `on` to `off` counts the edges in [on, off), and at each of
/// them the requests with start <= edge < end, including those that started before `on`. The value at an instant does
/// not include an edge of that instant. A wrap can be seen one picosecond after its edge.
class OccupancyCount {
 public:
  /// Called within OutstandingRequests::add() when a request brings an overflow into sight, or forward. next_overflow()
  /// then returns a new time.
  using OnOverflowNearer = void (*)(void* context);

  /// @throws std::invalid_argument if the width is not 1 ... 64
  explicit OccupancyCount(unsigned width);
  ~OccupancyCount();
  OccupancyCount& operator=(OccupancyCount&&) = delete;

  /// Count these requests, which must outlive this object. Only while stopped.
  void select(OutstandingRequests& requests, const OutstandingRequests::Selection& selection) noexcept {
    requests_ = &requests;
    selection_ = selection;
  }
  /// Count edges at which so many are outstanding, in place of their number. Only while stopped.
  /// @param settings  not inverted
  void use(const ClockCondition::Settings& settings) noexcept { settings_ = settings; }
  void on_overflow_nearer(OnOverflowNearer function, void* context) noexcept {
    on_nearer_ = function;
    context_ = context;
  }

  /// Call it after select().
  void start(Picoseconds when);
  void stop(Picoseconds when);
  [[nodiscard]] bool is_running() const noexcept { return running_; }
  [[nodiscard]] std::uint64_t value(Picoseconds when) const noexcept;
  void set_value(std::uint64_t value, Picoseconds when) noexcept;
  [[nodiscard]] std::uint64_t maximum() const noexcept { return maximum_; }

  /// @return the first instant after `when` at which the value has wrapped once more, by the requests added so far;
  ///         kNever if it does not wrap or is stopped. From now on on_overflow_nearer() reports changes.
  [[nodiscard]] Picoseconds next_overflow(Picoseconds when);
  /// Do not report overflows until next_overflow() is called again.
  void forget_overflow() noexcept {
    headroom_ = ~std::uint64_t{0};
    forecast_.reset();
    is_awaited_ = false;
  }

 private:
  friend class OutstandingRequests;
  void tell(std::uint64_t first, std::uint64_t end);
  void tell_busy(std::uint64_t first, std::uint64_t end);
  [[nodiscard]] Picoseconds next_busy_overflow(std::uint64_t edge);
  [[nodiscard]] std::uint64_t edge_at(Picoseconds when) const noexcept;
  /// @return whether the overflow in sight comes at an earlier edge now
  bool bring_forward(std::uint64_t first, std::uint64_t end);
  [[nodiscard]] Picoseconds time_of_forecast() const noexcept;

  /// An overflow in sight. Requests that are added can only bring it forward, so each needs but the changes that it
  /// skips, and not all requests once more.
  struct Forecast {
    std::uint64_t begin;        // the sum begins at this edge
    std::uint64_t edge;         // at which the value wraps
    std::uint64_t excess;       // of the sum, that edge included, over what the value had left: 1 ... outstanding
    std::uint64_t outstanding;  // requests at that edge
    std::map<std::uint64_t, std::int64_t> changes;  // of their number, by the edge that is the first to have it
  };

  OutstandingRequests* requests_ = nullptr;
  OutstandingRequests::Selection selection_;
  std::uint64_t maximum_;
  // While running: the value after all requests added so far have ended, modulo 2^64. While stopped: the value.
  std::uint64_t total_ = 0;
  std::uint64_t since_ = 0;     // first edge that counts: the edge of the start, or of the last set value
  std::uint64_t headroom_ = 0;  // the amount total_ can still take before an overflow comes into sight
  std::optional<Forecast> forecast_;
  // With settings, total_ is the value at the edge since_, and busy_ counts from there on.
  ClockCondition::Settings settings_;
  BusyClocks busy_;
  std::uint64_t last_end_ = 0;  // of the requests that busy_ has
  bool is_awaited_ = false;     // the owner wants to know of its overflows
  bool running_ = false;
  OnOverflowNearer on_nearer_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace pmufab
