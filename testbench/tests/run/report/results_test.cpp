// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/fabrics/fabric_kinds.h"
#include "testbench/run/report/report.h"
#include "testbench/run/results/driver_files.h"
#include "testbench/run/session/expected_failure.h"
#include "testbench/run/session/journal.h"

namespace pmufab::scenario {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Check = CounterResult::Check;
using Status = RunResult::Status;

CounterResult counter(const std::string& event, std::uint64_t driver, std::uint64_t expected) {
  CounterResult result;
  result.event = event;
  result.pmu = "p";
  result.driver = driver;
  result.expected = expected;
  result.check = driver == expected ? Check::exact : Check::wrong;
  result.time_enabled = 2'000'000;
  result.time_running = 1'000'000;
  if (driver != expected) result.note = "3 < 4 & \"quoted\"";
  return result;
}

RunResult run_with(std::vector<CounterResult> counters) {
  RunResult run;
  run.scenario = "s";
  run.drivers = "7.3.4";
  run.status = Status::passed;
  MeasureResult measure;
  measure.name = "m";
  measure.counters = std::move(counters);
  if (!measure.passed()) run.status = Status::failed;
  run.measures.push_back(std::move(measure));
  return run;
}

template <typename Writer, typename... More>
std::string text_of(Writer writer, const More&... more) {
  std::ostringstream stream;
  writer(stream, more...);
  return stream.str();
}

class JournalTest : public ::testing::Test {
 protected:
  std::filesystem::path file = std::filesystem::temp_directory_path() / ("pmufab-journal-" + std::to_string(getpid()));
  void TearDown() override { std::filesystem::remove(file); }

  void write(bool must_fail, bool end) {
    Journal journal(file);
    write(journal, must_fail, end);
  }
  void write(Journal& journal, bool must_fail, bool end) {
    Json begin;
    begin["must_fail"] = must_fail;
    begin["reason"] = must_fail ? "known" : "";
    journal.write("begin", begin);
    Json measure = Json(run_with({counter("a", 3, 3)}).measures[0]);
    measure["index"] = 0;
    journal.write("measure", measure);
    if (end) write_end(journal, false);
  }

  static void write_end(Journal& journal, bool interrupted) {
    Json last;
    last["interrupted"] = interrupted;
    last["limit"] = "";
    last["partial"] = interrupted;
    last["simulated_time_ps"] = 5;
    last["findings"] = Json::array();
    last["traffic"] = Json::array();
    journal.write("end", last);
  }
};

TEST_F(JournalTest, a_complete_journal_makes_a_complete_result) {
  write(false, true);
  const RunResult run = read_journal(file, {}, {.exited = true, .status = 0});
  EXPECT_EQ(run.status, Status::passed);
  EXPECT_FALSE(run.partial);
  EXPECT_EQ(run.simulated_time, 5U);
  EXPECT_EQ(Json(run.measures.at(0)), Json(run_with({counter("a", 3, 3)}).measures[0]));
}

TEST_F(JournalTest, a_run_without_a_count_that_was_judged_has_not_passed) {
  CounterResult nobody = counter("b", 3, 3);
  nobody.check = Check::unchecked;
  for (const bool one_is_judged : {false, true}) {
    {
      Journal journal(file);
      Json content = run_with({nobody, one_is_judged ? counter("a", 3, 3) : nobody}).measures[0];
      content["index"] = 0;
      journal.write("begin", {{"must_fail", false}, {"reason", ""}});
      journal.write("measure", content);
      write_end(journal, false);
    }
    const RunResult run = read_journal(file, {}, {.exited = true, .status = 0});
    EXPECT_EQ(to_string(run.status), one_is_judged ? "passed" : "not_judged");
    EXPECT_EQ(exit_code(run), one_is_judged ? 0 : 4);
    EXPECT_EQ(to_json(run).at("counters_not_judged"), one_is_judged ? 1 : 2);
  }
}

TEST_F(JournalTest, an_end_that_lacks_something_is_no_end) {
  {
    Journal journal(file);
    write(journal, false, false);
    journal.write("end", {{"interrupted", false}, {"limit", ""}, {"partial", false}});
  }
  const RunResult run = read_journal(file, {}, {.exited = true, .status = 0});
  EXPECT_EQ(run.status, Status::crashed);
  EXPECT_TRUE(run.partial);
}

TEST_F(JournalTest, without_its_beginning_is_none) {
  write(false, true);
  std::string text;
  {
    std::ifstream in(file);
    std::getline(in, text);
    std::getline(in, text, '\0');
  }
  std::ofstream(file) << text;
  EXPECT_EQ(read_journal(file, {}, {.exited = true, .status = 0}).status, Status::crashed);
}

TEST_F(JournalTest, is_whole_although_somebody_seeks_in_its_file) {
  {
    Journal journal(file);
    write(journal, false, false);
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code gone;
      if (std::filesystem::read_symlink(entry.path(), gone) == file)
        lseek(std::stoi(entry.path().filename()), 0, SEEK_SET);
    }
    write_end(journal, false);
  }
  EXPECT_EQ(read_journal(file, {}, {.exited = true, .status = 0}).status, Status::passed);
}

