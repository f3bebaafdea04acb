// SPDX-License-Identifier: Apache-2.0
// A measure whose events are counted by a service that can fail.
#include <cerrno>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/run/session/measurement.h"

namespace pmufab::scenario {
namespace {

using perf::EventHandle;
using perf::EventReading;
using ::testing::HasSubstr;

/// One PMU, whose events count a hundred from one reading to the next.
class FailingPmu final : public perf::PmuService {
 public:
  [[nodiscard]] std::vector<perf::Pmu> pmus() const override {
    return {{"odd", 7, {{"format/event", "config:0-7\n"}, {"events/reads", "event=0x1\n"}}}};
  }
  EventHandle open(const perf::PerfAttributes& /*attributes*/, int /*cpu*/, EventHandle /*leader*/) override {
    return ++opened_;
  }
  int enable(EventHandle /*leader*/) override { return 0; }
  int disable(EventHandle /*leader*/) override { return 0; }
  int read(EventHandle /*event*/, EventReading& reading) override {
    if (error != 0) return error;
    count_ += step;
    reading = {.value = count_, .time_enabled = 1000, .time_running = 1000};
    return 0;
  }
  int read_group(EventHandle leader, std::vector<EventReading>& readings) override {
    readings.resize(static_cast<std::size_t>(members));
    for (EventReading& reading : readings) {
      if (const int result = read(leader, reading); result < 0) return result;
    }
    return 0;
  }
  void close(EventHandle /*event*/) override {}

  std::uint64_t step = 100;
  int error = 0;
  int members = 2;

 private:
  EventHandle opened_ = 0;
  std::uint64_t count_ = 0;
};

class MeasurementTest : public ::testing::Test {
 protected:
  void begin(const std::string& events) {
    spec.name = "odd";
    spec.events = {events};
    spec.interval = 1000;
    measurement =
        std::make_unique<Measurement>(spec, pmu, judge, perf::PmuCatalog(pmu.pmus()), 0, perf::kRotation,
                                      [this](const IntervalResult& interval) { intervals.push_back(interval); });
    measurement->begin();
  }

  MeasureSpec spec;
  FailingPmu pmu;
  scoreboard::Scoreboard judge;
  std::vector<IntervalResult> intervals;
  std::unique_ptr<Measurement> measurement;
};

TEST_F(MeasurementTest, the_last_reading_is_the_count) {
  begin("odd/reads/");
  measurement->read_interval();
  const MeasureResult result = measurement->end(false);
  ASSERT_EQ(result.counters.size(), 1U);
  EXPECT_EQ(result.counters[0].driver, 200U);
}

TEST_F(MeasurementTest, after_a_last_reading_that_failed_there_is_no_count) {
  begin("odd/reads/");
  measurement->read_interval();
  pmu.error = -ENODEV;
  const MeasureResult result = measurement->end(false);
  ASSERT_EQ(result.counters.size(), 1U);
  EXPECT_FALSE(result.counters[0].driver);
  EXPECT_THAT(result.counters[0].note, HasSubstr("could not be read: ENODEV (No such device)"));
}

TEST_F(MeasurementTest, a_reading_that_goes_back_is_told_and_is_no_increase) {
  begin("odd/reads/");
  measurement->read_interval();
  pmu.step = -std::uint64_t{70};
  measurement->read_interval();
  pmu.step = 5;
  const MeasureResult result = measurement->end(false);
  ASSERT_EQ(intervals.size(), 3U);
  EXPECT_EQ(intervals[0].counts.at(0).increase, 100U);
  EXPECT_FALSE(intervals[1].counts.at(0).increase) << *intervals[1].counts.at(0).increase;
  EXPECT_EQ(intervals[2].counts.at(0).increase, 5U);
  EXPECT_THAT(result.counters.at(0).note, HasSubstr("its reading went back from 100 to 30 at 0 ps"));
}

TEST_F(MeasurementTest, an_interval_whose_reading_failed_is_part_of_the_next) {
  begin("odd/reads/");
  pmu.error = -EAGAIN;
  measurement->read_interval();
  pmu.error = 0;
  measurement->read_interval();
  const MeasureResult result = measurement->end(false);
  ASSERT_EQ(intervals.size(), 3U);
  EXPECT_FALSE(intervals[0].counts.at(0).increase);
  EXPECT_EQ(intervals[1].counts.at(0).increase, 100U);
  EXPECT_EQ(result.counters.at(0).driver, 200U);
}

TEST_F(MeasurementTest, a_group_that_is_read_in_part_has_no_count) {
  begin("{odd/reads/,odd/event=2/}");
  measurement->read_interval();
  pmu.members = 1;
  const MeasureResult result = measurement->end(false);
  ASSERT_EQ(result.counters.size(), 2U);
  for (const CounterResult& counter : result.counters) {
    EXPECT_FALSE(counter.driver) << counter.event;
    EXPECT_THAT(counter.note, HasSubstr("could not be read: EIO")) << counter.event;
  }
}

}  // namespace
}  // namespace pmufab::scenario
