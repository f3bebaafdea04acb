// SPDX-License-Identifier: Apache-2.0
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/pmufab/review/trial.h"

namespace pmufab::cli {
namespace {

using perf::Check;
using scenario::RunResult;
using Status = RunResult::Status;
using Counters = std::vector<std::pair<std::string, Check>>;
using Checks = std::vector<scenario::CheckResult>;

RunResult run_of(Status status, const Counters& counters, const Checks& checks = {}, const std::string& message = {}) {
  RunResult run;
  run.scenario = "lanes";
  run.drivers = "7.3";
  run.status = status;
  run.message = message;
  run.checks = checks;
  if (counters.empty()) return run;
  scenario::MeasureResult measure;
  measure.name = "all";
  for (const auto& [event, check] : counters) {
    scenario::CounterResult counter;
    counter.event = event;
    counter.pmu = event.substr(0, event.find('/'));
    counter.check = check;
    counter.expected = 100;
    counter.driver = check == Check::wrong ? 99 : 100;
    measure.counters.push_back(counter);
  }
  run.measures = {measure};
  return run;
}

/// The last counter had a part of the time.
RunResult with_share(RunResult run, Picoseconds percent) {
  scenario::CounterResult& counter = run.measures[0].counters.back();
  counter.time_enabled = 100;
  counter.time_running = percent;
  return run;
}

RunResult bad_input(const std::string& message) { return run_of(Status::bad_input, {}, {}, message); }

Checks warned(const std::string& of) { return {{"kernel_warnings", false, "the kernel warned 2 times: " + of}}; }

const char* const kOld = "port/old/";
const char* const kNew = "port/new/";
const char* const kOther = "port/other/";
const char* const kLacksNew = "scenario.yaml:9: measure 'all': \nunknown event or term 'new' for PMU 'port'";
const char* const kLacksPmu = "scenario.yaml:9: measure 'all': \nthere is no PMU 'port'";

struct Case {
  std::string name;
  RunResult before;
  RunResult after;
  std::string verdict;
  Trial::Expectation expectation = Trial::Expectation::defect;
};

// NOLINTNEXTLINE(readability-identifier-naming): the name that GoogleTest calls
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

class ReviewedRun : public testing::TestWithParam<Case> {};

TEST_P(ReviewedRun, is_called) {
  Trial trial{.name = "scenario", .renamed = {"renamed"}};
  trial.add(GetParam().before, GetParam().after, GetParam().expectation);
  EXPECT_EQ(trial.same + trial.better + trial.worse, 1);
  EXPECT_EQ(trial.worse > 0 ? "worse" : trial.better > 0 ? "better" : "same", GetParam().verdict);
  EXPECT_EQ(trial.worse_findings.size(), trial.worse);
}

TEST(Review, knows_which_changed_events_were_counted) {
  Trial trial{.name = "scenario", .changed_events = {"new", "old", "other"}};
  const RunResult run = run_of(
      Status::failed, {{"port/bit=1,new/", Check::wrong}, {kOld, Check::not_opened}, {"port/other.x/", Check::exact}});
  trial.add(run, run, Trial::Expectation::defect);
  EXPECT_THAT(trial.counted, testing::ElementsAre("new"));
}

/// @return runs that are worse, of a trial of some runs and one in which a counter has less of the time
std::uint64_t worse_beside(const std::string& pmu, const std::vector<std::pair<Check, Check>>& runs) {
  std::vector<Trial> trials = {{.name = "scenario"}, {.name = "random case"}};
  for (const auto& [before, after] : runs) {
    const auto run = [&](Check check) {
      return run_of(check == Check::wrong ? Status::failed : Status::passed, {{pmu + "/new/", check}});
    };
    trials[0].add(run(before), run(after), Trial::Expectation::defect);
  }
  const RunResult turns = run_of(Status::passed, {{kNew, Check::exact}, {kOld, Check::exact}});
  trials[1].add(with_share(turns, 100), with_share(turns, 57), Trial::Expectation::defect);
  bear_shorter_turns(trials);
  EXPECT_EQ(trials[0].runs() + trials[1].runs(), runs.size() + 1);
  EXPECT_EQ(trials[1].worse_findings.size(), trials[1].worse);
  return trials[0].worse + trials[1].worse;
}

TEST(Review, bears_shorter_turns_of_a_pmu_that_counts_right_now) {
  EXPECT_EQ(worse_beside("port", {{Check::wrong, Check::exact}}), 0);
  EXPECT_EQ(worse_beside("port", {{Check::exact, Check::exact}}), 1) << "for nothing";
  EXPECT_EQ(worse_beside("other", {{Check::wrong, Check::exact}}), 1) << "another PMU";
  EXPECT_EQ(worse_beside("port", {{Check::wrong, Check::exact}, {Check::exact, Check::wrong}}), 2);
}

const std::vector<Case> kCases = {
    {"nothing_differs", run_of(Status::passed, {{kOld, Check::exact}}), run_of(Status::passed, {{kOld, Check::exact}}),
     "same"},
    {"a_count_becomes_wrong", run_of(Status::passed, {{kOld, Check::exact}}),
     run_of(Status::failed, {{kOld, Check::wrong}}), "worse"},
    {"a_count_becomes_right", run_of(Status::failed, {{kOld, Check::wrong}}),
     run_of(Status::passed, {{kOld, Check::exact}}), "better"},
    {"a_count_stays_wrong", run_of(Status::expected_failure, {{kOld, Check::wrong}}),
     run_of(Status::failed, {{kOld, Check::wrong}}), "same"},

    {"a_warning_comes_beside_another", run_of(Status::failed, {}, warned("late interrupt 64 in probe() of a.c")),
     run_of(Status::failed, {}, warned("late interrupt 66 in probe() of a.c | a timer is left in remove() of a.c")),
     "worse"},
    {"a_warning_goes_and_another_stays",
     run_of(Status::failed, {}, warned("late interrupt 64 in probe() of a.c | a timer is left in remove() of a.c")),
     run_of(Status::failed, {}, warned("late interrupt 64 in probe() of a.c")), "better"},
    {"a_warning_comes_from_a_second_function", run_of(Status::failed, {}, warned("a timer is left in remove() of a.c")),
     run_of(Status::failed, {}, warned("a timer is left in remove() of a.c | a timer is left in probe() of a.c")),
     "worse"},
    {"a_warning_comes_from_a_function_of_another_name",
     run_of(Status::failed, {}, warned("late interrupt 64 in probe() of a.c")),
     run_of(Status::failed, {}, warned("late interrupt 64 in set_up() of a.c")), "same"},

    {"a_counter_has_less_of_the_time",
     with_share(run_of(Status::passed, {{kNew, Check::exact}, {kOld, Check::exact}}), 100),
     with_share(run_of(Status::passed, {{kNew, Check::exact}, {kOld, Check::exact}}), 57), "worse"},
    {"a_counter_takes_turns_with_an_event_that_was_refused",
     with_share(run_of(Status::failed, {{kNew, Check::not_opened}, {kOld, Check::exact}}), 100),
     with_share(run_of(Status::passed, {{kNew, Check::exact}, {kOld, Check::exact}}), 57), "better"},
    {"a_counter_has_less_of_the_time_than_an_event_of_another_pmu_takes",
     with_share(run_of(Status::failed, {{"other/new/", Check::not_opened}, {kOld, Check::exact}}), 100),
     with_share(run_of(Status::passed, {{"other/new/", Check::exact}, {kOld, Check::exact}}), 57), "worse"},
    {"a_count_becomes_wrong_beside_an_event_that_was_refused",
     run_of(Status::failed, {{kNew, Check::not_opened}, {kOld, Check::exact}}),
     run_of(Status::failed, {{kNew, Check::exact}, {kOld, Check::wrong}}), "worse"},

    // The driver before could not begin.
    {"a_new_event_is_right", bad_input(kLacksNew), run_of(Status::passed, {{kNew, Check::exact}}), "better"},
    {"a_new_event_is_wrong", bad_input(kLacksNew), run_of(Status::failed, {{kNew, Check::wrong}}), "worse"},
    {"a_new_event_is_refused", bad_input(kLacksNew), run_of(Status::failed, {{kNew, Check::not_opened}}), "worse"},
    {"another_event_is_wrong", bad_input(kLacksNew),
     run_of(Status::failed, {{kNew, Check::exact}, {kOld, Check::wrong}}), "same"},
    {"the_second_new_event_is_wrong",
     bad_input(std::string(kLacksNew) + "\nunknown event or term 'other' for PMU 'port'"),
     run_of(Status::failed, {{kNew, Check::exact}, {kOther, Check::wrong}}), "worse"},
    {"a_renamed_event_is_wrong", bad_input("\nunknown event or term 'renamed' for PMU 'port'"),
     run_of(Status::failed, {{"port/renamed/", Check::wrong}}), "same"},
    {"an_event_with_a_longer_name_is_wrong", bad_input(kLacksNew),
     run_of(Status::failed, {{kNew, Check::exact}, {"port/new_old/", Check::wrong}}), "same"},
    {"a_term_gets_wider_and_another_event_is_wrong",
     bad_input("\nvalue too big for format (new=config:56), maximum is 0x1"),
     run_of(Status::failed, {{"port/old,new=2/", Check::exact}, {kOld, Check::wrong}}), "same"},
    {"a_term_gets_wider_and_is_wrong", bad_input("\nvalue too big for format (new=config:56), maximum is 0x1"),
     run_of(Status::failed, {{"port/old,new=2/", Check::wrong}}), "worse"},
    {"a_new_pmu_is_wrong", bad_input(kLacksPmu), run_of(Status::failed, {{kOld, Check::wrong}}), "worse"},
    {"a_new_pmu_shows_what_it_has_not", bad_input(kLacksPmu),
     run_of(Status::failed, {{kOld, Check::exact}},
            {{"published", false, "port and 2 other PMUs after load_drivers: events lacks x"}}),
     "worse"},
    {"a_new_event_has_a_wrong_number", bad_input(kLacksNew),
     run_of(Status::failed, {{kOld, Check::exact}},
            {{"published", false, "port after load_drivers: events new is config=0x1"}}),
     "worse"},
    {"another_event_has_a_wrong_number", bad_input(kLacksNew),
     run_of(Status::failed, {{kNew, Check::exact}},
            {{"published", false, "device after load_drivers: events old is config=0x1"}}),
     "same"},
    {"the_kernel_warns_with_a_new_event", bad_input(kLacksNew),
     run_of(Status::failed, {{kNew, Check::exact}}, {{"kernel_warnings", false, "WARN()"}}), "worse"},
    {"a_crash_in_place_of_no_beginning", bad_input(kLacksNew),
     run_of(Status::crashed, {}, {}, "its process was killed"), "worse"},
    {"neither_could_begin", bad_input(kLacksNew), bad_input(kLacksPmu), "same"},

    // A measure alone could not begin.
    {"a_measure_with_a_new_event_is_wrong",
     run_of(Status::failed, {{kOld, Check::exact}},
            {{"published", false, "measure 'all' cannot be opened: unknown event or term 'new' for PMU 'port'"}}),
     run_of(Status::failed, {{kOld, Check::exact}, {kNew, Check::wrong}}), "worse"},
    {"a_measure_begins_and_another_count_becomes_wrong",
     run_of(Status::failed, {{kOld, Check::exact}},
            {{"published", false, "measure 'all' cannot be opened: unknown event or term 'new' for PMU 'port'"}}),
     run_of(Status::failed, {{kOld, Check::wrong}, {kNew, Check::exact}}), "worse"},
    {"the_second_measure_with_a_new_event_is_wrong",
     run_of(Status::failed, {},
            {{"published", false, "measure 'a' cannot be opened: unknown event or term 'new' for PMU 'port'"},
             {"published", false, "measure 'b' cannot be opened: unknown event or term 'other' for PMU 'port'"}}),
     run_of(Status::failed, {{kNew, Check::exact}, {kOther, Check::wrong}}), "worse"},

    // The changed driver cannot begin.
    {"a_right_event_is_missing", run_of(Status::passed, {{kOld, Check::exact}}), bad_input(kLacksPmu), "worse"},
    {"a_wrong_event_is_missing", run_of(Status::failed, {{kOld, Check::wrong}}), bad_input(kLacksPmu), "same"},
    {"a_pmu_that_was_missing_lacks_an_event",
     run_of(Status::failed, {}, {{"probe", false, "the drivers registered no PMU port"}}), bad_input(kLacksNew),
     "same"},

    // The driver before did not come to its end.
    {"a_crash_is_mended", run_of(Status::crashed, {}, {}, "killed"), run_of(Status::passed, {{kOld, Check::exact}}),
     "better"},
    {"a_crash_is_mended_and_a_count_is_wrong", run_of(Status::crashed, {}, {}, "killed"),
     run_of(Status::failed, {{kOld, Check::wrong}}), "better"},
    {"a_crash_becomes_no_beginning", run_of(Status::crashed, {}, {}, "killed"), bad_input(kLacksNew), "same"},
    {"a_right_count_gets_lost_in_a_crash", run_of(Status::passed, {{kOld, Check::exact}}),
     run_of(Status::crashed, {}, {}, "killed"), "worse"},

    // Scenarios for older drivers.
    {"an_older_name_is_gone", run_of(Status::passed, {{kOld, Check::exact}}), bad_input(kLacksNew), "same",
     Trial::Expectation::older},
    {"an_older_pmu_is_gone", run_of(Status::passed, {{kOld, Check::exact}}),
     run_of(Status::failed, {},
            {{"probe", false, "all: the drivers registered no PMU 'port'; the kernel log may say why"}}),
     "same", Trial::Expectation::older},
    {"an_older_count_becomes_wrong", run_of(Status::passed, {{kOld, Check::exact}}),
     run_of(Status::failed, {{kOld, Check::wrong}}), "worse", Trial::Expectation::older},
};
INSTANTIATE_TEST_SUITE_P(Review, ReviewedRun, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace pmufab::cli
