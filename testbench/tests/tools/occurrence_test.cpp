// SPDX-License-Identifier: Apache-2.0
// Faults, things that wait for a register access, and their exploration. Drivers that cannot take them are made here.
#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "testbench/tests/tools/driver_fault_fixture.h"

namespace pmufab::testing {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class Occurrence : public DriverFault {
 protected:
  static constexpr const char* kCoreSight = "arm_cspmu.c";

  /// @return the library with the newest CoreSight driver, in which `change` stands for `from` behind `after`
  std::string coresight_with(const std::string& after, const std::string& from, const std::string& change) {
    std::string text =
        read(std::string(PMUFAB_LINUX_SOURCES) + "/" + version() + "/drivers/perf/arm_cspmu/" + kCoreSight);
    const std::size_t place = text.find(from, text.find(after));
    EXPECT_NE(place, std::string::npos) << after;
    if (place != std::string::npos) text.replace(place, from.size(), change);
    return drivers_of(kCoreSight, text, true);
  }
  /// @return the library with the newest driver of root ports, which takes what it reads of a counter's halves first
  std::string root_ports_with_torn_reads() {
    const std::string file = "dwc_pcie_pmu.c";
    std::string text = read(std::string(PMUFAB_LINUX_SOURCES) + "/" + version() + "/drivers/perf/" + file);
    const std::string again = "while (hi != ss)";
    const std::size_t place = text.find(again);
    EXPECT_NE(place, std::string::npos);
    if (place != std::string::npos) text.replace(place, again.size(), "while (0 && hi != ss)");
    return drivers_of(file, text, true);
  }
  std::string with_torn_reads() { return coresight_with("hi-low-high", "} while (", "} while (0 && "); }

  /// A counter of a CoreSight PMU that is read while it runs.
  std::string scenario(const std::string& rest) {
    return write("s.yaml", R"(name: s
drivers: newest
platform: {kind: tegra410, sockets: 1, cpus_per_socket: 4, tegra410: {clusters: 4}}
duration: 40 us
measure:
  - {name: m, start: 1 us, interval: 10 us, events: [nvidia_ucf_pmu_0/cycles/]}
)" + rest);
  }
};

TEST_F(Occurrence, shipped_faults_leave_counts_right) {
  std::vector<std::string> arguments = {"run", "--drivers", "newest"};
  for (const auto& entry : std::filesystem::directory_iterator(PMUFAB_SOURCE_DIR "/scenarios/faults"))
    arguments.push_back(entry.path().string());
  ASSERT_GT(arguments.size(), 6U);
  ended(0, pmufab(arguments));
}

TEST_F(Occurrence, a_driver_that_does_not_expect_an_interrupt_without_a_cause_fails) {
  const std::string library = coresight_with("arm_cspmu_handle_irq(", "goto done;", "{ WARN_ON(1); goto done; }");
  const std::string at = "faults: [{at: 15 us, do: interrupt_spurious, pmu: nvidia_ucf_pmu_0}]\n";
  EXPECT_EQ(pmufab({"run", scenario("")}).exit_code, 0);
  EXPECT_EQ(pmufab({"run", scenario(""), "--driver", library}).exit_code, 0);
  EXPECT_EQ(pmufab({"run", scenario(at)}).exit_code, 0);
  prints(1, {"run", scenario(at), "--driver", library}, {"FAILED kernel_warnings", "arm_cspmu_handle_irq()"});
}

TEST_F(Occurrence, a_driver_that_waits_for_a_silent_register_hangs_and_fails) {
  const std::string library =
      coresight_with("void arm_cspmu_stop_counters(", "{", "{ while (readl(cspmu->base0 + PMCFGR) == ~0U) ;");
  const std::string silent =
      "faults: [{at: 15 us, do: reads_all_ones, block: 'socket0.ucf_pmu*', not_judged: {event: "
      "nvidia_ucf_pmu_0/cycles/, reason: it is silent}}]\n";
  EXPECT_EQ(pmufab({"run", scenario(""), "--driver", library}).exit_code, 0);
  const Outcome stock = pmufab({"run", scenario(silent)});
  EXPECT_EQ(stock.exit_code, 4) << "nothing is judged" << stock.out;
  EXPECT_THAT(stock.out, HasSubstr("not judged: it is silent"));
  prints(1, {"run", scenario(silent), "--driver", library}, {"FAILED kernel_panic", "without end"});
}

TEST_F(Occurrence, counts_are_judged_under_a_fault_unless_the_scenario_says_why_not) {
  EXPECT_THAT(
      ended(1, pmufab({"run", scenario("faults: [{at: 15 us, do: reads_all_ones, block: 'socket0.ucf_pmu*'}]\n")})).out,
      HasSubstr("WRONG"));
}

TEST_F(Occurrence, a_late_interrupt_shows_the_known_defect_of_the_cxl_driver) {
  const std::string text = R"(name: late
drivers: newest
platform:
  kind: cxl
  cxl:
    - decoders: [{base: 0x100_0000_0000, size: 1 GiB}]
      cpmus: [{groups: [{group: m2s_req}], width: 16}]
inject: [{at: 15 us, source: cxl_pmu_mem0.0/m2s_req_memrd/, count: 0x1_0005}]
duration: 60 us
measure: [{start: 1 us, interval: 20 us, events: [cxl_pmu_mem0.0/m2s_req_memrd/]}]
)";
  EXPECT_EQ(pmufab({"run", write("prompt.yaml", text)}).exit_code, 0);
  const std::string late = "faults: [{at: 0, do: interrupt_late, pmu: cxl_pmu_mem0.0, delay: 10 us}]\n";
  prints(1, {"run", write("late.yaml", text + late)}, {"comes 10.000 us late"});
}

