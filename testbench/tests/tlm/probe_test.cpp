// SPDX-License-Identifier: Apache-2.0
#include "tlm/probe/probe.h"

#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "testbench/support/interrupt_probe.h"
#include "tlm/probe/event_sink.h"

namespace pmufab {
namespace {

__extension__ using Wide = unsigned __int128;
constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kAll = kMost;

struct Wraps {
  std::uint64_t total = 0;
  unsigned calls = 0;
  Picoseconds last = 0;

  static void count(void* context, std::uint64_t wraps, Picoseconds when) {
    auto& self = *static_cast<Wraps*>(context);
    self.total += wraps;
    ++self.calls;
    self.last = when;
  }
};

class EventSinkOfWidth : public ::testing::TestWithParam<unsigned> {};

TEST_P(EventSinkOfWidth, reaches_its_maximum_silently_and_wraps_to_zero_at_the_next_event) {
  EventSink sink(GetParam());
  Wraps wraps;
  sink.on_wrap(&Wraps::count, &wraps);
  const std::uint64_t maximum = static_cast<std::uint64_t>((Wide{1} << GetParam()) - 1);
  EXPECT_EQ(sink.maximum(), maximum);
  sink.add(maximum, 1);
  EXPECT_EQ(sink.value(), maximum);
  EXPECT_EQ(wraps.calls, 0U);
  sink.add(1, 7);
  EXPECT_EQ(sink.value(), 0U);
  EXPECT_EQ(wraps.calls, 1U);
  EXPECT_EQ(wraps.total, 1U);
  EXPECT_EQ(wraps.last, 7U);
}

TEST_P(EventSinkOfWidth, keeps_the_sum_modulo_its_range_and_counts_every_wrap) {
  const unsigned width = GetParam();
  EventSink sink(width);
  Wraps wraps;
  sink.on_wrap(&Wraps::count, &wraps);
  std::mt19937_64 random(width);
  Wide sum = 0;
  Wide wrapped = 0;
  std::uint64_t seen = 0;
  for (int i = 0; i < 1'000; ++i) {
    const std::uint64_t amount = i % 50 == 0 ? kMost - random() % 3 : random() >> (random() % 64);
    sum += amount;
    sink.add(amount, static_cast<Picoseconds>(i));
    wrapped += wraps.total - seen;  // each call's count fits 64 bits; their sum may not
    seen = wraps.total;
    ASSERT_EQ(sink.value(), static_cast<std::uint64_t>(sum & ((Wide{1} << width) - 1)));
    ASSERT_TRUE(wrapped == sum >> width) << "after addition " << i;
  }
}

TEST_P(EventSinkOfWidth, counts_several_wraps_of_one_addition_in_one_call) {
  const unsigned width = GetParam();
  EventSink sink(width);
  Wraps wraps;
  sink.on_wrap(&Wraps::count, &wraps);
  sink.set_value(kMost);  // becomes the maximum
  EXPECT_EQ(sink.value(), sink.maximum());
  sink.add(kMost, 3);
  const Wide sum = Wide{sink.maximum()} + kMost;
  EXPECT_EQ(wraps.calls, 1U);
  EXPECT_EQ(wraps.total, static_cast<std::uint64_t>(sum >> width));
  EXPECT_EQ(sink.value(), static_cast<std::uint64_t>(sum) & sink.maximum());
}

TEST_P(EventSinkOfWidth, drops_bits_beyond_its_width_when_set_without_reporting_a_wrap) {
  EventSink sink(GetParam());
  Wraps wraps;
  sink.on_wrap(&Wraps::count, &wraps);
  const std::uint64_t pattern = 0xa5a5'5a5a'c3c3'3c3d;
  sink.set_value(pattern);
  EXPECT_EQ(Wide{sink.value()}, Wide{pattern} % (Wide{1} << GetParam()));
  EXPECT_EQ(wraps.calls, 0U);
}

TEST_P(EventSinkOfWidth, wraps_quietly_without_a_hook) {
  EventSink sink(GetParam());
  Wraps wraps;
  sink.on_wrap(&Wraps::count, &wraps);
  sink.on_wrap(nullptr, nullptr);
  sink.set_value(kMost);
  sink.add(1, 0);
  EXPECT_EQ(sink.value(), 0U);
  EXPECT_EQ(wraps.calls, 0U);
}

INSTANTIATE_TEST_SUITE_P(EveryWidth, EventSinkOfWidth, ::testing::Range(1U, 65U));

TEST(EventSink, shows_the_wrapped_value_to_its_hook_which_may_set_another) {
  EventSink sink(8);
  sink.on_wrap(
      [](void* context, std::uint64_t, Picoseconds) {
        auto& self = *static_cast<EventSink*>(context);
        EXPECT_EQ(self.value(), 4U);
        self.set_value(200);
      },
      &sink);
  sink.set_value(250);
  sink.add(10, 0);
  EXPECT_EQ(sink.value(), 200U);
}

TEST(Probe, tallies_events_nobody_watches) {
  Probe probe("ucf.slc_access");
  probe.publish(3, 0, 10);
  probe.publish(4, 63, 20);
  EXPECT_EQ(probe.tally(), 7U);
  EXPECT_EQ(probe.name(), "ucf.slc_access");
}

TEST(Probe, adds_only_the_qualifiers_a_watch_names) {
  for (unsigned wanted = 0; wanted < 64; ++wanted) {
    Probe probe("p");
    EventSink one;
    EventSink others;
    EventSink all;
    EventSink none;
    probe.watch(one, std::uint64_t{1} << wanted);
    probe.watch(others, ~(std::uint64_t{1} << wanted));
    probe.watch(all, kAll);
    probe.watch(none, 0);
    std::uint64_t sum = 0;
    for (unsigned qualifier = 0; qualifier < 64; ++qualifier) {
      probe.publish(qualifier + 1, qualifier, 0);
      sum += qualifier + 1;
    }
    ASSERT_EQ(one.value(), wanted + 1);
    ASSERT_EQ(others.value(), sum - wanted - 1);
    ASSERT_EQ(all.value(), sum);
    ASSERT_EQ(none.value(), 0U);
  }
}

TEST(Probe, watching_again_replaces_the_mask_and_does_not_count_twice) {
  Probe probe("p");
  EventSink sink;
  probe.watch(sink, 0b01);
  probe.watch(sink, 0b10);
  probe.publish(1, 0, 0);
  EXPECT_EQ(sink.value(), 0U);
  probe.publish(5, 1, 0);
  EXPECT_EQ(sink.value(), 5U);
}

TEST(Probe, stops_adding_when_unwatched_and_leaves_the_others_alone) {
  Probe probe("p");
  std::vector<EventSink> sinks(5);
  for (EventSink& sink : sinks) probe.watch(sink, kAll);
  probe.publish(1, 0, 0);
  probe.unwatch(sinks[2]);
  probe.unwatch(sinks[2]);  // nothing happens
  probe.publish(1, 0, 0);
  probe.unwatch(sinks[4]);
  probe.publish(1, 0, 0);
  probe.watch(sinks[2], kAll);
  probe.publish(1, 0, 0);
  for (EventSink& sink : sinks) probe.unwatch(sink);
  probe.publish(1, 0, 0);
  std::vector<std::uint64_t> values;
  for (const EventSink& sink : sinks) values.push_back(sink.value());
  EXPECT_EQ(values, (std::vector<std::uint64_t>{4, 4, 2, 4, 2}));
  EXPECT_EQ(probe.tally(), 5U);
}

TEST(Probe, ignores_the_unwatching_of_a_sink_that_never_watched) {
  Probe probe("p");
  EventSink watching;
  EventSink stranger;
  probe.watch(watching, kAll);
  probe.unwatch(stranger);
  probe.publish(1, 0, 0);
  EXPECT_EQ(watching.value(), 1U);
  EXPECT_EQ(stranger.value(), 0U);
}

TEST(Probe, lets_one_sink_watch_several_probes) {
  Probe first("a");
  Probe second("b");
  EventSink sink;
  first.watch(sink, kAll);
  second.watch(sink, kAll);
  first.publish(2, 0, 0);
  second.publish(3, 0, 0);
  EXPECT_EQ(sink.value(), 5U);
  first.unwatch(sink);
  first.publish(2, 0, 0);
  second.publish(3, 0, 0);
  EXPECT_EQ(sink.value(), 8U);
}

// A counter that freezes all counters at its overflow removes every sink, including its own, during an event.
struct Freezer {
  Probe& probe;
  std::vector<EventSink>& sinks;

