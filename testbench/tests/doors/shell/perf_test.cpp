// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "testbench/tests/doors/shell/shell_fixture.h"

namespace pmufab::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ShellPerf : public Shell {};

TEST_F(ShellPerf, lists_the_events_the_drivers_publish) {
  const Outcome listed = pmufab({"list", platform.front(), "--json"});
  ASSERT_EQ(listed.exit_code, 0) << listed.err;
  std::set<std::string> wanted;
  const json published = json::parse(listed.out);
  for (const json& pmu : published.at("pmus")) {
    for (const auto& [event, definition] : pmu.at("events").items())
      wanted.insert(fmt::format("{}/{}/", std::string(pmu.at("name")), event));
  }
  ASSERT_GE(wanted.size(), 40U);
  // Without -v, perf 6.12 combines PMUs whose names differ only in the last number, and omits the number.
  const Session session = type("perf list -v pmu");
  std::set<std::string> found;
  std::istringstream stream(session.outcome.out);
  for (std::string word; stream >> word;) {
    if (word.find('/') != std::string::npos && word.back() == '/') found.insert(word);
  }
  EXPECT_THAT(found, ::testing::IsSupersetOf(wanted)) << session.outcome.out;
}

TEST_F(ShellPerf, counts_groups_and_single_events_of_two_kinds_of_pmu_for_simulated_time) {
  const Session session = type(
      "perf stat -x';' -a -e '{nvidia_ucf_pmu_0/slc_access_rd/,nvidia_ucf_pmu_0/event=0x111,src_loc_cpu=1/}' "
      "-e nvidia_cmem_latency_pmu_1/rd_cum_outs/ -e nvidia_ucf_pmu_1/cycles/ sleep 1 2>&1");
  expect_exact(session, 4);
  EXPECT_EQ(session.verdicts[1].at("event"), "nvidia_ucf_pmu_0/slc_access_rd,src_loc_cpu=0x1/");
  const auto lines = table(session.outcome.out, ';');
  ASSERT_EQ(lines.size(), 4U) << session.outcome.out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i].at(0), std::to_string(session.verdicts[i].at("driver").get<std::uint64_t>()));
    EXPECT_GT(session.verdicts[i].at("driver"), 1000);
    // One second of sleep is a simulated millisecond, plus some register accesses, in nanoseconds.
    EXPECT_NEAR(std::stod(lines[i].at(3)), 1e6, 5e3);
  }
  // 2.4 GHz, as in the platform's file.
  EXPECT_NEAR(session.verdicts[3].at("driver").get<double>(), 2.4e6, 12e3);
}

TEST_F(ShellPerf, members_of_a_group_take_the_device_of_their_leader) {
  platform = {shipped("platforms/tegra410-root-ports.yaml"), "--traffic", shipped("traffic/pcie-devices.yaml")};
  const Session session = type(
      "perf stat -a -e '{nvidia_pcie_pmu_0_rc_3/rd_req,src_bdf=0xb9f4,src_bdf_en=1/,nvidia_pcie_pmu_0_rc_3/rd_bytes/}' "
      "-e nvidia_pcie_pmu_0_rc_2/rd_bytes/ sleep 0.1");
  expect_exact(session, 3);
  EXPECT_GT(session.verdicts[1].at("driver"), 0);
}

TEST_F(ShellPerf, says_what_takes_simulated_time_and_not_the_hosts) {
  const Session session = type("perf stat -a -e nvidia_ucf_pmu_0/cycles/ sleep 2");
  expect_exact(session, 1);
  EXPECT_THAT(session.outcome.err, HasSubstr(" 0.00200")) << "seconds time elapsed";
  platform.insert(platform.end(), {"--time-scale", "0.01"});
  const Session slower = type("perf stat -a -e nvidia_ucf_pmu_0/cycles/ sh -c 'sleep 0.1; sleep 0.1'");
  expect_exact(slower, 1);
  EXPECT_THAT(slower.outcome.err, HasSubstr(" 0.00200")) << "seconds time elapsed";
}

TEST_F(ShellPerf, the_same_commands_give_the_same_counts) {
  const std::string commands = "perf stat -x, -a -I 100 -e nvidia_ucf_pmu_0/slc_access_rd/ sleep 0.55 2>&1";
  const Session first = type(commands);
  const Session second = type(commands);
  expect_exact(first, 1);
  EXPECT_EQ(first.outcome.out, second.outcome.out);
}