TEST_F(Occurrence, what_never_came_fails_the_run) {
  const std::string event = "source: nvidia_ucf_pmu_0/cycles/, count: 1}]\n";
  prints(1, {"run", scenario("inject: [{at: {access: 9999, pmu: nvidia_ucf_pmu_0}, " + event)},
         {"FAILED occurrences: nothing came before access 9999 of nvidia_ucf_pmu_0"});
  prints(1, {"run", scenario("faults: [{at: 0, do: interrupt_lost, pmu: nvidia_ucf_pmu_0}]\n")},
         {"faults[0] (interrupt_lost) changed nothing"});
}

/// @return the measures of a result, by name, each with the checks of its counters
std::string checks_of(const nlohmann::json& results) {
  std::string text;
  for (const auto& measure : results.at("runs").at(0).at("measures")) {
    text += measure.at("name").get<std::string>() + ":";
    for (const auto& counter : measure.at("counters")) text += " " + counter.at("check").get<std::string>();
    text += "; ";
  }
  return text;
}

/// @return the text of a check of the first run
std::string text_of(const nlohmann::json& results, const std::string& name) {
  for (const auto& check : results.at("runs").at(0).at("checks")) {
    if (check.at("name") == name) return check.at("text");
  }
  return "none";
}

TEST_F(Occurrence, a_fault_excuses_only_what_is_measured_while_it_lasts) {
  const std::string path = write("s.yaml", R"(name: s
drivers: newest
platform: {kind: tegra410, sockets: 1, cpus_per_socket: 4, tegra410: {clusters: 4}}
duration: 60 us
faults:
  - at: 25 us
    until: 35 us
    do: reads_all_ones
    block: "socket0.ucf_pmu*"
    not_judged: {event: nvidia_ucf_pmu_0/cycles/, reason: it is silent}
measure:
  - {name: before, start: 1 us, stop: 20 us, events: [nvidia_ucf_pmu_0/cycles/]}
  - {name: during, start: 22 us, stop: 40 us, interval: 5 us, events: [nvidia_ucf_pmu_0/cycles/]}
  - {name: after, start: 45 us, events: [nvidia_ucf_pmu_0/cycles/]}
)");
  const std::string json = (folder / "s.json").string();
  ended(0, pmufab({"run", path, "--json", json}));
  EXPECT_EQ(checks_of(nlohmann::json::parse(read(json))), "before: exact; during: unchecked; after: exact; ");
}

