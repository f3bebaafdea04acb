// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <ctime>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "models/pmu/alarm.h"
#include "models/pmu/occupancy_accumulator.h"
#include "models/pmu/occupancy_count.h"
#include "models/pmu/outstanding_requests.h"
#include "testbench/support/simulation_test.h"

namespace pmufab::pmu_occupancy_test {
namespace {

using PmuOccupancy = testing::SimulationTest;

/// Looks at every clock edge and every request.
struct Stepped {
  struct Request {
    Picoseconds start, end;
    std::uint64_t amount;
  };
  const ClockDomain& clock;
  std::vector<Request> requests{};
  std::vector<std::pair<Picoseconds, Picoseconds>> windows{};  // the last one may be open: end = all ones

  [[nodiscard]] bool runs_at(Picoseconds when) const {
    return std::any_of(windows.begin(), windows.end(),
                       [&](const auto& window) { return window.first <= when && when < window.second; });
  }
  [[nodiscard]] std::uint64_t count(Picoseconds from, Picoseconds to) const {
    std::uint64_t sum = 0;
    for (const Request& request : requests) {
      if (from <= request.start && request.start < to && runs_at(request.start)) sum += request.amount;
    }
    return sum;
  }
  [[nodiscard]] std::uint64_t occupancy(Picoseconds from, Picoseconds to) const {
    std::uint64_t sum = 0;
    for (std::uint64_t edge = 0; clock.time_of_edge(edge) < to; ++edge) {
      const Picoseconds when = clock.time_of_edge(edge);
      if (when < from || !runs_at(when)) continue;
      for (const Request& request : requests) {
        if (request.start <= when && when < request.end) sum += request.amount;
      }
    }
    return sum;
  }
};

TEST_F(PmuOccupancy, narrow_counters_wrap_and_say_so_until_cleared) {
  const ClockDomain clock("clk", 1'000'000'000);
  OccupancyAccumulator accumulator(clock, 16);
  accumulator.start(0);
  accumulator.add(0, 0, 65'536'000, 1);
  EXPECT_EQ(accumulator.occupancy(65'535'000), 65535U);
  EXPECT_FALSE(accumulator.occupancy_overflowed(65'535'000));
  EXPECT_TRUE(accumulator.occupancy_overflowed(65'535'001));
  EXPECT_EQ(accumulator.occupancy(65'535'001), 0U);
  EXPECT_FALSE(accumulator.requests_overflowed(65'535'001));
  accumulator.set_values(0xffff, 7, 70'000'000);
  EXPECT_FALSE(accumulator.occupancy_overflowed(70'000'000));
  accumulator.add(70'000'000, 70'000'000, 70'000'000, 3);  // takes no time
  EXPECT_EQ(accumulator.requests(70'000'001), 2U);
  EXPECT_TRUE(accumulator.requests_overflowed(70'000'001));
  EXPECT_EQ(accumulator.occupancy(80'000'000), 7U);
  accumulator.reset();
  EXPECT_FALSE(accumulator.is_running());
  EXPECT_EQ(accumulator.requests(90'000'000), 0U);
  EXPECT_FALSE(accumulator.requests_overflowed(90'000'000));
  EXPECT_THROW(OccupancyAccumulator(clock, 0), std::invalid_argument);
}

/// Requests, windows, reads and clears in random order; every read is compared with Stepped.
void compare_with_stepping(bool ends_in_order, bool simulated) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    std::mt19937 random(seed);
    const auto pick = [&](std::uint64_t bound) { return std::uint64_t{random()} % bound; };
    const ClockDomain clock("clk", seed % 2 == 0 ? 1'000'000'000 : 2'333'333'333);
    OccupancyAccumulator accumulator(clock, 64, 1 + pick(8));
    Stepped stepped{clock};
    const Picoseconds origin = simulated ? testing::now() : 0;
    Picoseconds now = origin;
    Picoseconds since = origin;  // last clear
    Picoseconds last_start = 0;
    Picoseconds last_end = 0;
    for (int step = 0; step < 400; ++step) {
      const Picoseconds pause = pick(4) == 0 ? 0 : pick(3) == 0 ? 1000 * pick(4) : pick(2500);
      now += pause;
      if (simulated && now > testing::now()) testing::advance_to(now);
      switch (pick(8)) {
        case 0:
          if (accumulator.is_running()) {
            accumulator.stop(now);
            stepped.windows.back().second = now;
          } else {
            accumulator.start(now);
            stepped.windows.emplace_back(now, ~Picoseconds{0});
          }
          break;
        case 1:
          ASSERT_EQ(accumulator.requests(now), stepped.count(since, now)) << seed << " step " << step;
          ASSERT_EQ(accumulator.occupancy(now), stepped.occupancy(since, now)) << seed << " step " << step;
          break;
        case 2:
          if (pick(10) == 0) {
            accumulator.clear(now);
            since = now;
          }
          break;
        default: {
          const Picoseconds start = std::max(last_start, now + pick(3) * 500);
          Picoseconds end = start + (pick(20) == 0 ? 0 : pick(9000));
          if (ends_in_order) end = std::max(end, last_end);
          last_start = start;
          last_end = end;
          const std::uint64_t amount = 1 + pick(4);
          accumulator.add(now, start, end, amount);
          stepped.requests.push_back({start, end, amount});
        }
      }
    }
    now += 100'000;  // all requests have ended
    ASSERT_EQ(accumulator.requests(now), stepped.count(since, now)) << seed;
    ASSERT_EQ(accumulator.occupancy(now), stepped.occupancy(since, now)) << seed;
  }
}

TEST_F(PmuOccupancy, equals_stepping_each_clock_with_ends_in_order) { compare_with_stepping(true, false); }

TEST_F(PmuOccupancy, equals_stepping_each_clock_with_ends_out_of_order) { compare_with_stepping(false, false); }

TEST_F(PmuOccupancy, equals_stepping_each_clock_while_simulated_time_passes) {
  run([&] { compare_with_stepping(true, true); });
}

/// A counter whose overflow is foreseen, and one of the same requests that never wraps.
struct Foreseen {
  explicit Foreseen(const ClockDomain& clock, unsigned width) : requests(clock), count(width), whole(64) {
    for (OccupancyCount* const one : {&count, &whole}) {
      one->select(requests, {});
      one->start(0);
    }
    count.on_overflow_nearer([](void* context) { static_cast<Foreseen*>(context)->is_known = false; }, this);
  }
  void set_value(std::uint64_t value, Picoseconds when) {
    count.set_value(value, when);
    is_known = false;
  }
  /// As a PMU does, ask only if something has changed.
  void look(Picoseconds when) {
    if (!is_known || time <= when) time = count.next_overflow(when);
    is_known = true;
  }
  /// @return true if the counter wraps at `time` for the first time after `when`
  [[nodiscard]] bool is_right(Picoseconds when) const {
    constexpr Picoseconds kAfterAll = 1'000'000'000'000;
    const std::uint64_t room = count.maximum() - count.value(when);
    const auto more_until = [&](Picoseconds until) { return whole.value(until) - whole.value(when); };
    if (time == kNever) return more_until(kAfterAll) <= room;
    return time > when && more_until(time) > room && more_until(time - 1) <= room;
  }