  static void freeze(void* context, std::uint64_t, Picoseconds) {
    auto& self = *static_cast<Freezer*>(context);
    for (EventSink& sink : self.sinks) self.probe.unwatch(sink);
  }
};

TEST(Probe, survives_a_wrap_that_unwatches_everything) {
  for (std::size_t which = 0; which < 4; ++which) {
    Probe probe("p");
    std::vector<EventSink> sinks(4, EventSink(8));
    Freezer freezer{probe, sinks};
    for (EventSink& sink : sinks) probe.watch(sink, kAll);
    sinks[which].on_wrap(&Freezer::freeze, &freezer);
    sinks[which].set_value(255);
    probe.publish(1, 0, 0);
    for (std::size_t i = 0; i < sinks.size(); ++i) {
      // Sinks before the wrapping one got the event. Later ones were removed before their turn.
      EXPECT_EQ(sinks[i].value(), i < which ? 1U : 0U) << which << ", " << i;
    }
    probe.publish(1, 0, 0);
    EXPECT_EQ(sinks[0].value(), which > 0 ? 1U : 0U);
    EXPECT_EQ(probe.tally(), 2U);
  }
}

// A counter that stops itself at its overflow must not keep the event from those behind it.
struct SelfStopper {
  Probe& probe;
  EventSink& sink;