TEST_F(Occurrence, a_fault_that_lasts_leaves_the_other_pmus_judged) {
  const std::string faults = R"(faults: [{at: 20 us, do: reads_all_ones, block: "socket0.ucf_pmu*", not_judged: {
  event: nvidia_ucf_pmu_0/cycles/, reason: it is silent}}]
)";
  std::string text = read(scenario(faults));
  text.replace(text.find("cycles/]"), 8, "cycles/, nvidia_cmem_latency_pmu_0/cycles/]");
  const std::string json = (folder / "s.json").string();
  const Outcome outcome = ended(0, pmufab({"run", write("both.yaml", text), "--json", json}));
  const std::string why = "nvidia_ucf_pmu_0: faults[0] (reads_all_ones) lasts until the end";
  EXPECT_THAT(outcome.out, HasSubstr("released and quiet not judged of " + why));
  const auto results = nlohmann::json::parse(read(json));
  EXPECT_EQ(text_of(results, "released"), "all that the events had taken can be had again; not judged: " + why);
  EXPECT_THAT(text_of(results, "quiet"), HasSubstr("not judged: " + why));
}

TEST_F(Occurrence, a_late_interrupt_of_one_pmu_does_not_let_go_those_of_another) {
  const std::string text = R"(name: held
drivers: newest
platform:
  kind: cxl
  cxl:
    - decoders: [{base: 0x100_0000_0000, size: 1 GiB}]
      cpmus: [{groups: [{group: m2s_req}], width: 16}]
    - decoders: [{base: 0x200_0000_0000, size: 1 GiB}]
      cpmus: [{groups: [{group: m2s_req}], width: 16}]
inject: [{at: 15 us, source: [cxl_pmu_mem0.0/m2s_req_memrd/, cxl_pmu_mem1.0/m2s_req_memrd/], count: 0x1_0005}]
actions:
  - {at: {access: 1, of: interrupt, pmu: cxl_pmu_mem0.0}, do: read_events}
  - {at: {access: 1, of: interrupt, pmu: cxl_pmu_mem1.0}, do: read_events}
faults:
  - {at: 0, until: 20 us, do: interrupt_late, pmu: cxl_pmu_mem0.0}
  - {at: 0, until: 30 us, do: interrupt_late, pmu: cxl_pmu_mem1.0}
duration: 40 us
measure: [{start: 1 us, events: [cxl_pmu_mem0.0/m2s_req_memrd/, cxl_pmu_mem1.0/m2s_req_memrd/]}]
)";
  // Whether its driver counts right under this fault is not asked here.
  const Outcome outcome = pmufab({"run", write("held.yaml", text)});
  EXPECT_THAT(outcome.out, ContainsRegex("  2[0-9]\\.[0-9]+ us: events read\n  3[0-9]\\.[0-9]+ us: events read\n"));
}

