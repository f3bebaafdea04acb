// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "models/pmu/clock_condition.h"
#include "testbench/support/simulation_test.h"
#include "tlm/probe/probe.h"

namespace pmufab::pmu_clock_condition_test {
namespace {

using PmuClockCondition = testing::SimulationTest;

/// Looks at every clock. It adds the raw events since the edge before (or since the window opened), then applies the
/// condition.
struct Stepped {
  struct Event {
    Picoseconds when;
    std::uint64_t amount;
    std::size_t window;  // of its publication
  };
  const ClockDomain& clock;
  ClockCondition::Settings settings;
  std::vector<Event> events{};  // those published while it ran
  std::vector<std::pair<Picoseconds, Picoseconds>> windows{};

  [[nodiscard]] std::uint64_t raw_between(std::size_t window, Picoseconds from, Picoseconds to) const {
    std::uint64_t sum = 0;
    for (const Event& event : events) {
      if (event.window == window && from <= event.when && event.when < to) sum += event.amount;
    }
    return sum;
  }
  [[nodiscard]] std::uint64_t increments(Picoseconds when) const {
    std::uint64_t count = 0;
    for (std::size_t window = 0; window < windows.size(); ++window) {
      const auto& [on, off] = windows[window];
      if (settings.threshold == 0 && !settings.edge) {
        count += raw_between(window, 0, when + 1);  // immediately
        continue;
      }
      bool before = false;
      for (std::uint64_t edge = 0; clock.time_of_edge(edge) < std::min(off, when); ++edge) {
        const Picoseconds sample = clock.time_of_edge(edge);
        if (sample < on) continue;
        const std::uint64_t raw = raw_between(window, edge == 0 ? 0 : clock.time_of_edge(edge - 1), sample);
        bool condition = raw > 0;
        if (settings.threshold > 0) condition = settings.invert ? raw <= settings.threshold : raw >= settings.threshold;
        if (settings.edge ? condition && !before : condition) ++count;
        before = condition;
      }
    }
    return count;
  }
};

TEST_F(PmuClockCondition, equals_stepping_each_clock_over_random_traffic) {
  for (unsigned seed = 1; seed <= 120; ++seed) {
    std::mt19937 random(seed);
    const auto pick = [&](std::uint64_t bound) { return std::uint64_t{random()} % bound; };
    const ClockDomain clock("clk", seed % 3 == 0 ? 1'000'000'000 : 1'700'000'001);
    const ClockCondition::Settings settings{.threshold = pick(4), .invert = pick(2) == 0, .edge = pick(2) == 0};
    ClockCondition condition(clock);
    condition.configure(settings);
    EventSink sink(64);
    condition.set_output(&sink);
    Probe probe("p");
    Stepped stepped{clock, settings};
    Picoseconds now = 0;
    const auto total = [&] { return sink.value() + condition.unsettled(now); };
    for (int step = 0; step < 300; ++step) {
      now += pick(3) == 0 ? 0 : pick(4) == 0 ? 1000 * pick(9) : pick(900);
      switch (pick(12)) {
        case 0:
          if (condition.is_running()) {
            probe.unwatch(condition.input());
            condition.stop(now);
            stepped.windows.back().second = now;
          } else {
            condition.start(now);
            probe.watch(condition.input(), 1);
            stepped.windows.emplace_back(now, ~Picoseconds{0});
          }
          break;
        case 1:
          condition.settle(now);
          ASSERT_EQ(condition.unsettled(now), 0U);
          break;
        case 2: {  // without further events, the increments come when they were announced
          const std::uint64_t present = sink.value();
          const std::uint64_t wanted = 1 + pick(3);
          const Picoseconds when = condition.time_of_increments(wanted);
          if (when == kNever) {
            // Raw events come immediately. Without an event the condition of the other counters does not change any
            // more.
            EXPECT_LT(stepped.increments(now + 20'000), present + wanted) << seed << " step " << step;
          } else {
            EXPECT_GE(stepped.increments(when), present + wanted) << seed << " step " << step;
            EXPECT_LT(stepped.increments(when - 1), present + wanted) << seed << " step " << step;
          }
          break;
        }
        case 3:
          ASSERT_EQ(total(), stepped.increments(now))
              << seed << " step " << step << " threshold " << settings.threshold << settings.invert << settings.edge;
          break;
        default: {
          const std::uint64_t amount = 1 + pick(3);
          probe.publish(amount, 0, now);
          if (condition.is_running()) stepped.events.push_back({now, amount, stepped.windows.size() - 1});
        }
      }
    }
    now += 12'345;
    ASSERT_EQ(total(), stepped.increments(now)) << seed;
  }
}

TEST_F(PmuClockCondition, inverted_counts_idle_clocks_without_stepping_them) {
  const ClockDomain clock("clk", 1'000'000'000);
  ClockCondition condition(clock);
  condition.configure({.threshold = 1, .invert = true, .edge = false});
  EventSink sink(64);
  condition.set_output(&sink);
  condition.start(0);
  constexpr Picoseconds kHour = 3600ULL * 1'000'000'000'000;
  EXPECT_EQ(condition.unsettled(kHour), 3600ULL * 1'000'000'000);
  EXPECT_EQ(condition.time_of_increments(1'000'000'000), 999'999'999'001U);
  condition.input().add(2, 500);  // one busy clock
  condition.settle(kHour);
  EXPECT_EQ(sink.value(), 3600ULL * 1'000'000'000 - 1);
}

TEST_F(PmuClockCondition, stopping_at_an_instant_ahead_leaves_out_what_lies_behind) {
  const ClockDomain clock("clk", 1'000'000'000);
  for (const std::uint64_t threshold : {0U, 1U}) {
    ClockCondition condition(clock);
    condition.configure({.threshold = threshold, .invert = false, .edge = false});
    EventSink sink(64);
    condition.set_output(&sink);
    condition.start(0);
    condition.stop_at(3'000);
    condition.stop_at(9'000);
    for (const Picoseconds when : {100U, 1'100U, 2'100U, 3'000U, 3'100U}) condition.input().add(1, when);
    EXPECT_EQ(sink.value() + condition.unsettled(20'000), threshold == 0 ? 3U : 2U);
    EXPECT_EQ(condition.time_of_increments(1), kNever);
    condition.stop(20'000);
    EXPECT_EQ(sink.value(), threshold == 0 ? 3U : 2U);
    condition.start(20'000);
    condition.input().add(1, 20'000);
    condition.settle(30'000);
    EXPECT_EQ(sink.value(), threshold == 0 ? 4U : 3U);
  }
}

TEST_F(PmuClockCondition, the_first_wrap_of_a_bunch_is_told_with_its_own_time) {
  const ClockDomain clock("clk", 1'000'000'000);
  ClockCondition condition(clock);
  condition.configure({.threshold = 1, .invert = true, .edge = false});
  EventSink sink(8);
  std::vector<std::pair<std::uint64_t, Picoseconds>> wraps;
  sink.on_wrap([](void* context, std::uint64_t count,
                  Picoseconds when) { static_cast<decltype(wraps)*>(context)->emplace_back(count, when); },
               &wraps);
  condition.set_output(&sink);
  unsigned asked = 0;
  condition.on_last_increment([](void* context, Picoseconds /*when*/) { ++*static_cast<unsigned*>(context); }, &asked);
  sink.set_value(250);
  condition.start(0);
  condition.settle(1'000'001);  // a thousand and one edges
  EXPECT_EQ(sink.value(), (250 + 1'001) % 256);
  ASSERT_EQ(wraps.size(), 2U);
  EXPECT_EQ(wraps[0], (std::pair<std::uint64_t, Picoseconds>{1, 5'001}));
  EXPECT_EQ(wraps[1].first, 3U);
  condition.input().add(2, 1'000'500);
  EXPECT_EQ(asked, 0U);
  sink.set_value(255);
  condition.input().add(2, 1'000'500);
  EXPECT_EQ(asked, 1U);
}

TEST_F(PmuClockCondition, raw_passes_amounts_of_any_size_at_once) {
  const ClockDomain clock("clk", 1'000'000'000);
  ClockCondition condition(clock);
  EventSink sink(64);
  condition.set_output(&sink);
  condition.input().add(5, 10);  // not running
  condition.start(20);
  for (const std::uint64_t amount : {1ULL, 7ULL, 1ULL << 40, 1ULL << 63}) {
    sink.set_value(0);
    condition.input().add(amount, 20);
    EXPECT_EQ(sink.value(), amount);
  }
  EXPECT_EQ(condition.time_of_increments(1), kNever);
}

}  // namespace
}  // namespace pmufab::pmu_clock_condition_test