TEST_F(ShellPerf, a_signal_ends_a_wait_that_the_simulator_knows_and_that_has_not_begun) {
  const std::string program = PMUFAB_SIGNAL_PROGRAM;
  // Time of the host passes in poll(), but not in perf's.
  const Session session = type(program + " sleep; bash -c 'exec -a perf " + program + " poll'");
  EXPECT_EQ(session.outcome.out, "sleep: interrupted\npoll: interrupted\n");
}

// contract F2
TEST_F(ShellPerf, a_thousand_intervals_add_up_to_the_final_count) {
  platform.insert(platform.end(), {"--time-scale", "0.0002"});
  const Session session = type("perf stat -x, -a -I 10 --summary -e nvidia_ucf_pmu_0/slc_access_rd/ sleep 11.5 2>&1");
  expect_exact(session, 1);
  const auto lines = table(session.outcome.out);
  for (const json& verdict : session.verdicts) {
    std::uint64_t sum = 0;
    std::uint64_t intervals = 0;
    std::uint64_t summary = 0;
    for (const auto& line : lines) {
      if (line.at(3) != std::string(verdict.at("event"))) continue;
      if (line.at(0) == "summary") {
        summary = std::stoull(line.at(1));
      } else {
        sum += std::stoull(line.at(1));
        ++intervals;
      }
    }
    EXPECT_GE(intervals, 1000U);
    EXPECT_EQ(sum, summary) << verdict;
    EXPECT_EQ(sum, verdict.at("driver").get<std::uint64_t>()) << verdict;
  }
}

TEST_F(ShellPerf, prints_json_and_repeats_runs) {
  const Session session = type(
      "perf stat -j -a -e nvidia_ucf_pmu_0/slc_access_wr/ sleep 0.1 2>&1;"
      "perf stat -r 3 -a -e nvidia_ucf_pmu_0/slc_access_wr/ sleep 0.1");
  expect_exact(session, 4);
  const json line = json::parse(session.outcome.out.substr(session.outcome.out.find('{')));
  EXPECT_EQ(std::stod(line.at("counter-value").get<std::string>()), session.verdicts[0].at("driver").get<double>());
  EXPECT_THAT(session.outcome.err, HasSubstr("(3 runs)"));
}

TEST_F(ShellPerf, shows_counts_by_socket_node_and_cpu) {
  const Session session = type(
      "for by in --per-socket --per-node -A; do perf stat -x, $by -a -e nvidia_ucf_pmu_0/cycles/ "
      "-e nvidia_ucf_pmu_1/cycles/ sleep 0.1 2>&1; done");
  expect_exact(session, 6);
  std::set<std::string> places;
  for (const auto& line : table(session.outcome.out)) {
    if (line.at(1) != "0") places.insert(line.at(0));
  }
  // Each socket has 88 CPUs. The first of each reads its PMUs.
  EXPECT_THAT(places, ::testing::IsSupersetOf({"S0", "S1", "N0", "N1", "CPU0", "CPU88"})) << session.outcome.out;
}

TEST_F(ShellPerf, more_events_than_counters_take_turns_and_are_compared_for_theirs) {
  std::string events;
  for (const char* event : {"slc_access_rd", "slc_access_wr", "slc_bytes_rd", "slc_bytes_wr", "slc_hit_rd",
                            "mem_access_rd", "mem_access_wr", "mem_bytes_rd", "mem_bytes_wr", "local_snoop"})
    events += fmt::format(" -e nvidia_ucf_pmu_0/{}/", event);
  const Session session = type(fmt::format("perf stat -a{} sleep 1", events));
  expect_exact(session, 10);
  EXPECT_THAT(session.outcome.err, AllOf(HasSubstr("%)"), Not(HasSubstr("<not counted>"))));
}

/// Sixteen events for seven counters; the last one counts cycles.
std::string sixteen_events() {
  std::string events;
  for (const char* event : {"slc_access_rd", "slc_access_wr", "slc_bytes_rd", "slc_bytes_wr", "slc_hit_rd"}) {
    for (const char* filter : {"", ",src_loc_cpu=1", ",src_rem=1"})
      events += fmt::format(" -e nvidia_ucf_pmu_0/{}{}/", event, filter);
  }
  return events + " -e nvidia_ucf_pmu_0/cycles/";
}

