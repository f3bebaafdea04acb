// SPDX-License-Identifier: Apache-2.0
// The counts perf in a guest must have, from the messages of its wrapper and from accesses on the bus.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/doors/guest/guest_server.h"
#include "testbench/doors/guest/perf/perf_expectations.h"
#include "testbench/fabrics/tegra410/judge/tegra410_judge.h"
#include "testbench/support/simulation_test.h"
#include "testbench/tests/judge/perf_session.h"

namespace pmufab::guest {
namespace {

using scoreboard::test::PerfSession;
using testing::advance;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Events = std::vector<ExpectedEvent>;
using Traffic = PerfExpectations::Traffic;
using Writer = PerfExpectations::Writer;
using Words = std::vector<std::string>;
using namespace std::string_literals;
using namespace std::string_view_literals;

constexpr Picoseconds kNanosecond = 1000;

perf::Pmu ucf(const char* name, std::uint32_t type) {
  return {name,
          type,
          {{"cpumask", "0\n"},
           {"events/cycles", "event=0x100000000\n"},
           {"events/slc_access_rd", "event=0x111\n"},
           {"format/event", "config:0-32\n"},
           {"format/src_loc_cpu", "config1:1\n"}}};
}

/// A scoreboard with the PMUs of PerfSession. Its time is the simulated one.
class PerfExpectationsTest : public testing::SimulationTest {
 protected:
  PerfExpectationsTest() {
    board.follow_registers();
    // PMUs of both sockets.
    for (const std::uint64_t offset : {0, 0x1'0000})
      board.on_bus_access({testing::now(), PerfSession::kEnableSet + offset, 1, 4, true, true});
  }

  void say(std::string_view bytes) { expectations.hear(bytes); }
  /// As the wrapper in the guest reports it.
  void begin(const Words& arguments) {
    std::string text = "begin" + std::string(1, '\0') + std::to_string(arguments.size()) + '\0';
    for (const std::string& argument : arguments) text += argument + '\0';
    say(text);
  }
  void begin_events(const std::string& events) { begin({"stat", "-a", "-e", events, "sleep", "1"}); }
  void end() { say("end\0"sv); }

  void write_control(bool on, std::uint64_t offset = 0) {
    advance(kNanosecond);
    board.on_bus_access({testing::now(), PerfSession::kPmcr + offset, on ? 1U : 0U, 4, true, true});
    expectations.register_written(Writer::perf, true);
  }
  /// perf opens its events, or closes them.
  void open() { write_control(true); }
  void close() { write_control(false); }
  /// Requests of socket 0 that count one slc_access_rd each.
  void request(int count) {
    using namespace scoreboard::test;
    for (int i = 0; i < count; ++i) {
      advance(kNanosecond);
      fabric.on_request(scoreboard::test::request(gpu(0), FabricOpcode::read_once, kGmem, 8, testing::now()));
    }
  }
  /// All of the traffic. It begins when perf is quiet, as in the server.
  void play(int count) {
    expectations.begin_traffic();
    request(count);
    expectations.end_traffic();
  }
  /// A perf stat without mistakes.
  void count(const std::string& events, int requests) {
    begin_events(events);
    open();
    play(requests);
    close();
    advance(kNanosecond);
    end();
  }
  static std::string reads() { return "nvidia_ucf_pmu_0/slc_access_rd/"; }

  scoreboard::Scoreboard board;
  scoreboard::Tegra410Judge& fabric =
      board.add(std::make_unique<scoreboard::Tegra410Judge>(PerfSession::platform(), board.chronicle()));
  const PerfExpectations::Fabrics no_fabrics;
  const perf::PmuCatalog catalog{
      {ucf(PerfSession::kUcf0, 8), ucf(PerfSession::kUcf1, 9), ucf("nobody_judges_this", 10)}};
  std::vector<Events> told;
  PerfExpectations expectations{board, no_fabrics, catalog, [this](const Events& events) { told.push_back(events); }};
};

/// A fabric in which reads count in pairs.
class PairFabric final : public scenario::Fabric {
 public:
  void start_traffic() override {}
  void stop_traffic() override {}
  [[nodiscard]] bool traffic_is_over() const override { return false; }
  void report_traffic(scenario::Json& /*list*/) const override {}
  [[nodiscard]] bool counts_in_a_pair(const perf::ResolvedEvent& event) const override {
    return std::any_of(event.terms.begin(), event.terms.end(),
                       [](const scoreboard::EventTerm& term) { return term.value == 0x111U; });
  }
};

/// A judge that watched them twice would see two pairs.
TEST_F(PerfExpectationsTest, watch_events_once_of_which_a_fabric_says_that_they_count_in_pairs) {
  PerfExpectations::Fabrics fabrics;
  fabrics.push_back(std::make_unique<PairFabric>());
  PerfExpectations paired{board, fabrics, catalog, [this](const Events& events) { told.push_back(events); }};
  const auto count = [&](bool is_disturbed) {
    paired.hear("begin\0005\0stat\0-e\0nvidia_ucf_pmu_0/slc_access_rd/,nvidia_ucf_pmu_0/cycles/\0sleep\0001\0"sv);
    open();
    if (is_disturbed) request(2);
    paired.begin_traffic();
    EXPECT_EQ(board.results().size(), 3U) << "cycles twice";
    request(5);
    if (is_disturbed) paired.register_written(Writer::perf, false);
    paired.end_traffic();
    paired.hear("end\0"sv);
  };
  run([&] {
    count(false);
    count(true);
  });
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0].at(0).low, 5U);
  EXPECT_EQ(told[0].at(0).high, 5U);
  EXPECT_THAT(told[0].at(0).doubt, IsEmpty());
  EXPECT_EQ(told[1].at(0).low, 5U);
  EXPECT_EQ(told[1].at(0).high, 7U);
  EXPECT_EQ(told[1].at(0).doubt, "there was traffic while perf opened or closed events");
}

/// perf opens the events of a metric on all its PMUs, and prints one count for each event.
TEST_F(PerfExpectationsTest, of_a_metric_are_sums_over_its_pmus_and_a_formula) {
  const std::string list = R"json([
    {"MetricName": "rate", "MetricGroup": "all", "MetricExpr": "slc_access_rd / duration_time", "Unit": "nvidia_ucf_pmu"},
    {"MetricName": "odd", "MetricGroup": "some;all", "MetricExpr": "min(cycles, 1)", "Unit": "nvidia_ucf_pmu"},
    {"MetricName": "ipc", "MetricExpr": "instructions"}])json";
  run([&] {
    say("metrics" + std::string(1, '\0') + list + '\0');
    begin({"stat", "-a", "-M", "rate", "sleep", "1"});
    EXPECT_TRUE(expectations.is_counting());
    open();
    write_control(true, 0x1'0000);
    play(5);
    close();
    write_control(false, 0x1'0000);
    end();
    begin({"stat", "-M", "all,ipc,none"});
    end();
  });
  ASSERT_EQ(told.size(), 2U);
  ASSERT_EQ(told[0].size(), 2U);
  EXPECT_EQ(told[0][0].text, "slc_access_rd");
  EXPECT_EQ(told[0][0].low, 5U);
  EXPECT_EQ(told[0][0].high, 5U);
  EXPECT_EQ(told[0][1].text, "rate");
  ASSERT_TRUE(told[0][1].metric);
  EXPECT_EQ(told[0][1].metric->expression, "slc_access_rd / duration_time");
  ASSERT_EQ(told[1].size(), 6U);
  EXPECT_EQ(told[1][2].text, "odd");
  EXPECT_EQ(told[1][2].note, "pmufab does not know its formula");
  EXPECT_EQ(told[1][3].text, "instructions");
  EXPECT_EQ(told[1][3].note, "no PMU of the platform has it");
  EXPECT_EQ(told[1][5].text, "none");
  EXPECT_EQ(told[1][5].note, "perf list does not tell of such a metric");
}

TEST_F(PerfExpectationsTest, are_exact_for_an_event_that_is_alone_on_its_pmu) {
  run([&] {
    EXPECT_FALSE(expectations.is_counting());
    begin_events("nvidia_ucf_pmu_0/event=0x111,src_loc_cpu=0/");
    EXPECT_TRUE(expectations.is_counting());
    open();
    play(5);
    close();
    advance(kNanosecond);
    end();
    EXPECT_FALSE(expectations.is_counting());
  });
  ASSERT_EQ(told.size(), 1U);
  ASSERT_EQ(told[0].size(), 1U);
  EXPECT_EQ(told[0][0].text, "nvidia_ucf_pmu_0/event=0x111,src_loc_cpu=0/") << "as perf was given it";
  EXPECT_EQ(told[0][0].low, 5U);
  EXPECT_EQ(told[0][0].high, 5U);
  EXPECT_EQ(told[0][0].note, "");
  EXPECT_EQ(told[0][0].doubt, "");
  EXPECT_THAT(board.results(), IsEmpty()) << "what has been told is not kept";
}

TEST_F(PerfExpectationsTest, are_sums_where_perf_prints_one_row_for_several_pmus) {
  run([&] {
    begin({"stat", "-a", "-e", "slc_access_rd,nvidia_ucf_pmu/slc_access_rd,name=both/", "sleep", "1"});
    open();
    write_control(true, 0x1'0000);
    play(5);
    close();
    write_control(false, 0x1'0000);
    end();
    begin({"stat", "-A", "-e", "nvidia_ucf_pmu/slc_access_rd/"});
    end();
  });
  ASSERT_EQ(told.at(0).size(), 3U);
  EXPECT_EQ(told[0][0].text, "nobody_judges_this/slc_access_rd/");
  EXPECT_FALSE(told[0][0].high);
  EXPECT_EQ(told[0][1].text, "nvidia_ucf_pmu_0/slc_access_rd/") << "there is another PMU, so perf names this one";
  EXPECT_EQ(told[0][2].text, "both");
  for (const std::size_t row : {1U, 2U}) {
    EXPECT_EQ(told[0][row].low, 5U);
    EXPECT_EQ(told[0][row].high, 5U);
  }
  ASSERT_EQ(told.at(1).size(), 2U);
  EXPECT_EQ(told[1][1].text, "nvidia_ucf_pmu_1/slc_access_rd/");
}

TEST_F(PerfExpectationsTest, tell_of_events_that_the_kernel_has_to_refuse) {
  run([&] {
    count(reads() + "u," + reads(), 5);
    count("{" + reads() + "," + reads() + "}:k", 0);
  });
  ASSERT_EQ(told.size(), 2U);
  EXPECT_TRUE(told[0].at(0).is_refused);
  EXPECT_FALSE(told[0].at(0).high);
  EXPECT_FALSE(told[0].at(1).is_refused);
  EXPECT_EQ(told[0].at(1).low, 5U) << "the only one of its PMU";
  for (const ExpectedEvent& event : told[1]) EXPECT_TRUE(event.is_refused);
}

TEST_F(PerfExpectationsTest, tell_which_modifiers_leave_out_modes) {
  const Words modifiers = {"u", "uk", "ukh", "khu", "G", "H", "GH", "ukhG", "ukhGH", "I", "ukhI", "P", "D"};
  run([&] {
    for (const std::string& some : modifiers) count(reads() + some, 0);
    count("{" + reads() + "uk," + reads() + "}:h", 0);
  });
  std::string refused;
  for (std::size_t i = 0; i < modifiers.size(); ++i) {
    if (told.at(i).at(0).is_refused) refused += modifiers[i] + " ";
  }
  EXPECT_EQ(refused, "u uk G H ukhG I ukhI ") << "as perf 7.3 asks the kernel for them";
  EXPECT_FALSE(told.back().at(0).is_refused) << "the group's come behind the event's";
  EXPECT_TRUE(told.back().at(1).is_refused);
}

TEST_F(PerfExpectationsTest, tell_that_a_group_is_refused_with_its_first_event) {
  const std::string other = "nvidia_ucf_pmu_1/slc_access_rd/";
  run([&] {
    count("{" + reads() + "u," + reads() + "," + other + "}", 0);
    count("{" + reads() + "u," + reads() + "}:W", 0);
    count("{task-clock:u," + reads() + "}", 0);
    count("{" + reads() + "," + reads() + "u," + reads() + "}", 0);
  });
  EXPECT_TRUE(told.at(0).at(1).is_refused);
  EXPECT_EQ(told[0][1].note, "the first event of its group is refused");
  EXPECT_FALSE(told[0].at(2).is_refused) << "perf divides groups by PMUs";
  EXPECT_FALSE(told.at(1).at(1).is_refused) << "a weak group";
  EXPECT_FALSE(told.at(2).at(1).is_refused) << "software events may leave out modes";
  EXPECT_FALSE(told.at(3).at(2).is_refused) << "another member";
}

/// This PMU has seven counters.
TEST_F(PerfExpectationsTest, tell_whether_the_kernel_may_refuse_a_member_of_a_group) {
  std::string group = reads();
  for (int i = 1; i < 7; ++i) group += "," + reads();
  run([&] {
    count("{" + group + "}", 0);
    count("{task-clock," + group + "," + reads() + "}", 0);
    count("{" + reads() + "u," + reads() + "," + reads() + "}:W", 0);
    count("{" + reads() + ",nvidia_ucf_pmu_1/slc_access_rd/}", 0);
    count("{nobody_judges_this/slc_access_rd/,nobody_judges_this/cycles/}", 0);
  });
  for (const ExpectedEvent& event : told.at(0)) EXPECT_FALSE(event.is_member) << "there is a counter for each";
  ASSERT_EQ(told.at(1).size(), 9U);
  EXPECT_FALSE(told[1][7].is_member);
  EXPECT_TRUE(told[1][8].is_member) << "one too many";
  EXPECT_FALSE(told.at(2).at(2).is_member);
  EXPECT_TRUE(told.at(3).at(1).is_member) << "of another PMU than the first";
  EXPECT_TRUE(told.at(4).at(1).is_member);
}

TEST_F(PerfExpectationsTest, pass_on_what_perf_prints_to_its_file) {
  std::vector<std::string> printed;
  expectations.on_printed([&](const std::string& text) { printed.push_back(text); });
  run([&] {
    begin({"stat", "-o", "file", "-e", reads(), "sort", "-o", "other"});
    say("printed\0other\0no\0printed\0file\0yes\0"sv);
    end();
    say("printed\0file\0late\0"sv);
  });
  EXPECT_THAT(printed, ::testing::ElementsAre("yes"));
}

TEST_F(PerfExpectationsTest, are_none_for_the_kernels_own_events) {
  run([&] { count("task-clock,nvidia_ucf_pmu_0/slc_access_rd/", 3); });
  ASSERT_EQ(told.size(), 1U);
  ASSERT_EQ(told[0].size(), 2U);
  EXPECT_EQ(told[0][0].note, "no PMU of the platform counts it");
  EXPECT_FALSE(told[0][0].high);
  EXPECT_EQ(told[0][1].high, 3U);
}

TEST_F(PerfExpectationsTest, are_exact_for_events_that_are_one_group_with_all_others_of_their_pmu) {
  run([&] {
    const auto count_late = [&](const std::string& events) {
      begin_events(events);
      open();
      advance(10 * kNanosecond);  // it is not known yet that all are open
      play(5);
      advance(kNanosecond);
      close();
      advance(kNanosecond);
      end();
    };
    count_late("{" + reads() + ",nvidia_ucf_pmu_0/cycles/},nvidia_ucf_pmu_1/cycles/");
    count_late("{" + reads() + ",nvidia_ucf_pmu_0/cycles/},nvidia_ucf_pmu_0/cycles/");
    count_late("nvidia_ucf_pmu_0/cycles/,nvidia_ucf_pmu_*/nothing/");
    begin({"stat", "-a", "-e", "nvidia_ucf_pmu_0/cycles/", "-e", "{nvidia_ucf_pmu_0/slc_access_rd/", "sleep", "1"});
    open();
    advance(10 * kNanosecond);
    expectations.all_open();
    close();
    advance(kNanosecond);
    end();
  });
  ASSERT_EQ(told.at(0).size(), 3U);
  EXPECT_EQ(told[0][1].low, 10U + 5U + 1U + 1U);
  EXPECT_EQ(told[0][1].high, told[0][1].low);
  // The third event is opened and closed by itself.
  EXPECT_LT(told.at(1).at(1).low, 17U);
  EXPECT_EQ(told[1][1].high, 17U);
  // An event that was not understood may belong to the same PMU.
  for (const std::size_t run : {2U, 3U}) {
    EXPECT_LT(told.at(run).at(0).low, told[run][0].high);
    EXPECT_NE(told[run].at(1).note, "");
  }
}

TEST_F(PerfExpectationsTest, of_several_events_of_a_pmu_have_bounds_where_time_counts) {
  run([&] { count(reads() + ",nvidia_ucf_pmu_0/cycles/", 5); });
  ASSERT_EQ(told.at(0).size(), 2U);
  const ExpectedEvent& traffic = told[0][0];
  EXPECT_EQ(traffic.low, 5U);
  EXPECT_EQ(traffic.high, 5U);
  EXPECT_EQ(traffic.doubt, "");
  const ExpectedEvent& cycles = told[0][1];
  // An edge each nanosecond, from the write that starts the PMU, or from the first request, to the write that stops it.
  EXPECT_EQ(cycles.low, 6U);
  EXPECT_EQ(cycles.high, 6U);
}

TEST_F(PerfExpectationsTest, are_wider_where_the_pmu_runs_before_all_events_are_open_and_after_the_first_is_closed) {
  run([&] {
    begin_events(reads() + ",nvidia_ucf_pmu_0/cycles/");
    open();
    advance(10 * kNanosecond);
    play(5);
    expectations.register_written(Writer::perf, true);  // one is closed, and the PMU continues
    advance(3 * kNanosecond);
    close();
    end();
  });
  EXPECT_EQ(told.at(0).at(0).low, 5U);
  EXPECT_EQ(told[0][0].high, 5U);
  EXPECT_EQ(told[0][1].low, 5U);
  EXPECT_EQ(told[0][1].high, 10U + 5U + 3U + 1U);
  EXPECT_EQ(told[0][1].doubt, "");
}

// Handlers of interrupts write registers too. Then it is unknown which write is the first of perf's closing.
TEST_F(PerfExpectationsTest, promise_no_more_than_was_counted_before_the_first_write_that_may_be_perfs) {
  const auto cycles = [&](const std::vector<bool>& pauses) {
    begin_events(reads() + ",nvidia_ucf_pmu_0/cycles/");
    open();
    expectations.all_open();
    for (const bool after_pause : pauses) {
      advance(10 * kNanosecond);
      expectations.register_written(Writer::unknown, after_pause);
    }
    advance(3 * kNanosecond);
    expectations.register_written(Writer::perf, false);
    advance(2 * kNanosecond);
    close();
    end();
  };
  run([&] {
    play(1);
    cycles({true, true, false});    // perf may have started with the second
    cycles({false, false, false});  // or with the first
    cycles({});
  });
  ASSERT_EQ(told.size(), 3U);
  EXPECT_EQ(told[0].at(1).low, 20U);
  EXPECT_EQ(told[0].at(1).high, 36U);
  EXPECT_EQ(told[1].at(1).low, 10U);
  EXPECT_EQ(told[1].at(1).high, 36U);
  EXPECT_EQ(told[2].at(1).low, 3U);
  EXPECT_EQ(told[2].at(1).high, 6U);
}

TEST_F(PerfExpectationsTest, take_what_a_handler_may_have_written_for_no_disturbance) {
  run([&] {
    begin_events(reads() + ",nvidia_ucf_pmu_0/cycles/");
    open();
    expectations.begin_traffic();
    request(3);
    expectations.register_written(Writer::unknown, false);
    request(2);
    expectations.end_traffic();
    close();
    end();
  });
  EXPECT_EQ(told.at(0).at(0).low, 5U);
  EXPECT_EQ(told[0][0].high, 5U);
  EXPECT_EQ(told[0][0].doubt, "");
}

TEST_F(PerfExpectationsTest, doubt_themselves_if_perf_begins_in_the_middle_of_traffic) {
  run([&] {
    expectations.begin_traffic();
    begin_events(reads() + ",nvidia_ucf_pmu_0/cycles/");
    advance(kNanosecond);
    board.on_bus_access({testing::now(), PerfSession::kPmcr, 1U, 4, true, true});
    expectations.register_written(Writer::unknown, false);
    expectations.all_open();
    request(2);
    expectations.end_traffic();
    close();
    end();
  });
  EXPECT_THAT(told.at(0).at(0).doubt, HasSubstr("traffic while perf opened or closed"));
}

TEST_F(PerfExpectationsTest, of_several_runs_are_told_one_by_one) {
  run([&] {
    count(reads(), 5);
    // The traffic has ended, and is not played again.
    begin_events(reads());
    open();
    expectations.all_open();
    close();
    advance(kNanosecond);
    end();
  });
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0].at(0).high, 5U);
  EXPECT_EQ(told[1].at(0).low, 0U);
  EXPECT_EQ(told[1].at(0).high, 0U);
  EXPECT_EQ(told[1].at(0).note, "");
}

TEST_F(PerfExpectationsTest, doubt_themselves_if_there_is_traffic_while_perf_opens_or_closes_events) {
  run([&] {
    expectations.begin_traffic();
    begin_events(reads() + ",nvidia_ucf_pmu_0/cycles/");
    open();
    request(2);
    open();
    expectations.all_open();
    request(5);
    close();
    end();
  });
  EXPECT_EQ(told.at(0).at(0).low, 5U);
  EXPECT_EQ(told[0][0].high, 7U);
  EXPECT_THAT(told[0][0].doubt, HasSubstr("traffic while perf opened or closed"));
}

TEST_F(PerfExpectationsTest, doubt_themselves_if_perf_ended_before_it_was_quiet) {
  run([&] {
    begin_events(reads() + ",nvidia_ucf_pmu_0/cycles/");
    open();
    advance(5 * kNanosecond);
    close();
    end();
  });
  EXPECT_EQ(told.at(0).at(0).note, "the traffic had not begun");
  EXPECT_FALSE(told[0][0].high.has_value());
  EXPECT_EQ(told[0][1].low, 0U);
  EXPECT_EQ(told[0][1].high, 6U);
  EXPECT_THAT(told[0][1].doubt, HasSubstr("before all its events were known to be open"));
}

TEST_F(PerfExpectationsTest, know_nothing_of_traffic_before_and_after_perf) {
  run([&] {
    expectations.begin_traffic();
    write_control(true);
    request(100);
    write_control(false);
    expectations.end_traffic();
    begin_events(reads());
    open();
    request(5);
    close();
    advance(kNanosecond);
    end();
    write_control(true);
    request(1000);
  });
  EXPECT_EQ(told.at(0).at(0).low, 5U);
  EXPECT_EQ(told[0][0].high, 5U);
}

TEST_F(PerfExpectationsTest, are_not_exact_for_an_event_whose_pmu_runs_all_the_time) {
  run([&] {
    write_control(true);
    expectations.begin_traffic();
    begin_events(reads());
    request(3);
    expectations.all_open();
    request(5);
    end();
  });
  EXPECT_EQ(told.at(0).at(0).low, 5U);
  EXPECT_EQ(told[0][0].high, 8U);
  EXPECT_THAT(told[0][0].doubt, Not(IsEmpty()));
}

TEST_F(PerfExpectationsTest, say_why_an_event_is_not_judged) {
  run([&] {
    begin_events(
        "nvidia_ucf_pmu_*/slc_access_rd/,nobody_judges_this/cycles/,nothing/cycles/,nvidia_ucf_pmu_0/nothing/");
    end();
    begin({"stat", "-r", "3", "-e", reads()});
    end();
    begin({"stat", "-a", "sleep", "1"});
    end();
    begin_events("{nvidia_ucf_pmu_0/cycles/");
    end();
  });
  ASSERT_EQ(told.size(), 4U);
  ASSERT_EQ(told[0].size(), 4U);
  EXPECT_EQ(told[0][0].note, "the traffic had not begun") << "of two PMUs";
  EXPECT_EQ(told[0][1].note, "the scoreboard does not judge this PMU");
  EXPECT_THAT(told[0][2].note, HasSubstr("there is no PMU 'nothing'"));
  EXPECT_THAT(told[0][3].note, HasSubstr("unknown event or term 'nothing'"));
  EXPECT_THAT(told[1].at(0).note, HasSubstr("a mean"));
  EXPECT_THAT(told[2].at(0).note, HasSubstr("its events are not known"));
  EXPECT_THAT(told[3].at(0).note, HasSubstr("not closed"));
  for (const Events& events : told) {
    for (const ExpectedEvent& event : events) {
      EXPECT_FALSE(event.low.has_value()) << event.text;
      EXPECT_FALSE(event.high.has_value()) << event.text;
    }
  }
}

TEST_F(PerfExpectationsTest, of_a_number_that_is_no_event_say_that_0_is_no_wonder) {
  run([&] { count("nvidia_ucf_pmu_0/event=0x1ff/", 5); });
  EXPECT_EQ(told.at(0).at(0).low, 0U);
  EXPECT_EQ(told[0][0].high, 0U);
  EXPECT_THAT(told[0][0].note, HasSubstr("no such event"));
}

TEST_F(PerfExpectationsTest, of_a_perf_that_was_killed_end_with_the_next_one_or_with_all) {
  run([&] {
    begin_events(reads());
    open();
    play(5);
    close();
    begin_events(reads());
    EXPECT_EQ(told.size(), 1U);
    open();
    expectations.finish();
    EXPECT_FALSE(expectations.is_counting());
    expectations.finish();
  });
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0].at(0).high, 5U);
}