  static void stop(void* context, std::uint64_t, Picoseconds) {
    const auto& self = *static_cast<SelfStopper*>(context);
    self.probe.unwatch(self.sink);
  }
};

TEST(Probe, gives_the_event_to_every_other_sink_when_a_wrap_unwatches_its_own) {
  for (std::size_t which = 0; which < 4; ++which) {
    Probe probe("p");
    std::vector<EventSink> sinks(4, EventSink(8));
    SelfStopper stopper{probe, sinks[which]};
    for (EventSink& sink : sinks) probe.watch(sink, kAll);
    sinks[which].on_wrap(&SelfStopper::stop, &stopper);
    sinks[which].set_value(255);
    probe.publish(1, 0, 0);
    probe.publish(1, 0, 0);
    for (std::size_t i = 0; i < sinks.size(); ++i)
      EXPECT_EQ(sinks[i].value(), i == which ? 0U : 2U) << which << ", " << i;
  }
}

struct Adder {
  Probe& probe;
  std::vector<EventSink>& more;

  static void add(void* context, std::uint64_t, Picoseconds) {
    auto& self = *static_cast<Adder*>(context);
    for (EventSink& sink : self.more) self.probe.watch(sink, kAll);
  }
};

TEST(Probe, survives_a_wrap_that_adds_watches) {
  Probe probe("p");
  EventSink first(1);
  EventSink second;
  std::vector<EventSink> more(100);
  Adder adder{probe, more};
  probe.watch(first, kAll);
  probe.watch(second, kAll);
  first.on_wrap(&Adder::add, &adder);
  first.set_value(1);
  probe.publish(1, 0, 0);
  EXPECT_EQ(second.value(), 1U);
  const std::uint64_t before = more[99].value();
  probe.publish(1, 0, 0);
  EXPECT_EQ(more[99].value(), before + 1);
}

struct Seen {
  std::uint64_t amount;
  unsigned qualifier;
  Picoseconds when;
  bool operator==(const Seen&) const = default;
};

TEST(Probe, tells_a_log_every_event_by_itself_until_the_log_is_gone) {
  Probe probe("p");
  std::vector<Seen> heard;
  {
    const testing::ProbeLog log(probe, [&](std::uint64_t amount, unsigned qualifier, Picoseconds when) {
      heard.push_back({amount, qualifier, when});
    });
    probe.publish(1, 5, 100);
    probe.publish(2, 5, 150);
    probe.publish(9, 63, 200);
  }
  probe.publish(1, 0, 300);
  EXPECT_FALSE(probe.is_watched());
  EXPECT_EQ(heard, (std::vector<Seen>{{1, 5, 100}, {2, 5, 150}, {9, 63, 200}}));
}

}  // namespace
}  // namespace pmufab