TEST_F(Occurrence, an_action_that_waits_for_an_access_is_carried_out_or_fails_the_run) {
  const auto run_with = [&](const std::string& call) {
    return pmufab({"run", write("s.yaml", R"(name: s
drivers: newest
platform: {kind: tegra410, sockets: 1, cpus_per_socket: 4, tegra410: {clusters: 4, ucf_pmu: {width: 16}}}
duration: 60 us
actions: [{at: {access: 1, of: )" + call + R"(, pmu: nvidia_ucf_pmu_0}, do: read_events}]
measure: [{name: m, start: 1 us, events: [nvidia_ucf_pmu_0/cycles/]}]
)")});
  };
  // There is nothing else to do when the counter wraps, after 65,536 cycles of some 0.4 ns.
  EXPECT_THAT(ended(0, run_with("interrupt")).out, HasSubstr("us: events read"));
  EXPECT_THAT(ended(1, run_with("del")).out,
              HasSubstr("FAILED occurrences: the run ended before the action before access 1 of del calls of "
                        "nvidia_ucf_pmu_0 was carried out"));
}

TEST_F(Occurrence, a_fault_that_nobody_meets_fails_the_run) {
  const auto run_with = [&](const std::string& fault) {
    return pmufab({"run", scenario("faults: [" + fault + "]\n")});
  };
  EXPECT_THAT(ended(1, run_with("{at: 20 us, until: 50 us, do: power_off, block: socket0.cmem_latency_pmu}")).out,
              HasSubstr("FAILED occurrences: faults[0] (power_off) changed nothing"));
  EXPECT_THAT(ended(1, run_with("{at: 50 us, until: 60 us, do: power_off, block: socket0.ucf_pmu}")).out,
              HasSubstr("faults[0] (power_off) changed nothing: the run ended before it began"));
}

TEST_F(Occurrence, a_removed_function_that_nobody_meets_fails_the_run) {
  prints(1, {"run", write("removed.yaml", R"(name: removed
drivers: newest
platform:
  kind: cxl
  cxl:
    - decoders: [{base: 0x100_0000_0000, size: 1 GiB}]
      cpmus: [{groups: [{group: m2s_req}]}]
    - decoders: [{base: 0x200_0000_0000, size: 1 GiB}]
      cpmus: [{groups: [{group: m2s_req}]}]
faults: [{at: 20 us, do: removed, pmu: cxl_pmu_mem0.0, block: cxl0}]
duration: 40 us
measure: [{start: 1 us, events: [cxl_pmu_mem1.0/m2s_req_memrd/]}]
)")},
         {"FAILED occurrences: faults[0] (removed) changed nothing"});
}

TEST_F(Occurrence, places_that_there_are_not_are_bad_input) {
  const Outcome block = ended(2, pmufab({"run", scenario("faults: [{at: 0, do: counter_stuck, block: ucf}]\n")}));
  EXPECT_THAT(block.err, AllOf(HasSubstr("s.yaml:7:10: faults[0].block: there is no block 'ucf'"),
                               HasSubstr("'socket0.ucf_pmu'")));
  const std::string root_port = write("root-port.yaml", R"(name: root-port
drivers: newest
platform: {kind: cxl, cxl: [{decoders: [{base: 0x100_0000_0000, size: 1 GiB}], cpmus: [{groups: [{group: m2s_req}]}]}]}
faults: [{at: 20 us, until: 30 us, do: power_off, block: cxl_ecam}]
duration: 40 us
measure: [{start: 1 us, events: [cxl_pmu_mem0.0/m2s_req_memrd/]}]
)");
  const Outcome power = ended(2, pmufab({"run", root_port}));
  EXPECT_THAT(power.err, HasSubstr("root-port.yaml:4:10: faults[0].block: 'cxl_ecam' has no power of its own"));
  refuses({"run", scenario("faults: [{at: 0, do: interrupt_lost, pmu: nvidia_cmem_latency_pmu_0}]\n")},
          {"no driver has asked for an interrupt of a PMU 'nvidia_cmem_latency_pmu_0'"});
}

TEST_F(Occurrence, an_event_comes_at_its_access_and_no_other) {
  const std::string at = "inject: [{at: {access: 2, of: read, pmu: nvidia_ucf_pmu_0, call: 2}, source: ";
  prints(0, {"run", scenario(at + "nvidia_ucf_pmu_0/cycles/, count: 7}]\n"), "-v"},
         {"before access 2 of read call 2 of nvidia_ucf_pmu_0: 7 times"});
}

class Interleave : public Occurrence {};

TEST_F(Interleave, a_torn_read_is_found_at_its_accesses) {
  const std::string library = with_torn_reads();
  const std::vector<std::string> window = {"--window", "read", "--call", "2", "--bound", "1"};
  const auto explore = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"interleave", shipped("interleave-ucf.yaml")});
    more.insert(more.end(), window.begin(), window.end());
    return pmufab(more);
  };
  EXPECT_THAT(ended(0, explore({"--drivers", "newest"})).out, AllOf(HasSubstr("passed"), Not(HasSubstr("FAILED"))));
  const Outcome outcome = ended(1, explore({"--driver", library, "--save", (folder / "torn.yaml").string()}));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("FAILED"), HasSubstr("PMEVCNTR_HI[0]"), HasSubstr("of arm_cspmu.c")));
  EXPECT_EQ(explore({"--driver", library, "-j", "1", "--save", (folder / "torn.yaml").string()}).out, outcome.out)
      << "the same each time";

  const std::size_t number = outcome.out.find("\nschedule ") + 10;
  const std::string schedule = outcome.out.substr(number, outcome.out.find(':', number) - number);
  const Outcome again = ended(1, explore({"--driver", library, "--replay", schedule}));
  EXPECT_THAT(again.out, HasSubstr("PMEVCNTR_HI[0]"));
  EXPECT_EQ(explore({"--replay", schedule}).exit_code, 0) << "the kernel's driver passes it";
  const std::string again_file = (folder / "again.yaml").string();
  EXPECT_EQ(explore({"--replay", schedule, "--save", again_file}).exit_code, 0);
  EXPECT_EQ(read(again_file), read(folder / "torn.yaml")) << "the schedule that is shown, whatever its outcome";
  const Outcome few = explore({"--drivers", "newest", "--schedules", "3"});
  EXPECT_THAT(few.out,
              AllOf(HasSubstr("there are more schedules than 3"), HasSubstr("\n3 schedules with up to 1 step\n")));
  EXPECT_EQ(pmufab({"run", (folder / "torn.yaml").string(), "--driver", library}).exit_code, 1);
}