TEST_F(PerfExpectationsTest, do_not_doubt_themselves_where_there_is_no_traffic) {
  run([&] {
    begin_events("nvidia_ucf_pmu_0/cycles/," + reads());
    open();
    expectations.end_traffic();
    EXPECT_EQ(expectations.traffic(), Traffic::ended);
    expectations.register_written(Writer::perf, false);  // not all are open before perf is quiet
    expectations.all_open();
    advance(10 * kNanosecond);
    close();
    end();
  });
  EXPECT_EQ(told.at(0).at(0).low, 11U);
  EXPECT_EQ(told[0][0].high, 11U);
  EXPECT_EQ(told[0][1].low, 0U);
  EXPECT_EQ(told[0][1].high, 0U);
  for (const ExpectedEvent& event : told[0]) {
    EXPECT_EQ(event.doubt, "");
    EXPECT_EQ(event.note, "");
  }
}

TEST_F(PerfExpectationsTest, doubt_themselves_if_two_perfs_run_at_once) {
  run([&] {
    begin_events(reads());
    open();
    begin_events(reads());
    play(5);
    end();
    // The other perf continues, and its end is not the third's.
    begin_events(reads());
    open();
    end();
    end();
    // Nothing of them remains.
    begin_events(reads());
    end();
  });
  ASSERT_EQ(told.size(), 4U);
  for (const std::size_t i : {0, 1, 2})
    EXPECT_THAT(told[i].at(0).doubt, HasSubstr("another perf ran at the same time")) << i;
  EXPECT_EQ(told[3].at(0).doubt, "");
}