TEST_F(JournalTest, tells_a_stop_by_the_user_from_a_signal_that_nobody_sent) {
  for (const bool asked : {false, true}) {
    {
      Journal journal(file);
      write(journal, false, false);
      write_end(journal, true);
    }
    const RunResult run = read_journal(file, {}, {.exited = true, .status = 0, .asked = asked});
    EXPECT_EQ(run.status, Status::interrupted);
    EXPECT_THAT(run.message, HasSubstr(asked ? "stopped by the user" : "does a driver send signals?"));
  }
}

TEST_F(JournalTest, that_cannot_be_written_says_so_at_once) {
  Journal journal("/dev/full");
  try {
    journal.write("begin", {});
    FAIL();
  } catch (const JournalError& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("'/dev/full'"), HasSubstr("No space left on device"), HasSubstr("$TMPDIR")));
  }
}

TEST_F(JournalTest, files_of_a_session_that_cannot_be_written_are_named_with_the_reason) {
  EXPECT_NO_THROW(write_whole(file, "all of it"));
  EXPECT_EQ(std::filesystem::file_size(file), 9U);
  for (const auto& [wrong, reason] : {std::pair{std::string("/dev/full"), "No space left on device"},
                                      std::pair{(file / "below").string(), "Not a directory"}}) {
    try {
      write_whole(wrong, "nothing of it");
      FAIL() << wrong;
    } catch (const JournalError& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr("'" + wrong + "'"), HasSubstr(reason))) << wrong;
    }
  }
}

TEST_F(JournalTest, a_crash_keeps_what_was_measured_and_says_how_the_process_ended) {
  write(false, false);
  {
    std::ofstream torn(file, std::ios::app);
    torn << R"({"record":"measure","content":{"index":1,"na)";  // the line in which it died
  }
  const RunResult run = read_journal(file, {}, {.exited = false, .status = 11});
  EXPECT_EQ(run.status, Status::crashed);
  EXPECT_TRUE(run.partial);
  EXPECT_EQ(run.measures.size(), 1U);
  EXPECT_EQ(run.message, "its process was killed by signal 11 (Segmentation fault)");
  EXPECT_EQ(exit_code(run), 3);
}

TEST_F(JournalTest, a_crash_may_be_expected) {
  const auto run_with_crash = [&](const char* expected, const process::ProcessEnd& end, bool is_complete) {
    {
      Journal journal(file);
      journal.write("begin", {{"must_fail", true}, {"reason", "known"}, {"failed_checks", {expected}}});
      if (is_complete) write_end(journal, false);
    }
    return read_journal(file, {}, end);
  };
  const process::ProcessEnd crash{.exited = false, .status = 11, .place = "probe() of a.c"};
  const RunResult known = run_with_crash("crash", crash, false);
  EXPECT_EQ(known.status, Status::expected_failure);
  EXPECT_EQ(known.checks.at(0).text, "its process was killed by signal 11 (Segmentation fault), in probe() of a.c");
  EXPECT_EQ(run_with_crash("interrupts", crash, false).status, Status::crashed) << "another failure is expected";
  EXPECT_EQ(run_with_crash("crash", {.exited = false, .status = 9, .stopped = true}, false).status,
            Status::interrupted);
  EXPECT_EQ(run_with_crash("crash", {.exited = true, .status = 0}, true).status, Status::unexpected_pass);
}

TEST_F(JournalTest, a_process_that_was_killed_for_the_user_did_not_crash) {
  const RunResult stopped = read_journal(file, {}, {.exited = false, .status = 9, .timed_out = false, .stopped = true});
  EXPECT_EQ(stopped.status, Status::interrupted);
  EXPECT_THAT(stopped.message, HasSubstr("stopped by the user"));
  EXPECT_EQ(exit_code(stopped), 1);
  const RunResult late = read_journal(file, {}, {.exited = false, .status = 9, .timed_out = true, .stopped = false});
  EXPECT_EQ(late.status, Status::timed_out);
  EXPECT_EQ(exit_code(late), 1);
  const RunResult crashed =
      read_journal(file, {}, {.exited = false, .status = 11, .timed_out = true, .stopped = false});
  EXPECT_EQ(crashed.status, Status::crashed) << "by itself, whatever had been asked of it";
}

TEST_F(JournalTest, a_bad_exit_code_is_a_crash_even_after_the_last_line) {
  write(false, true);
  const RunResult run = read_journal(file, {}, {.exited = true, .status = 23});
  EXPECT_EQ(run.status, Status::crashed);
  EXPECT_THAT(run.message, HasSubstr("exit code 23"));
}