TEST_F(Interleave, a_torn_read_of_a_root_port_is_found_in_its_own_scenario_and_in_another) {
  const std::string library = root_ports_with_torn_reads();
  const std::string own = shipped("interleave-dwc.yaml");
  EXPECT_EQ(pmufab({"run", own, "--drivers", "newest"}).exit_code, 0);
  EXPECT_THAT(ended(1, pmufab({"run", own, "--driver", library})).out,
              HasSubstr("1 of 2 readings was impossible: that at 21 us was 137,439,018,976 instead of 68,719,542,240"));
  const std::vector<std::string> explored = {"interleave", own, "--window", "read", "--call", "2", "--bound", "1"};
  const auto with = [&](std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return pmufab(words);
  };
  EXPECT_THAT(ended(0, with(explored, {"--drivers", "newest"})).out, Not(HasSubstr("FAILED")));
  EXPECT_THAT(ended(1, with(explored, {"--driver", library})).out, HasSubstr("TIME_BASED_ANALYSIS_DATA[1]"));

  // dwc-basic lets nothing happen in bulk, and reads no running event. Counters of its lanes have 32 bits and no
  // interrupt: what makes those wrap is always lost, so another event is named.
  const std::vector<std::string> short_life = {"interleave", shipped("dwc-basic.yaml"),
                                               "--window",   "read",
                                               "--call",     "4",
                                               "--bound",    "1",
                                               "--source",   "dwc_rootport_13018/eventid=0x20,type=0x0/"};
  EXPECT_THAT(ended(0, with(short_life, {"--drivers", "newest"})).out,
              AllOf(HasSubstr("one of 3 PMUs is explored"), HasSubstr("a short life of its events"),
                    HasSubstr("times dwc_rootport_13018/eventid=0x20,type=0x0/\n")));
  const std::string saved = (folder / "torn.yaml").string();
  EXPECT_THAT(ended(1, with(short_life, {"--driver", library, "--save", saved})).out,
              HasSubstr("1 of 2 readings was impossible"));
  EXPECT_THAT(read(saved), AllOf(HasSubstr("name: \"dwc-basic-read-4-access-"), Not(HasSubstr("dwc_traffic"))));
  EXPECT_EQ(pmufab({"run", saved, "--driver", library}).exit_code, 1);
  EXPECT_EQ(pmufab({"run", saved, "--drivers", "newest"}).exit_code, 0);
}