TEST_F(ShellPerf, turns_are_as_short_as_in_linux_and_take_nothing_from_the_counts) {
  // At 4 ms a turn, each of the sixteen events has a counter within 40 ms.
  const Session session =
      type(fmt::format("perf stat -x, -a{0} sleep 0.1 2>&1; perf stat -x, -a{0} sleep 1 2>&1", sixteen_events()));
  expect_exact(session, 32);
  EXPECT_THAT(session.outcome.out, Not(HasSubstr("<not counted>")));
  const auto lines = table(session.outcome.out);
  ASSERT_EQ(lines.size(), 32U);
  // Scaled by perf; a simulated millisecond at 2.4 GHz. The clock counts in all of the event's time.
  EXPECT_NEAR(std::stod(lines[31].at(0)), 2.4e6, 2.4e4);
  EXPECT_LT(std::stod(lines[31].at(4)), 60) << "percent of the time";
}

TEST_F(ShellPerf, programs_set_the_length_of_turns) {
  const std::string file = "/sys/bus/event_source/devices/nvidia_ucf_pmu_0/perf_event_mux_interval_ms";
  const std::string count =
      fmt::format("perf stat -x, -a{} sleep 0.03 2>&1 | grep -c 'not counted';", sixteen_events());
  const Session session = type(fmt::format("cat {0}; {1} echo 1 >{0}; {1} echo 0 >{0}; {1} cat {0}", file, count));
  EXPECT_THAT(session.outcome.out, ::testing::MatchesRegex("4\n[1-9]\n0\n0\n1\n")) << "0 is refused";
}

TEST_F(ShellPerf, two_at_once_count_in_the_same_time) {
  // Time stands still while the third program, its shell, or a program it starts is busy.
  const Session session = type(
      "perf stat -a -e nvidia_ucf_pmu_1/cycles/ sh -c '"
      "perf stat -a -e nvidia_ucf_pmu_0/cycles/ sleep 1 & perf stat -a -e nvidia_ucf_pmu_0/slc_access_rd/ sleep 2;"
      "wait'");
  expect_exact(session, 3);
  // One and two simulated milliseconds, plus some register accesses.
  constexpr double kAccesses = 20e6;
  const auto at = [&](std::size_t event, const char* when) { return session.verdicts[event].at(when).get<double>(); };
  EXPECT_NEAR(at(0, "opened_ps"), at(1, "opened_ps"), kAccesses);
  EXPECT_NEAR(at(0, "closed_ps") - at(0, "opened_ps"), 1e9, kAccesses);
  EXPECT_NEAR(at(1, "closed_ps") - at(1, "opened_ps"), 2e9, kAccesses);
  EXPECT_NEAR(at(2, "closed_ps") - at(2, "opened_ps"), 2e9, kAccesses);
}

/// The shell, which computes for a while, is not perf's child.
TEST_F(ShellPerf, a_sleep_goes_on_while_the_shell_starts_perf_beside_it) {
  const Session session =
      type("sleep 5 & i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done; perf stat -e dummy -p $! 2>&1; echo exit $?");
  EXPECT_THAT(session.outcome.out, HasSubstr("Performance counter stats for process id"));
  EXPECT_THAT(session.outcome.out, HasSubstr("exit 0"));
}

TEST_F(ShellPerf, what_a_program_starts_takes_no_simulated_time_however_it_is_started) {
  // dash uses vfork() for a command that is not its last one. This one runs for some tenths of a second.
  const Session session = type(
      "perf stat -x, -a -I 100 -e nvidia_ucf_pmu_1/cycles/ sh -c '"
      "awk \"BEGIN { for (i = 0; i < 5e6; ++i) x += i }\"; sleep 0.25; true' 2>&1");
  expect_exact(session, 1);
  EXPECT_EQ(table(session.outcome.out).size(), 3U) << session.outcome.out;
  EXPECT_NEAR(session.verdicts[0].at("time_enabled_ps").get<double>(), 0.25e9, 5e6);
}

TEST_F(ShellPerf, an_events_descriptor_is_one_by_each_of_its_numbers) {
  const Session session =
      type(PMUFAB_EVENT_PROGRAM " /sys/bus/event_source/devices/nvidia_ucf_pmu_0/type || echo exited $?");
  EXPECT_EQ(session.outcome.out, "");
  expect_exact(session, 1);
}