TEST_F(JournalTest, a_run_that_must_fail_and_passes_is_a_failure) {
  write(true, true);
  const RunResult run = read_journal(file, {}, {.exited = true, .status = 0});
  EXPECT_EQ(run.status, Status::unexpected_pass);
  EXPECT_EQ(run.expected_reason, "known");
  EXPECT_EQ(exit_code(run), 1);
}

/// A run without judgement: one counter, as the driver reported it.
RunResult explored(const std::string& variant, std::uint64_t driver) {
  RunResult run = run_with({counter("a", driver, 1'000'000)});
  run.variant = variant;
  run.measures[0].counters[0].check = CounterResult::Check::unchecked;
  run.status = Status::not_judged;
  return run;
}

TEST(Comparison, has_a_table_for_each_set_of_settings) {
  ComparisonTables tables;
  for (const RunResult& run :
       {explored("width=8", 999'000), explored("width=16", 1'000'000), explored("rate=1,room=2", 1'065'536),
        run_with({counter("judged", 1, 1)}), explored("width=32", 1'000'007)})
    tables.add(run);
  std::ostringstream out;
  tables.write(out);
  const std::string text = out.str();
  const auto line = [](const std::string& value, const std::string& reported, const std::string& difference) {
    return ContainsRegex("\n  " + value + " +" + reported + " +1,000,000 +" + difference + "\n");
  };
  EXPECT_THAT(text, AllOf(HasSubstr("s, drivers of Linux 7.3.4: width; a\n"),
                          HasSubstr("s, drivers of Linux 7.3.4: rate, room; a\n"), Not(HasSubstr("judged"))));
  EXPECT_THAT(text, AllOf(line("8", "999,000", "-1,000"), line("16", "1,000,000", "0"),
                          line("1, 2", "1,065,536", "[+]65,536"), line("32", "1,000,007", "[+]7")));
  EXPECT_LT(text.find("1,000,007"), text.find("rate, room"));
  EXPECT_LT(text.find("rate, room"), text.find("1,065,536"));
  EXPECT_EQ(text.find("width; a\n"), text.rfind("width; a\n"));
}

TEST(Comparison, is_as_narrow_as_its_texts_and_names_events_if_there_are_several) {
  ComparisonTables tables;
  RunResult two = explored("width=8", 999'000);
  two.measures[0].counters.push_back(two.measures[0].counters[0]);
  two.measures[0].counters[1].event = "b";
  tables.add(two);
  std::ostringstream out;
  tables.write(out);
  EXPECT_EQ(out.str(),
            "\ns, drivers of Linux 7.3.4: width\n"
            "  width  reported       true  difference  event\n"
            "  8       999,000  1,000,000      -1,000  a\n"
            "  8       999,000  1,000,000      -1,000  b\n\n");
}

TEST(Summary, tells_a_mistake_of_several_runs_once) {
  Summary summary;
  for (const char* const variant : {"width=1", "width=2", "width=3", "width=4"}) {
    RunResult run = run_with({});
    run.status = Status::bad_input;
    run.variant = variant;
    run.message = std::string(variant) == "width=3" ? "another one" : "there is no such event";
    summary.add(run);
  }
  std::ostringstream out;
  summary.write(out);
  EXPECT_THAT(out.str(),
              AllOf(HasSubstr("BAD INPUT: s [width=1] (drivers of Linux 7.3.4), and 2 more runs with the same "
                              "mistake\n"),
                    HasSubstr("BAD INPUT: s [width=3] (drivers of Linux 7.3.4)\n"), Not(HasSubstr("width=2")),
                    Not(HasSubstr("width=4"))));
}

TEST(Comparison, is_empty_where_everything_is_judged) {
  ComparisonTables tables;
  tables.add(run_with({counter("a", 3, 3)}));
  std::ostringstream out;
  tables.write(out);
  EXPECT_EQ(out.str(), "");
}

/// A run with two counters, `wrong` of which are wrong. If it has a name, it also has a failed check.
RunResult failed_run(unsigned wrong, const std::string& check) {
  RunResult run = run_with({counter("a", 3, wrong > 0 ? 4 : 3), counter("b", 5, wrong > 1 ? 6 : 5)});
  run.checks.push_back({"scoreboard", true, ""});
  if (!check.empty()) run.checks.push_back({check, false, ""});
  return run;
}

TEST(ExpectedFailure, of_an_event_is_a_wrong_count_of_it_and_nothing_else) {
  const ExpectedFailures a{.events = {"a"}, .not_opened = {}, .checks = {}};
  EXPECT_EQ(difference(failed_run(1, ""), a), "");
  EXPECT_THAT(difference(failed_run(2, ""), a),
              AllOf(HasSubstr("not the expected failure"), HasSubstr("'b' is wrong in m")));
  EXPECT_THAT(difference(failed_run(1, "interrupts"), a), HasSubstr("the check 'interrupts' failed"));
  EXPECT_THAT(difference(failed_run(0, "interrupts"), a),
              AllOf(HasSubstr("the check 'interrupts' failed"), HasSubstr("no wrong count of 'a'")));
  EXPECT_THAT(difference(failed_run(1, ""), {.events = {"a", "b"}, .not_opened = {}, .checks = {}}),
              HasSubstr("no wrong count of 'b'"));
  EXPECT_EQ(difference(failed_run(2, ""), {.events = {"a", "b"}, .not_opened = {}, .checks = {}}), "");
}

TEST(ExpectedFailure, of_an_event_that_could_not_be_opened_is_another) {
  RunResult run = failed_run(1, "");
  run.measures[0].counters[0].check = CounterResult::Check::not_opened;
  EXPECT_THAT(difference(run, {.events = {"a"}, .not_opened = {}, .checks = {}}),
              AllOf(HasSubstr("'a' could not be opened"), HasSubstr("no wrong count of 'a'")));
  run.measures[0].counters[0].check = CounterResult::Check::not_opened;
  EXPECT_EQ(difference(run, {.events = {}, .not_opened = {"a"}, .checks = {}}), "");
  EXPECT_THAT(difference(run, {.events = {}, .not_opened = {"a", "b"}, .checks = {}}),
              HasSubstr("'b' could be opened"));
}

TEST(ExpectedFailure, of_events_with_a_star_needs_one_of_them) {
  RunResult run = run_with({counter("p/a,x=1/", 3, 4), counter("p/a,x=2/", 3, 3), counter("p/b,x=1/", 3, 3)});
  EXPECT_EQ(difference(run, {.events = {"p/a,*"}, .not_opened = {}, .checks = {}}), "");
  EXPECT_THAT(difference(run, {.events = {"p/a,*", "p/b,*"}, .not_opened = {}, .checks = {}}),
              HasSubstr("no wrong count of 'p/b,*'"));
  EXPECT_THAT(difference(run, {.events = {"*,x=2/"}, .not_opened = {}, .checks = {}}),
              HasSubstr("'p/a,x=1/' is wrong in m"));
}

TEST(ExpectedFailure, of_a_check_is_that_check_of_the_run_or_a_measure) {
  const ExpectedFailures warnings{.events = {}, .not_opened = {}, .checks = {"kernel_warnings"}};
  EXPECT_EQ(difference(failed_run(0, "kernel_warnings"), warnings), "");
  EXPECT_THAT(difference(failed_run(0, "interrupts"), warnings),
              AllOf(HasSubstr("'interrupts' failed"), HasSubstr("'kernel_warnings' did not fail")));
  EXPECT_THAT(difference(failed_run(1, "kernel_warnings"), warnings), HasSubstr("'a' is wrong"));
  RunResult run = failed_run(0, "");
  run.measures[0].checks.push_back({"intervals", false, ""});
  EXPECT_EQ(difference(run, {.events = {}, .not_opened = {}, .checks = {"intervals"}}), "");
  EXPECT_FALSE(all_passed(run));
}

TEST(ExitCode, grows_with_how_bad_it_is) {
  const auto code_of = [](Status status) {
    RunResult run;
    run.status = status;
    return exit_code(run);
  };
  for (const Status status : {Status::passed, Status::expected_failure}) EXPECT_EQ(code_of(status), 0);
  for (const Status status : {Status::failed, Status::unexpected_pass, Status::interrupted, Status::timed_out})
    EXPECT_EQ(code_of(status), 1);
  EXPECT_EQ(code_of(Status::bad_input), 2);
  EXPECT_EQ(code_of(Status::crashed), 3);
}

TEST(ExitCode, of_several_runs_is_the_gravest) {
  const std::vector<int> by_gravity = {0, 4, 1, 2, 3};
  for (std::size_t i = 0; i < by_gravity.size(); ++i) {
    for (std::size_t j = 0; j < by_gravity.size(); ++j)
      EXPECT_EQ(graver(by_gravity[i], by_gravity[j]), by_gravity[std::max(i, j)]);
  }
}

TEST(ExitCode, a_run_that_nobody_could_judge_is_no_success_unless_the_scenario_wants_no_comparison) {
  RunResult run = explored("", 3);
  EXPECT_EQ(exit_code(run), 4);
  EXPECT_THAT(text_of(write_report, ReportKind::junit, run), HasSubstr("<skipped message=\"not_judged: "));
  Summary summary;
  summary.add(run_with({counter("a", 3, 3)}));
  summary.add(run);
  std::ostringstream out;
  summary.write(out);
  EXPECT_THAT(out.str(), AllOf(HasSubstr("1 of 2 runs passed, 1 not judged; 2 counters, none wrong, 1 not judged"),
                               HasSubstr("NOT JUDGED: s")));
  run.measures[0].is_compared = false;
  EXPECT_EQ(exit_code(run), 0);
  EXPECT_THAT(text_of(write_text, run, TextReportOptions{}),
              AllOf(HasSubstr("NOT JUDGED: s"), Not(HasSubstr("PASSED"))));
}

TEST(Status, is_decided_by_what_was_judged) {
  const auto status = [](const std::vector<Check>& checks, bool good) {
    CounterTotals totals;
    for (const Check check : checks) totals.add(check, false);
    return status_of(totals, good);
  };
  EXPECT_EQ(status({Check::exact}, true), Status::passed);
  EXPECT_EQ(status({Check::refused, Check::unchecked}, true), Status::passed);
  EXPECT_EQ(status({Check::unchecked, Check::unchecked}, true), Status::not_judged);
  EXPECT_EQ(status({}, true), Status::not_judged);
  EXPECT_EQ(status({Check::unchecked}, false), Status::failed);
  EXPECT_EQ(status({Check::exact}, false), Status::failed);
  EXPECT_EQ(status({Check::exact, Check::wrong}, true), Status::failed);
  EXPECT_EQ(status({Check::not_opened}, true), Status::failed);
}

std::vector<driver_host::DriverFile> three_drivers() {
  return {{.file = "bus.c", .sha256 = "0123456789abcdef", .is_used = true, .pmus = {"a_0", "a_1", "a_2", "a_3", "a_4"}},
          {.file = "vendor.c", .sha256 = "fedcba9876543210", .is_used = true, .pmus = {"a_0", "a_1"}},
          {.file = "mine.c",
           .sha256 = "00112233445566778899",
           .is_own = true,
           .is_given = true,
           .is_used = true,
           .pmus = {"b"}}};
}

TEST(DriverFiles, say_what_serves_the_pmus_that_were_counted) {
  EXPECT_THAT(
      describe(three_drivers(), {"a_0", "b", "a_0", "soft"}),
      ElementsAre("bus.c (SHA-256 0123456789ab...) serves a_0", "vendor.c (SHA-256 fedcba987654...) serves a_0",
                  "mine.c (SHA-256 001122334455..., yours) serves b", "software of pmufab, no driver, serves soft"));
  EXPECT_THAT(describe(three_drivers(), {"a_2", "a_3", "a_4"}),
              ElementsAre("bus.c (SHA-256 0123456789ab...) serves a_2, a_3 and a_4"));
  EXPECT_THAT(describe(three_drivers(), {}), ElementsAre());
  EXPECT_EQ(to_json(driver_files_from_json(to_json(three_drivers()))), to_json(three_drivers()));
}

TEST(DriverFiles, a_driver_of_the_users_that_bound_nothing_fails_and_what_bound_instead_is_told) {
  std::vector<driver_host::DriverFile> files = three_drivers();
  EXPECT_TRUE(check_own_drivers(files).ok);
  files.push_back({.file = "idle.c", .sha256 = "1"});
  EXPECT_TRUE(check_own_drivers(files).ok) << "the kernel has drivers for other hardware";
  files.back().is_own = true;
  EXPECT_TRUE(check_own_drivers(files).ok) << "a header of the user's changed it, for other hardware";
  files.back().is_given = true;
  EXPECT_FALSE(check_own_drivers(files).ok);
  EXPECT_FALSE(check_own_drivers(files, {"arm_cmn"}).ok);
  files.back().file = "arm-cmn.c";
  EXPECT_TRUE(check_own_drivers(files, {"cxl_pmu", "arm_cmn"}).ok) << "there is no mesh that it could bind";
  EXPECT_EQ(check_own_drivers(files, {"cxl_pmu", "arm_cmn"}).text,
            "arm-cmn.c (yours) was not used: this platform has no PMU for it");
  EXPECT_FALSE(check_own_drivers(files, {"cxl_pmu"}).ok);
  files.back().file = "idle.c";
  EXPECT_EQ(check_own_drivers(files).text,
            "idle.c bound no PMU; a_0 and a_1 were bound by bus.c and vendor.c; a_2, a_3 and a_4 were bound by bus.c; "
            "b was bound by mine.c");
}

TEST(TextReport, a_wrong_counter_is_marked_with_its_note) {
  const std::string text = text_of(write_text, run_with({counter("good/", 1234567, 1234567), counter("bad/", 3, 4)}),
                                   TextReportOptions{.marks = false, .everything = false, .compact = false});
  EXPECT_THAT(text, AllOf(HasSubstr("FAILED: s"), HasSubstr("1,234,567             1,234,567  ok     good/"),
                          HasSubstr("3                     4  WRONG  bad/   (3 < 4")));
}

TEST(TextReport, long_tables_leave_out_what_is_right_and_say_so) {
  std::vector<CounterResult> counters(100, counter("good/", 1, 1));
  counters[50] = counter("bad/", 3, 4);
  const RunResult run = run_with(counters);
  const std::string text =
      text_of(write_text, run, TextReportOptions{.marks = false, .everything = false, .compact = false});
  EXPECT_THAT(text,
              AllOf(HasSubstr("bad/"), Not(HasSubstr("good/")), HasSubstr("Not shown: 99 counters without errors")));
  EXPECT_THAT(text_of(write_text, run, TextReportOptions{.marks = false, .everything = true, .compact = false}),
              HasSubstr("good/"));
}

TEST(TextReport, long_tables_do_not_call_right_what_nobody_judged) {
  std::vector<CounterResult> counters(100, counter("good/", 1, 1));
  for (std::size_t i = 0; i < 3; ++i) {
    counters[i] = counter("open/", 3, 3);
    counters[i].check = Check::unchecked;
  }
  const TextReportOptions options{.marks = false, .everything = false, .compact = false};
  EXPECT_THAT(text_of(write_text, run_with(counters), options),
              HasSubstr("Not shown: 97 counters without errors, 3 counters not judged. The result files"));
}

TEST(TextReport, a_run_without_a_verdict_says_why_however_short_or_long_it_is) {
  for (const std::size_t size : {1U, 100U}) {
    CounterResult open = counter("open/", 3, 3);
    open.check = Check::unchecked;
    open.note = "nobody knows";
    RunResult run = run_with(std::vector<CounterResult>(size, open));
    run.status = Status::not_judged;
    const TextReportOptions compact{.marks = false, .everything = false, .compact = true};
    EXPECT_THAT(text_of(write_text, run, compact), AllOf(HasSubstr("(nobody knows)"), Not(HasSubstr("Not shown"))));
    run.measures[0].is_compared = false;
    EXPECT_THAT(text_of(write_text, run, compact), Not(HasSubstr("(nobody knows)")));
  }
}

TEST(TextReport, counters_nobody_judges_and_expected_failures_are_called_so) {
  const auto headline = [](std::uint64_t good, std::uint64_t wrong, std::uint64_t unchecked, Status status) {
    std::vector<CounterResult> counters(good, counter("good/", 1, 1));
    counters.resize(good + wrong, counter("bad/", 3, 4));
    counters.resize(good + wrong + unchecked, counter("open/", 3, 3));
    for (std::size_t i = good + wrong; i < counters.size(); ++i) counters[i].check = CounterResult::Check::unchecked;
    RunResult run = run_with(counters);
    run.status = status;
    CounterTotals totals;
    totals.add(run);
    return describe(totals);
  };
  EXPECT_EQ(headline(22, 0, 0, Status::passed), "22 counters, none wrong");
  EXPECT_EQ(headline(0, 0, 2, Status::passed), "2 counters, not judged");
  EXPECT_EQ(headline(1, 0, 2, Status::passed), "3 counters, none wrong, 2 not judged");
  EXPECT_EQ(headline(7, 53, 0, Status::expected_failure), "53 of 60 counters wrong, all as expected");
  EXPECT_EQ(headline(0, 1, 0, Status::failed), "1 of 1 counter wrong");
  EXPECT_EQ(headline(1, 0, 0, Status::passed), "1 counter, none wrong");
}

TEST(TextReport, it_is_told_if_every_count_is_0) {
  std::vector<CounterResult> counters(2, counter("nothing/", 0, 0));
  const auto headline = [&] {
    CounterTotals totals;
    totals.add(run_with(counters));
    return describe(totals);
  };
  EXPECT_EQ(headline(), "2 counters, none wrong; every count is 0");
  counters.push_back(counter("open/", 3, 3));
  counters.back().check = CounterResult::Check::unchecked;
  EXPECT_EQ(headline(), "3 counters, none wrong, 1 not judged; every count is 0");
  counters.push_back(counter("some/", 1, 1));
  EXPECT_EQ(headline(), "4 counters, none wrong, 1 not judged");
}

TEST(TextReport, what_failed_is_called_by_its_name) {
  std::vector<CounterResult> counters = {counter("good/", 1, 1), counter("bad/", 3, 4), counter("bad/", 3, 4),
                                         counter("refused/", 0, 0)};
  counters[3].check = CounterResult::Check::not_opened;
  const auto told = [&] {
    CounterTotals totals;
    totals.add(run_with(counters));
    return describe(totals);
  };
  EXPECT_EQ(told(), "3 of 4 counters failed: 2 counts wrong, 1 event not opened");
  counters.push_back(counter("never/", 0, 7));
  counters.back().time_running = 0;
  counters.push_back(counter("unexpected/", 5, 5));
  counters.back().check = CounterResult::Check::wrong;
  EXPECT_EQ(told(),
            "5 of 6 counters failed: 2 counts wrong, 1 event not opened, 1 event not counted, 1 count not what the "
            "scenario expects");
  counters = {counter("unexpected/", 5, 5)};
  counters.back().check = CounterResult::Check::wrong;
  EXPECT_EQ(told(), "1 of 1 counter failed: 1 count not what the scenario expects");
}

TEST(JunitReport, failures_are_counted_and_special_characters_escaped) {
  const std::string xml =
      text_of(write_report, ReportKind::junit, run_with({counter("a<b>/", 3, 4), counter("c/", 1, 1)}));
  EXPECT_THAT(xml, AllOf(HasSubstr(R"(tests="2" failures="1" errors="0" skipped="0")"), HasSubstr("a&lt;b&gt;/"),
                         HasSubstr("3 &lt; 4 &amp; &quot;quoted&quot;")));
}

TEST(JunitReport, the_time_of_a_run_is_divided_among_its_test_cases) {
  RunResult run = run_with({counter("a/", 3, 3), counter("b/", 1, 1)});
  run.checks = {{"released", true, ""}, {"quiet", true, ""}};
  std::ostringstream out;
  const auto report = make_report(ReportKind::junit, out);
  report->add(run, 3.0);
  report->add(run);
  report->finish();
  const std::string xml = out.str();
  EXPECT_THAT(xml, HasSubstr(R"( time="3.000000" tests="4")"));
  std::size_t cases = 0;
  for (std::size_t at = xml.find(" time=\"0.750000\"/>"); at != std::string::npos;
       at = xml.find(" time=\"0.750000\"/>", at + 1))
    ++cases;
  EXPECT_EQ(cases, 4U) << xml;
  // What no clock has measured has no time.
  EXPECT_EQ(xml.find("time=\"", xml.rfind("<testsuite ")), std::string::npos) << xml;
  // Nor has any other report.
  for (const ReportKind kind : {ReportKind::json, ReportKind::csv}) {
    std::ostringstream timed;
    std::ostringstream plain;
    make_report(kind, timed)->add(run, 3.0);
    make_report(kind, plain)->add(run);
    EXPECT_EQ(timed.str(), plain.str());
  }
}

TEST(CsvReport, fields_with_commas_and_quotes_are_quoted) {
  const std::string csv = text_of(write_report, ReportKind::csv, run_with({counter("p/a,b=1/", 3, 4)}));
  EXPECT_THAT(csv, HasSubstr(R"(s,,7.3.4,m,"p/a,b=1/",3,4,wrong,2000000,1000000,no,"3 < 4 & ""quoted""")"));
}

TEST(JsonReport, of_several_runs_is_one_document_with_the_indents_of_one) {
  const std::vector<RunResult> runs = {run_with({counter("a/", 3, 4)}), run_with({}), run_with({counter("b/", 1, 1)})};
  for (const std::size_t number : {std::size_t{0}, std::size_t{1}, runs.size()}) {
    std::ostringstream out;
    const auto report = make_report(ReportKind::json, out);
    Json whole;
    whole["program"] = "pmufab";
    whole["version"] = version();
    whole["runs"] = Json::array();
    for (std::size_t i = 0; i < number; ++i) {
      report->add(runs[i]);
      whole["runs"].push_back(to_json(runs[i]));
    }
    report->finish();
    EXPECT_EQ(out.str(), whole.dump(1) + "\n");
  }
}

TEST(PerfReport, lines_are_those_of_perf_stat) {
  CounterResult whole = counter("p/a/", 7, 7);
  whole.time_running = whole.time_enabled;
  const RunResult run = run_with({whole});
  EXPECT_EQ(text_of(write_perf_csv, run, std::string(";")), "7;;p/a/;2000;100.00;;\n");
  EXPECT_EQ(text_of(write_perf_json, run),
            R"({"counter-value" : "7.000000", "unit" : "", "event" : "p/a/", "event-runtime" : 2000, )"
            R"-("pcnt-running" : 100.00, "metric-value" : 0.000000, "metric-unit" : "(null)"})-"
            "\n");
}

TEST(PerfReport, a_count_of_a_part_of_the_time_is_scaled_up_and_its_percentage_cut_to_a_whole_number) {
  CounterResult third = counter("p/a,b=1/", 100, 100);
  third.time_enabled = 3'000'000;
  // Commas of the event are not put into quotes (man perf-stat).
  EXPECT_EQ(text_of(write_perf_csv, run_with({third}), std::string(",")), "300,,p/a,b=1/,1000,33.00,,\n");
  const Json json = Json::parse(text_of(write_perf_json, run_with({third})));
  EXPECT_EQ(json.at("counter-value"), "300.000000");
  EXPECT_EQ(json.at("pcnt-running"), 33.0);
}

TEST(PerfReport, an_interval_has_its_own_count_run_time_and_percentage_and_the_time_since_the_start) {
  RunResult run = run_with({counter("p/a/", 7, 7)});
  run.measures[0].start = 500'000'000'000;
  run.measures[0].intervals = {{1'500'000'001'000, {{5, 1'000'000, 1'000'000}}},
                               {2'000'000'000'000, {{2, 1'000'000, 500'000}}},
                               {2'500'000'000'000, {{std::nullopt, 0, 0}}}};
  EXPECT_EQ(text_of(write_perf_csv, run, std::string(",")),
            "     1.000000001,5,,p/a/,1000,100.00,,\n"
            "     1.500000000,4,,p/a/,500,50.00,,\n"
            "     2.000000000,<not counted>,,p/a/,0,100.00,,\n");
  const std::string json = text_of(write_perf_json, run);
  EXPECT_EQ(
      json.substr(0, json.find('\n')),
      R"({"interval" : 1.000000001, "counter-value" : "5.000000", "unit" : "", "event" : "p/a/", )"
      R"-("event-runtime" : 1000, "pcnt-running" : 100.00, "metric-value" : 0.000000, "metric-unit" : "(null)"})-");
  EXPECT_EQ(Json(Json(run.measures[0]).get<MeasureResult>()), Json(run.measures[0]));
}

TEST(PerfReport, an_event_without_a_count_was_not_counted_or_is_not_supported) {
  CounterResult none = counter("p/a/", 0, 0);
  none.time_running = 0;
  EXPECT_EQ(text_of(write_perf_csv, run_with({none}), std::string(";")), "<not counted>;;p/a/;0;0.00;;\n");
  EXPECT_THAT(text_of(write_perf_json, run_with({none})),
              AllOf(HasSubstr(R"("counter-value" : "<not counted>")"), HasSubstr(R"("metric-unit" : ""})")));
  CounterResult refused;
  refused.event = "p/b/";
  refused.check = Check::not_opened;
  EXPECT_EQ(text_of(write_perf_csv, run_with({refused}), std::string(";")), "<not supported>;;p/b/;0;100.00;;\n");
}

TEST(TextReport, runs_never_begun_share_a_line_of_the_summary) {
  RunResult never;
  never.scenario = "s";
  never.status = Status::not_run;
  Summary summary;
  summary.add(never);
  summary.add(never);
  std::ostringstream out;
  summary.write(out);
  const std::string text = out.str();
  EXPECT_THAT(text, HasSubstr("NOT RUN: 2 runs"));
}

// contract D13
TEST(Derived, averages_follow_the_kernel_document) {
  constexpr Picoseconds kTime = 20'000'000'000;  // 20 ms
  const auto input = [](const char* event, std::uint64_t count) {
    DerivedInput result;
    result.pmu = "p";
    result.event = event;
    result.count = count;
    result.elapsed = kTime;
    return result;
  };
  DerivedInput requests = input("rd_req", 100'000);
  requests.mean_latency_ps = {90'000'000'000, 1'000'000};  // 90 ns
  std::vector<DerivedInput> inputs = {input("slc_bytes_rd", 40'000'000), input("slc_access_rd", 480'000),
                                      input("cycles", 48'000'000), requests, input("rd_cum_outs", 21'600'000)};
  inputs[0].figure = scoreboard::Figure::bandwidth;
  inputs[1].figure = scoreboard::Figure::request_rate;
  std::vector<DerivedResult> results = derive(inputs);
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(results[0].name, "p slc read bandwidth");
  EXPECT_DOUBLE_EQ(results[0].value, 2.0);  // 40 MB in 20 ms
  EXPECT_DOUBLE_EQ(results[1].value, 0.01);
  EXPECT_DOUBLE_EQ(results[2].value, 90.0);  // 216 cycles at 2.4 GHz
  EXPECT_DOUBLE_EQ(*results[2].reference, 90.0);
  EXPECT_TRUE(results[2].ok);

  inputs[4].count = 21'630'000;  // 0.14 % more
  EXPECT_FALSE(derive(inputs)[2].ok);
  inputs[4].filtered = true;
  EXPECT_EQ(derive(inputs).size(), 2U);
}

// contract E13
TEST(Derived, latencies_of_each_direction_have_their_own_requests) {
  constexpr Picoseconds kTime = 20'000'000'000;  // 20 ms
  std::vector<DerivedInput> inputs;
  const auto add = [&](const char* event, std::uint64_t count, std::uint64_t mean_ns = 0) {
    DerivedInput& input = inputs.emplace_back();
    input.pmu = "p";
    input.event = event;
    input.count = count;
    input.elapsed = kTime;
    if (mean_ns != 0) input.mean_latency_ps = {count * mean_ns * 1'000, count};
  };
  add("cycles", 36'000'000);  // 1.8 GHz
  add("in_rd_req", 100'000, 50);
  add("in_wr_req", 20'000, 100);
  add("out_rd_req", 50'000, 200);
  add("out_wr_req", 10'000, 300);
  add("in_rd_cum_outs", 100'000 * 90);
  add("in_wr_cum_outs", 20'000 * 180);
  add("out_rd_cum_outs", 50'000 * 360);
  add("out_wr_cum_outs", 10'000 * 541);  // a little more than 540
  const std::vector<DerivedResult> results = derive(inputs);
  ASSERT_EQ(results.size(), 4U);
  const std::pair<const char*, double> expected[] = {{"p average incoming read latency", 50},
                                                     {"p average incoming write latency", 100},
                                                     {"p average outgoing read latency", 200},
                                                     {"p average outgoing write latency", 300}};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(results[i].name, expected[i].first);
    EXPECT_DOUBLE_EQ(*results[i].reference, expected[i].second);
    EXPECT_EQ(results[i].ok, i != 3);
  }
}

}  // namespace
}  // namespace pmufab::scenario
