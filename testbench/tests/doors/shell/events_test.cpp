// SPDX-License-Identifier: Apache-2.0
// Event features of the kernel besides counting, which programs other than perf use.
#include <cerrno>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "testbench/tests/doors/shell/shell_client.h"

namespace pmufab::testing {
namespace {

using ::testing::ElementsAre;

class ShellEvents : public ShellProtocol {
 protected:
  [[nodiscard]] perf_event_attr reads(std::uint64_t read_format = 0) const {
    perf_event_attr result = attributes(kPmu, 0x111);  // slc_access_rd
    result.read_format = read_format;
    return result;
  }
  static constexpr const char* kPmu = "nvidia_ucf_pmu_0";
  static constexpr unsigned kCounters = 7;  // of a UCF PMU, besides the cycle counter
};

TEST_F(ShellEvents, each_member_with_the_group_format_reads_the_whole_group) {
  constexpr std::uint64_t kFormat = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_RUNNING;
  perf_event_attr stopped = reads(kFormat);
  stopped.disabled = 1;
  const Event leader = open(stopped);
  const Event member = open(reads(kFormat), leader.number);
  const Event alone = open(reads(PERF_FORMAT_ID), leader.number);
  EXPECT_EQ(leader.control(PERF_EVENT_IOC_ENABLE), 0);
  sleep(0.01);
  EXPECT_EQ(leader.control(PERF_EVENT_IOC_DISABLE), 0);
  const std::vector<std::uint64_t> all = leader.words();
  ASSERT_EQ(all.size(), 8U);  // number of members, times, then value and id of each
  EXPECT_GT(all[2], 0U);
  EXPECT_THAT(all, ElementsAre(3, all[1], all[2], leader.number, all[2], member.number, all[2], alone.number));
  EXPECT_EQ(member.words(), all);
  EXPECT_THAT(alone.words(), ElementsAre(all[2], alone.number));
  EXPECT_EQ(member.read(8 * 8 - 1).result, -ENOSPC) << "room for itself is not enough";
}

TEST_F(Shell, threads_and_processes_that_share_events_get_their_own_answers) {
  const Session session =
      type(PMUFAB_THREADS_PROGRAM " /sys/bus/event_source/devices/nvidia_ucf_pmu_0/type 2>&1 || echo exited $?");
  EXPECT_EQ(session.outcome.out, "");
  expect_exact(session, 2 + 4 * 10);  // those that are shared, and ten of each of four threads
}

TEST_F(Shell, system_calls_are_answered_as_the_kernel_answers_them) {
  const Session session =
      type(PMUFAB_ANSWERS_PROGRAM " /sys/bus/event_source/devices/nvidia_ucf_pmu_0/type 0x111 2>&1 || echo exited $?");
  EXPECT_EQ(session.outcome.out, "");
  expect_exact(session, 1);  // software events get no verdict
}

TEST_F(ShellEvents, an_event_that_is_opened_enabled_is_compared_from_its_first_instant) {
  {
    const Event event = open(reads());
    sleep(0.01);
    EXPECT_GT(event.words().at(0), 0U);
  }
  expect_exact(end(), 1);
}

TEST_F(ShellEvents, a_reading_there_was_no_room_for_is_none) {
  {
    const Event event = open(reads());
    sleep(0.01);
    const std::uint64_t seen = event.words().at(0);
    EXPECT_GT(seen, 0U);
    sleep(0.01);
    EXPECT_EQ(event.read(7).result, -ENOSPC);
    const Event never = open(reads());
    EXPECT_EQ(never.read(7).result, -ENOSPC);
  }
  const Session session = end();
  expect_exact(session, 1);  // the other was never read, so there is no verdict
  EXPECT_EQ(session.verdicts[0].at("reads"), 1);
}

TEST_F(ShellEvents, a_pinned_event_that_does_not_fit_is_at_its_end) {
  perf_event_attr pinned = reads(PERF_FORMAT_TOTAL_TIME_RUNNING);
  pinned.pinned = 1;
  std::vector<Event> fit;
  for (unsigned i = 0; i < kCounters; ++i) fit.push_back(open(pinned));
  const Event event = open(pinned);
  const Client::Reply reply = event.read();
  EXPECT_EQ(reply.result, 0);
  EXPECT_EQ(reply.length, 0U);
  EXPECT_EQ(fit.front().words().size(), 2U);
  EXPECT_EQ(ask(opening(pinned, fit.back().number)).result, -EINVAL) << "it is for leaders to say";
  // Enabling it again gives it another chance.
  fit.pop_back();
  EXPECT_TRUE(answers());
  EXPECT_EQ(event.control(PERF_EVENT_IOC_ENABLE), 0);
  sleep(0.01);
  EXPECT_GT(event.words().at(1), 0U);
}

TEST_F(ShellEvents, an_exclusive_event_takes_turns_with_all_others) {
  constexpr std::uint64_t kTimes = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  {
    perf_event_attr wish = reads(kTimes);
    wish.exclusive = 1;
    const Event exclusive = open(wish);
    const Event first = open(reads(kTimes));
    const Event second = open(reads(kTimes));
    EXPECT_GT(exclusive.words().at(2), 0U);
    EXPECT_EQ(first.words().at(2), 0U) << "there are counters for all of them, and one wants to be alone";
    sleep(0.5);
    const std::vector<std::uint64_t> one = exclusive.words();
    for (const Event* const other : {&first, &second}) {
      const std::vector<std::uint64_t> own_words = other->words();
      EXPECT_GT(own_words.at(2), own_words.at(1) / 4);
      EXPECT_GT(one.at(2), own_words.at(1) / 4);
      EXPECT_LE(own_words.at(2) + one.at(2), one.at(1) + 10'000);
    }
    EXPECT_EQ(ask(opening(wish, first.number)).result, -EINVAL) << "it is for leaders to say";
  }
  expect_exact(end(), 3);
}

/// At different scales of time.
class ShellTurns : public ShellEvents, public ::testing::WithParamInterface<double> {
 protected:
  ShellTurns() { platform.insert(platform.end(), {"--time-scale", fmt::format("{}", GetParam())}); }
};

TEST_P(ShellTurns, last_four_milliseconds_of_the_programs_time) {
  perf_event_attr exclusive = reads(PERF_FORMAT_TOTAL_TIME_RUNNING);
  exclusive.exclusive = 1;
  const Event first = open(exclusive);
  const Event second = open(exclusive);
  const auto milliseconds = [](const Event& event) {
    return static_cast<double>(event.words().at(1)) / 1e6 / GetParam();
  };
  for (const auto& [one, other] : {std::pair(2.0, 0.0), {4.0, 0.0}, {4.0, 2.0}, {4.0, 4.0}, {6.0, 4.0}, {8.0, 4.0}}) {
    sleep(0.002);
    EXPECT_NEAR(milliseconds(first), one, 0.15);
    EXPECT_NEAR(milliseconds(second), other, 0.15);
  }
}

INSTANTIATE_TEST_SUITE_P(Scales, ShellTurns, ::testing::Values(0.1, 0.001, 0.00001));

TEST_F(ShellEvents, counts_begin_anew_at_a_reset_and_are_compared_from_there) {
  std::vector<std::uint64_t> seen;
  {
    const Event running = open(reads());
    const Event before = open(reads());
    const Event stopped = open(reads());
    sleep(0.01);
    seen.push_back(before.words().at(0));
    EXPECT_EQ(stopped.control(PERF_EVENT_IOC_DISABLE), 0);
    for (const Event* const event : {&running, &before, &stopped}) EXPECT_EQ(event->control(PERF_EVENT_IOC_RESET), 0);
    sleep(0.001);
    seen.push_back(running.words().at(0));
    seen.push_back(stopped.words().at(0));
  }
  EXPECT_GT(seen[0], seen[1]) << "a tenth of the time";
  EXPECT_GT(seen[1], 0U);
  EXPECT_EQ(seen[2], 0U);
  const Session session = end();
  expect_exact(session, 3);
  std::vector<std::uint64_t> told;
  for (const nlohmann::json& verdict : session.verdicts) told.push_back(verdict.at("driver"));
  EXPECT_THAT(told, ::testing::UnorderedElementsAreArray(seen));
}

}  // namespace
}  // namespace pmufab::testing