TEST_F(Interleave, any_scenario_can_be_explored_or_says_why_not) {
  const std::vector<std::string> few = {"--window", "read", "--call", "1", "--schedules", "20"};
  const auto explore = [&](const std::string& name, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"interleave", shipped(name)};
    words.insert(words.end(), few.begin(), few.end());
    words.insert(words.end(), more.begin(), more.end());
    return pmufab(words);
  };
  EXPECT_THAT(ended(0, explore("c2c-high-low.yaml")).out, HasSubstr("runs, the first is explored: "));
  EXPECT_THAT(explore("cmn-flits.yaml").out, HasSubstr(" times arm_cmn_0/mxp_e_req_txflit_valid,bynodeid=1,nodeid=0x"));
  const Outcome whole = ended(2, explore("interleave-cmem.yaml"));
  EXPECT_THAT(whole.err, AllOf(HasSubstr("makes anything wrap in these calls"), HasSubstr("are read whole")));
  EXPECT_THAT(ended(2, explore("dwc-basic.yaml", {"--whole", "--pmu", "dwc_rootport_13018"})).err,
              HasSubstr("accesses no register in such a call: read"));
}

TEST_F(Interleave, a_known_defect_is_expected) {
  prints(0, {"interleave", shipped("interleave-cxl.yaml"), "--window", "read", "--call", "2", "--bound", "1"},
         {"failed, as expected"});
}

TEST_F(Interleave, a_signal_stops_it_and_is_told) {
  // Many more schedules than some seconds are enough for.
  const pid_t pid =
      start({"interleave", shipped("interleave-ucf.yaml"), "--window", "read", "--bound", "2", "-j", "1"});
  std::this_thread::sleep_for(std::chrono::seconds(2));
  kill(pid, SIGINT);
  EXPECT_THAT(ended(1, finish(pid)).err, HasSubstr("pmufab: stopped by a signal: the results are partial\n"));
}

TEST_F(Interleave, what_cannot_be_explored_is_bad_input) {
  const std::string ucf = shipped("interleave-ucf.yaml");
  EXPECT_THAT(pmufab({"interleave", ucf}).err, HasSubstr("--window is missing"));
  EXPECT_THAT(pmufab({"interleave", ucf, "--window", "raed"}).err, HasSubstr("there is no call 'raed'"));
  EXPECT_THAT(pmufab({"interleave", ucf, "--window", "cancel_txn"}).err,
              HasSubstr("accesses no register in such a call"));
  EXPECT_THAT(pmufab({"interleave", ucf, "--window", "read", "--pmu", "x"}).err, HasSubstr("there are "));
  EXPECT_THAT(pmufab({"interleave", ucf, "--window", "read", "--random", "999999999999"}).err,
              HasSubstr("--random: these are too many schedules (use up to 250,000)"));
  EXPECT_EQ(pmufab({"interleave", ucf, "--window", "read", "--replay", "99999", "--bound", "1"}).exit_code, 2);
  EXPECT_THAT(pmufab({"interleave", ucf, "--window", "read", "--schedules", "0"}).err, HasSubstr("use 1 ... 250,000"));
  EXPECT_THAT(pmufab({"interleave", ucf, "--window", "read", "--replay", "1", "--random", "2"}).err,
              HasSubstr("contradict"));
}

}  // namespace
}  // namespace pmufab::testing