TEST_F(PerfExpectationsTest, doubt_themselves_if_another_command_of_perf_runs_meanwhile) {
  run([&] {
    begin_events(reads());
    open();
    begin({"list"});
    play(5);
    end();
    end();
  });
  ASSERT_EQ(told.size(), 1U);
  EXPECT_THAT(told[0].at(0).doubt, HasSubstr("another perf ran at the same time"));
}

TEST_F(PerfExpectationsTest, are_made_for_perf_stat_only) {
  run([&] {
    begin({"list"});
    EXPECT_FALSE(expectations.is_counting());
    begin({});
    EXPECT_FALSE(expectations.is_counting());
    end();
    expectations.all_open();
    expectations.register_written(Writer::perf, true);
    expectations.finish();
  });
  EXPECT_THAT(told, IsEmpty());
}

TEST_F(PerfExpectationsTest, hear_words_in_pieces_and_several_at_once) {
  run([&] {
    for (const char byte : "begin\0003\0stat\0-e\0nvidia_ucf_pmu_0/cycles/\0end\0"sv) say({&byte, 1});
    say("begin\0003\0stat\0-e\0nvidia_ucf_pmu_1/cycles/\0end\0begin\0003\0stat\0-e\0nothing/x/\0end\0"sv);
  });
  ASSERT_EQ(told.size(), 3U);
  EXPECT_EQ(told[0].at(0).text, "nvidia_ucf_pmu_0/cycles/");
  EXPECT_EQ(told[1].at(0).text, "nvidia_ucf_pmu_1/cycles/");
  EXPECT_EQ(told[2].at(0).text, "nothing/x/");
}