TEST_F(ShellPerf, refuses_wrong_terms_in_its_own_words) {
  const Session unknown = type("perf stat -a -e nvidia_ucf_pmu_0/slc_access_red/ sleep 1");
  EXPECT_THAT(unknown.outcome.err,
              AllOf(HasSubstr("event syntax error"), HasSubstr("slc_access_red"), HasSubstr("dst_loc_cmem")));
  EXPECT_NE(unknown.outcome.exit_code, 0);
  EXPECT_TRUE(unknown.verdicts.empty());
  const Session large = type("perf stat -a -e nvidia_ucf_pmu_0/slc_access_rd,src_rem=2/ sleep 1");
  // Some versions of perf put the term between the two.
  EXPECT_THAT(large.outcome.err, AllOf(HasSubstr("value too big for format"), HasSubstr(", maximum is 1\n")));
  EXPECT_NE(large.outcome.exit_code, 0);
  EXPECT_TRUE(large.verdicts.empty());
}

TEST_F(ShellPerf, samples_tasks_and_cpu_events_are_refused_as_a_machine_without_them_does) {
  const Session session = type(
      "perf record -o /dev/null -a -e nvidia_ucf_pmu_0/slc_access_rd/ sleep 0.1; echo record $?;"
      "perf stat -e nvidia_ucf_pmu_0/slc_access_rd/ -p $$ sleep 0.1 2>&1;"
      "perf stat -a -e cycles,task-clock,nvidia_ucf_pmu_0/slc_access_rd/ sleep 0.1 2>&1");
  expect_exact(session, 1);
  EXPECT_THAT(session.outcome.err, HasSubstr("sampling"));
  EXPECT_THAT(session.outcome.out, AllOf(Not(HasSubstr("record 0")), HasSubstr("record ")));
  const std::string& out = session.outcome.out;
  const std::size_t other = out.find("for 'system wide'");
  ASSERT_NE(other, std::string::npos);
  EXPECT_THAT(out.substr(0, other), HasSubstr("<not supported>      nvidia_ucf_pmu_0/slc_access_rd/"));
  EXPECT_THAT(out.substr(other), AllOf(HasSubstr("<not supported>      cycles"), HasSubstr("task-clock"),
                                       Not(HasSubstr("<not supported>      nvidia"))));
}

TEST_F(ShellPerf, reads_delays_and_limits_of_its_own_in_simulated_time) {
  const Session session = type(
      "perf stat -x, -a --timeout 200 -e nvidia_ucf_pmu_0/cycles/ 2>&1;"
      "perf stat -x, -a -D 100 -e nvidia_ucf_pmu_0/cycles/ sleep 0.3 2>&1 | grep cycles");
  expect_exact(session, 2);
  const auto lines = table(session.outcome.out);
  ASSERT_EQ(lines.size(), 2U) << session.outcome.out;
  // 200 ms are 200 simulated us, at 2.4 GHz.
  for (const auto& line : lines) EXPECT_NEAR(std::stod(line.at(0)), 480'000, 2'400) << line.at(0);
}

TEST_F(ShellPerf, times_of_the_host_are_scaled_as_those_of_programs) {
  // A counter of 16 bits wraps every 10 us. An interrupt that is 25 us late is too late.
  platform = {write("narrow.yaml",
                    "kind: tegra410\nname: narrow\nsockets: 1\ncpus_per_socket: 4\n"
                    "tegra410: {clusters: 4, ucf_pmu: {width: 16, counters: 4}}\n"),
              "--traffic",
              write("reads.yaml",
                    "generators:\n  - {name: gpu, requester: {kind: gpu}, targets: [{memory: cmem}], pacing: {kind: "
                    "fixed, requests_per_us: 100}}\n"),
              "--set", "host.interrupt_delay=25us"};
  expect_exact(type("perf stat -a -e nvidia_ucf_pmu_0/slc_bytes_rd/ sleep 0.1"), 1);  // 100 simulated us
  platform.insert(platform.end(), {"--time-scale", "1"});
  const Session unscaled = type("perf stat -a -e nvidia_ucf_pmu_0/slc_bytes_rd/ sleep 0.0001");
  ASSERT_EQ(unscaled.verdicts.size(), 1U) << unscaled.outcome.err;
  EXPECT_EQ(unscaled.verdicts[0].at("check"), "wrong");
}

}  // namespace
}  // namespace pmufab::testing