  OutstandingRequests requests;
  OccupancyCount count;
  OccupancyCount whole;
  bool is_known = false;  // nothing has changed `time`
  Picoseconds time = 0;
};

TEST_F(PmuOccupancy, requests_bring_an_overflow_in_sight_forward_to_where_the_counter_wraps) {
  unsigned nearer = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::mt19937 random(seed);
    const auto pick = [&](std::uint64_t bound) { return std::uint64_t{random()} % bound; };
    const ClockDomain clock("clk", seed % 2 == 0 ? 1'000'000'000 : 2'333'333'333);
    Foreseen counts(clock, 8 + static_cast<unsigned>(pick(5)));
    Picoseconds now = simulated_time();  // of the test before
    for (int step = 0; step < 300; ++step) {
      now += pick(3) == 0 ? pick(4'000) : 0;
      if (pick(20) == 0) counts.set_value(pick(counts.count.maximum() + 1), now);
      if (pick(30) == 0) {  // as by an access ahead of time
        static_cast<void>(counts.count.next_overflow(now + pick(9'000)));
        counts.is_known = false;
      }
      counts.look(now);
      ASSERT_TRUE(counts.is_right(now)) << seed << " step " << step;
      const Picoseconds before = counts.time;
      const Picoseconds start = now + (pick(3) == 0 ? pick(20'000) : 0);
      counts.requests.add(start, start + pick(60'000), 0, 0);
      counts.look(now);
      nearer += counts.time < before && before != kNever ? 1 : 0;
      ASSERT_TRUE(counts.is_right(now)) << seed << " step " << step;
    }
  }
  EXPECT_GT(nearer, 1'000U);
}

TEST_F(PmuOccupancy, many_requests_may_be_outstanding_while_an_overflow_is_in_sight) {
  const ClockDomain clock("clk", 1'000'000'000);
  Foreseen counts(clock, 28);
  constexpr std::uint64_t kRequests = 30'000;
  constexpr Picoseconds kEach = 40'000'000;
  const Picoseconds now = simulated_time();
  const std::clock_t begin = std::clock();
  for (std::uint64_t i = 0; i < kRequests; ++i) {
    counts.requests.add(now + i * 10, now + kEach + i * 1'000, 0, 0);
    counts.look(now);
  }
  EXPECT_TRUE(counts.is_right(now));
  EXPECT_NE(counts.time, kNever);
  // Looking at all of them for each takes minutes.
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 10.0);
}

}  // namespace
}  // namespace pmufab::pmu_occupancy_test