TEST_F(PerfExpectationsTest, take_arguments_for_what_they_are) {
  run([&] {
    begin({"stat", "-e", reads(), "sh", "-c", "end", "begin", ""});
    EXPECT_TRUE(expectations.is_counting());
    end();
  });
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].size(), 1U);
}

TEST_F(PerfExpectationsTest, hear_on_after_nonsense) {
  run([&] {
    const std::string huge(100'000, 'x');
    for (const std::string& nonsense :
         {std::string("end\0end\0"s), std::string("\0\0\0"s), std::string("begin\0-1\0"s), std::string("begin\0\0"s),
          std::string("begin\0003x\0"s), std::string("begin\00099999999999999999999999999\0"s), huge + '\0',
          "begin\0"s + huge + '\0', std::string("\xff\xfe begin\0"s)}) {
      say(nonsense);
      EXPECT_FALSE(expectations.is_counting());
    }
    EXPECT_THAT(told, IsEmpty());
    begin_events(reads());
    EXPECT_TRUE(expectations.is_counting());
    end();
  });
  EXPECT_EQ(told.size(), 1U);
}

TEST_F(PerfExpectationsTest, do_not_wait_for_arguments_without_end) {
  run([&] {
    std::string endless = "begin\00018446744073709551615\0"s;
    for (int i = 0; i < 1000; ++i) endless += "word\0"s;
    say(endless);
    EXPECT_FALSE(expectations.is_counting());
    begin_events(reads());
    EXPECT_TRUE(expectations.is_counting());
    end();
  });
  EXPECT_EQ(told.size(), 1U);
}

}  // namespace
}  // namespace pmufab::guest
