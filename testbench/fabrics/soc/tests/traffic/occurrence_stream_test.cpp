// SPDX-License-Identifier: Apache-2.0
// Streams of occurrences: when they happen, with which attributes, and when they end.
#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/soc/source.h"
#include "testbench/support/simulation_test.h"
#include "testbench/traffic/producers/occurrence_stream.h"

namespace pmufab::traffic::occurrence_stream_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::Le;
using ::testing::SizeIs;

struct Seen {
  Occurrence occurrence;
  Picoseconds when;
};

class Listener final : public OccurrenceObserver {
 public:
  void on_occurrence(unsigned /*source*/, const Occurrence& occurrence, Picoseconds when) override {
    seen.push_back({occurrence, when});
  }
  [[nodiscard]] std::vector<Picoseconds> times() const {
    std::vector<Picoseconds> times;
    for (const Seen& one : seen) times.push_back(one.when);
    return times;
  }
  std::vector<Seen> seen;
};

class OccurrenceStreams : public testing::SimulationTest {
 protected:
  OccurrenceStreams() { source.set_observer(&listener); }

  static StreamSpec stream(PacingSpec::Kind kind, double per_us) {
    StreamSpec spec;
    spec.name = "stream";
    spec.attributes.resize(2);
    spec.phases.resize(1);
    spec.phases[0].pacing.kind = kind;
    spec.phases[0].pacing.requests_per_us = per_us;
    return spec;
  }

  OccurrenceStream::Happen happen() {
    return [this](const Occurrence& occurrence, Picoseconds when) { source.happen(occurrence, when); };
  }

  const soc::SourceDescription description{"source", {"a", "b"}};
  soc::Source source{description, 0};
  Listener listener;
};

TEST_F(OccurrenceStreams, happen_at_their_pace_after_the_start_until_the_count_is_reached) {
  StreamSpec spec = stream(PacingSpec::Kind::fixed, 4);
  spec.start = 1'000'000;
  spec.phases[0].count = 3;
  OccurrenceStream made("stream", happen(), spec, 1);
  bool ended = false;
  made.on_end([&] { ended = true; });
  run([&] {
    testing::advance(500);
    made.start();
    testing::advance(1'400'000);
    EXPECT_FALSE(made.done());
    testing::advance(10'000'000);
    EXPECT_TRUE(made.done());
    EXPECT_TRUE(ended);
    EXPECT_THAT(listener.times(), ElementsAre(1'000'500U, 1'250'500U, 1'500'500U));
    EXPECT_EQ(made.issued(), 3U);
  });
}

TEST_F(OccurrenceStreams, have_phases_one_after_the_other) {
  StreamSpec spec = stream(PacingSpec::Kind::fixed, 10);
  spec.phases[0].duration = 250'000;
  spec.phases.push_back(spec.phases[0]);
  spec.phases[1].duration.reset();
  spec.phases[1].count = 2;
  spec.phases[1].pacing.requests_per_us = 1;
  OccurrenceStream made("stream", happen(), spec, 1);
  run([&] {
    made.start();
    testing::advance(10'000'000);
    EXPECT_THAT(listener.times(), ElementsAre(0U, 100'000U, 200'000U, 250'000U, 1'250'000U));
    EXPECT_TRUE(made.done());
  });
}

TEST_F(OccurrenceStreams, draw_attributes_by_weight_within_their_ranges) {
  StreamSpec spec = stream(PacingSpec::Kind::exponential, 100);
  spec.phases[0].count = 4'000;
  spec.attributes[0] = {{7, 7, 3}, {100, 109, 1}};
  spec.outstanding = {{50, 60, 1}};
  spec.repeat = 5;
  OccurrenceStream made("stream", happen(), spec, 1);
  run([&] {
    made.start();
    testing::advance(1'000'000'000);
    ASSERT_THAT(listener.seen, SizeIs(4'000));
    EXPECT_EQ(made.issued(), 20'000U);
    std::uint64_t sevens = 0;
    std::vector<std::uint64_t> others(10);
    for (const Seen& one : listener.seen) {
      EXPECT_EQ(one.occurrence.repeat, 5U);
      EXPECT_EQ(one.occurrence.attributes[1], 0U);
      EXPECT_THAT(one.occurrence.duration, AllOf(Ge(50U), Le(60U)));
      const std::uint64_t value = one.occurrence.attributes[0];
      if (value == 7) {
        ++sevens;
      } else {
        ++others.at(value - 100);
      }
    }
    // 3000 are expected, with a standard deviation of 27; of each of the others 100, with 10.
    EXPECT_THAT(sevens, AllOf(Ge(2'860U), Le(3'140U)));
    for (const std::uint64_t count : others) EXPECT_THAT(count, AllOf(Ge(50U), Le(150U)));
  });
}

TEST_F(OccurrenceStreams, end_when_they_are_told_to) {
  OccurrenceStream made("stream", happen(), stream(PacingSpec::Kind::fixed, 10), 1);
  run([&] {
    made.start();
    testing::advance(1'050'000);
    made.stop();
    testing::advance(1'000'000);
    EXPECT_TRUE(made.done());
    EXPECT_THAT(listener.seen, SizeIs(11));
  });
}

}  // namespace
}  // namespace pmufab::traffic::occurrence_stream_test
