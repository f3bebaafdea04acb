// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "testbench/tests/tools/driver_fault_fixture.h"

namespace pmufab::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

/// Campaigns with the newest kernel's drivers, of which one has a mistake.
class Verify : public DriverFault {
 protected:
  /// @return the library with a driver file in which a pattern is replaced
  std::string drivers_with_mistake(const std::string& file, const std::string& pattern, const std::string& mistake) {
    std::string text;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(PMUFAB_LINUX_SOURCES) / version())) {
      if (entry.path().filename() == file && entry.path().string().find("/perf/") != std::string::npos)
        text = read(entry.path());
    }
    const std::string changed = std::regex_replace(text, std::regex(pattern), mistake);
    EXPECT_NE(changed, text) << file << " has no " << pattern;
    return drivers_of(file, changed, true);
  }

  Outcome verify(std::vector<std::string> options) {
    options.insert(options.begin(), "verify");
    return pmufab(options);
  }

  /// Start a campaign that does not end by itself. @return when it has judged some cases
  pid_t start_endless(const std::string& out, const std::vector<std::string>& more) {
    std::vector<std::string> options = {"verify", "--fabric", "tegra410", "--runs", "1000000",
                                        "--out",  out,        "--jobs",   "1"};
    options.insert(options.end(), more.begin(), more.end());
    const pid_t pid = start(options);
    constexpr std::chrono::milliseconds kBetweenLooks{20};
    for (int look = 0; look < 6000 && !fs::exists(fs::path(out) / "verify-state.json"); ++look)
      std::this_thread::sleep_for(kBetweenLooks);
    return pid;
  }

  /// A campaign must find the mistake, and make it small.
  void expect_found(const std::string& library, const std::string& fabric, const std::string& runs) {
    const fs::path out = folder / "found";
    const Outcome outcome =
        verify({"--fabric", fabric, "--driver", library, "--runs", runs, "--failures", "1", "--out", out.string()});
    ASSERT_EQ(outcome.exit_code, 1) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("FAILED "));
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(out)) {
      if (entry.path().extension() == ".yaml") files.push_back(entry.path());
    }
    ASSERT_EQ(files.size(), 1U) << outcome.out;
    const std::string text = read(files.front());
    EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 40) << text;
    EXPECT_THAT(text, HasSubstr("# Found by pmufab verify: "));
    // Anybody can see it again, and the kernel's own drivers do not have it.
    constexpr std::string_view kMark = "# Fails with: pmufab ";
    const std::size_t command = text.find(kMark) + kMark.size();
    ASSERT_GT(command, kMark.size()) << text;
    std::istringstream words(text.substr(command, text.find('\n', command) - command));
    const std::vector<std::string> again{std::istream_iterator<std::string>(words), {}};
    EXPECT_EQ(again, (std::vector<std::string>{"run", files.front().string(), "--driver", library}));
    EXPECT_NE(pmufab(again).exit_code, 0) << text;
    const Outcome stock = pmufab({"run", files.front().string(), "--drivers", "newest"});
    EXPECT_TRUE(stock.exit_code == 0 || stock.exit_code == 4) << text << stock.out;
  }
};

TEST_F(Verify, two_campaigns_with_one_seed_write_the_same_and_another_seed_other_cases) {
  const auto campaign = [this](const char* seed, const char* jobs, const char* out) {
    const Outcome outcome = verify(
        {"--fabric", "tegra410", "--runs", "30", "--seed", seed, "--jobs", jobs, "--out", (folder / out).string()});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
    return outcome.out + read(folder / out / "verify-state.json");
  };
  const std::string first = campaign("1", "1", "a");
  EXPECT_EQ(first, campaign("1", "3", "b"));
  EXPECT_NE(first, campaign("2", "3", "c"));
}

TEST_F(Verify, a_count_that_is_not_summed_up_is_found_and_made_small) {
  expect_found(drivers_with_mistake(kFile, R"((for \([^)]*; [^)]* )< NUM_INSTANCES)", "$1< NUM_INSTANCES - 1"),
               "tegra410", "300");
}

TEST_F(Verify, a_filter_that_stays_behind_is_found_and_made_small) {
  expect_found(drivers_with_mistake("nvidia_cspmu.c", R"((#define NV_UCF_FILTER_DST\s+)GENMASK_ULL\(11, 8\))",
                                    "$1GENMASK_ULL(10, 8)"),
               "tegra410", "300");
}

// The case wraps counters by events in bulk, of a number that fits the width of a counter. Without the key for the
// width each driver fails.
TEST_F(Verify, what_is_made_small_stays_legal) {
  expect_found(drivers_with_mistake("cxl_pmu.c", R"(test_bit\(pmu_ev->counter_idx, info->used_counter_bm\))", "0"),
               "cxl", "300");
}

TEST_F(Verify, a_campaign_that_was_killed_goes_on_where_it_was) {
  const std::string out = (folder / "campaign").string();  // "out" is what the program prints
  const std::string state = out + "/verify-state.json";
  const std::string met = (folder / "met.json").string();
  // The cases after the 64th seek what those before have not met.
  constexpr unsigned kFirstLater = 66;
  const std::vector<std::string> options = {"verify", "--fabric", "cxl", "--runs",     "90", "--out",
                                            out,      "--jobs",   "1",   "--coverage", met};
  const auto next_of = [&] {
    const std::string text = read(state);
    return text.empty() ? 0U : nlohmann::json::parse(text).at("next").get<unsigned>();
  };
  const pid_t pid = start(options);
  constexpr std::chrono::milliseconds kBetweenLooks{20};
  for (int look = 0; look < 3000 && next_of() < kFirstLater; ++look) std::this_thread::sleep_for(kBetweenLooks);
  kill(pid, SIGKILL);
  finish(pid);
  const unsigned done = next_of();
  ASSERT_GE(done, kFirstLater);
  ASSERT_LT(done, 90U);
  EXPECT_EQ(pmufab(options).exit_code, 2) << "nothing is overwritten";
  std::vector<std::string> again = options;
  again.emplace_back("--resume");
  const Outcome resumed = pmufab(again);
  EXPECT_EQ(resumed.exit_code, 0) << resumed.out << resumed.err;
  const std::string met_in_parts = read(met);
  EXPECT_THAT(met_in_parts, HasSubstr("m2s_req_memrd"));
  std::vector<std::string> whole = options;
  whole[6] = (folder / "whole").string();
  EXPECT_EQ(pmufab(whole).out, resumed.out);
  EXPECT_TRUE(met_in_parts == read(met)) << "what the drivers met before the end of the first process is lost";
  EXPECT_EQ(read(folder / "whole" / "verify-state.json"), read(state));
  again[4] = "91";
  again.insert(again.end(), {"--seed", "2"});
  const Outcome other = pmufab(again);
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("is of another campaign: seed 1"));
  again.resize(again.size() - 2);
  again.erase(std::find(again.begin(), again.end(), "--coverage"), again.end() - 1);  // and --resume stays
  const Outcome uncovered = pmufab(again);
  EXPECT_EQ(uncovered.exit_code, 2);
  EXPECT_THAT(uncovered.err, HasSubstr("with coverage"));
}

TEST_F(Verify, only_the_same_drivers_and_the_same_pmufab_go_on_with_a_campaign) {
  const std::string out = (folder / "campaign").string();
  const std::string driver = original();
  const std::string library = drivers_of(kFile, driver, true);
  const auto go_on = [&] {
    return verify({"--fabric", "tegra410", "--driver", library, "--runs", "3", "--out", out, "--resume"});
  };
  EXPECT_EQ(go_on().exit_code, 0);
  EXPECT_EQ(go_on().exit_code, 0) << "nothing has changed";
  drivers_of(kFile, driver + "/* another file */\n", true);
  const Outcome changed = go_on();
  EXPECT_EQ(changed.exit_code, 2);
  EXPECT_THAT(changed.err, AllOf(HasSubstr("is of another campaign: its SHA-256 of "), HasSubstr(kFile)));
  drivers_of(kFile, driver, true);
  EXPECT_EQ(go_on().exit_code, 0);

  auto state = nlohmann::ordered_json::parse(read(out + "/verify-state.json"));
  state.at("made_with").at("pmufab") = "0.0.1";
  write("campaign/verify-state.json", state.dump());
  const Outcome older = go_on();
  EXPECT_EQ(older.exit_code, 2);
  EXPECT_THAT(older.err, HasSubstr("its version of pmufab was 0.0.1, and now it is "));
}

TEST_F(Verify, two_campaigns_in_one_folder_are_refused) {
  const std::string out = (folder / "campaign").string();
  const pid_t pid = start_endless(out, {});
  output = (folder / "other").string();
  const Outcome second = verify({"--fabric", "tegra410", "--runs", "1", "--out", out, "--resume"});
  EXPECT_EQ(second.exit_code, 2);
  EXPECT_THAT(second.err, HasSubstr("another campaign is going on in the folder '" + out + "'"));
  kill(pid, SIGTERM);
  finish(pid);
}

TEST_F(Verify, a_campaign_that_is_stopped_has_not_passed_and_keeps_what_was_met) {
  const std::string met = (folder / "met.json").string();
  const pid_t pid = start_endless((folder / "campaign").string(), {"--coverage", met});
  kill(pid, SIGINT);
  const Outcome outcome = finish(pid);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("STOPPED (seed 1, tegra410"));
  EXPECT_GT(nlohmann::json::parse(read(met)).at("runs").get<unsigned>(), 0U);
}

TEST_F(Verify, a_campaign_that_ends_with_an_error_keeps_what_was_met) {
  const std::string met = (folder / "met.json").string();
  const fs::path state = folder / "campaign" / "verify-state.json";
  const pid_t pid = start_endless((folder / "campaign").string(), {"--coverage", met});
  fs::rename(state, folder / "moved");  // it may be written again in between
  while (!fs::create_directory(state)) fs::remove(state);
  const Outcome outcome = finish(pid);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("cannot write '" + state.string() + "'"));
  EXPECT_GT(nlohmann::json::parse(read(met)).at("runs").get<unsigned>(), 0U);
}

TEST_F(Verify, the_usual_folder_must_be_one) {
  const fs::path before = fs::current_path();
  fs::current_path(folder);
  write("pmufab-verify", "something else");
  const Outcome outcome = verify({"--fabric", "tegra410", "--runs", "1"});
  fs::current_path(before);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("cannot write into 'pmufab-verify': it is no folder"));
  EXPECT_EQ(read(folder / "pmufab-verify"), "something else");
}

TEST_F(Verify, what_is_found_is_not_written_through_a_link) {
  const std::string library = drivers_with_mistake(
      "nvidia_cspmu.c", R"((#define NV_UCF_FILTER_DST\s+)GENMASK_ULL\(11, 8\))", "$1GENMASK_ULL(10, 8)");
  const auto campaign = [&](const char* out, const std::string& runs) {
    verify({"--fabric", "tegra410", "--driver", library, "--runs", runs, "--failures", "1", "--no-shrink", "--out",
            (folder / out).string()});
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder / out)) {
      if (entry.path().extension() == ".yaml") names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  };
  const std::vector<std::string> plain = campaign("plain", "300");
  ASSERT_EQ(plain.size(), 1U);
  // "verify-tegra410-1-0.yaml": the cases up to this one find it again.
  const unsigned long number = std::stoul(plain[0].substr(plain[0].rfind('-') + 1));
  fs::create_directory(folder / "trap");
  fs::create_symlink(folder / "victim", folder / "trap" / plain[0]);
  EXPECT_EQ(campaign("trap", std::to_string(number + 1)).size(), 2U) << "beside the link";
  EXPECT_FALSE(fs::exists(folder / "victim"));
}

// Linux's driver of DesignWare root ports goes to another socket when it must, and not back. That is no reason to go
// anywhere.
TEST_F(Verify, a_pmu_of_a_root_port_may_stay_with_one_cpu_of_another_socket) {
  const std::string away = write("away.yaml", R"(name: away
platform: {kind: dwc, sockets: 2, cpus_per_socket: 2, dwc_root_ports: [{name: slot}]}
duration: 100 us
measure: [{events: [dwc_rootport_0/one_cycle/]}]
actions:
  - {at: 10 us, do: cpu_offline, cpu: 0}
  - {at: 11 us, do: cpu_offline, cpu: 1}
  - {at: 20 us, do: cpu_online, cpu: 0}
  - {at: 30 us, do: cpu_offline, cpu: 3}
)");
  EXPECT_EQ(pmufab({"run", away, "--drivers", "newest"}).exit_code, 0);
  // It takes a third CPU, although one of its own socket is there.
  const std::string last = drivers_with_mistake("dwc_pcie_pmu.c", R"(target = cpumask_any_and_but\([^;]*;)",
                                                "target = cpu == 0 ? 1 : cpu == 1 ? 3 : 2;");
  const Outcome outcome = pmufab({"run", away, "--driver", last});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out,
              HasSubstr("FAILED published: dwc_rootport_0 at 30.000 us (cpu 3 offline): cpumask names cpu 2, "
                        "but the PMU's socket has cpus 0 to 1"));
}

TEST_F(Verify, a_driver_that_takes_an_event_that_nobody_can_judge_has_failed) {
  const std::string library =
      drivers_with_mistake("dwc_pcie_pmu.c", "lane >= pcie_pmu->nr_lanes", "lane > pcie_pmu->nr_lanes");
  EXPECT_THAT(verify({"--fabric", "dwc", "--driver", library, "--runs", "400", "--failures", "1", "--no-shrink",
                      "--out", (folder / "found").string()})
                  .out,
              HasSubstr("FAILED open_error"));
  const std::string refused = write("refused.yaml", R"(name: refused
platform: {kind: dwc, dwc_root_ports: [{name: slot, lanes: 4}]}
measure: [{events: ["dwc_rootport_0/rx_memory_read,lane=4/"], open_error: EINVAL, stop: 10 us}]
)");
  const Outcome outcome = pmufab({"run", refused, "--driver", library});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("open_error: no event was refused with EINVAL"));
}

TEST_F(Verify, draws_the_fabrics_that_the_users_drivers_serve) {
  const Outcome ports =
      verify({"--driver", drivers_of("dwc_pcie_pmu.c", original("dwc_pcie_pmu.c"), true), "--runs", "4"});
  EXPECT_THAT(ports.out,
              AllOf(HasSubstr("(seed 1, dwc with drivers of Linux " + version() + "): 4 cases"), HasSubstr("PASSED")));
  const Outcome coresight =
      verify({"--driver", drivers_of("nvidia_cspmu.c", original("arm_cspmu/nvidia_cspmu.c"), true), "--runs", "2"});
  EXPECT_THAT(coresight.out, AllOf(HasSubstr("tegra410 with"), HasSubstr("soc with"), Not(HasSubstr("cmn with"))));
  const std::string module = R"(#include <linux/module.h>
static int __init nothing_init(void) { return 0; }
module_init(nothing_init);
MODULE_LICENSE("GPL");
)";
  const Outcome none = verify({"--driver", drivers_of("nothing_pmu.c", module, true), "--runs", "4"});
  EXPECT_EQ(none.exit_code, 2) << none.out;
  EXPECT_THAT(none.err,
              AllOf(HasSubstr("no fabric has PMUs for your driver (nothing_pmu.c)"),
                    HasSubstr("there are PMUs for 'alibaba_uncore_drw_pmu', 'arm-cci'"), HasSubstr("--fabric NAME")));
}

TEST_F(Verify, what_makes_no_sense_is_refused) {
  const auto error = [this](std::vector<std::string> options) {
    const Outcome outcome = verify(std::move(options));
    EXPECT_EQ(outcome.exit_code, 2);
    return outcome.err;
  };
  EXPECT_THAT(error({"--fabric", "tegra"}), AllOf(HasSubstr("there is no fabric 'tegra'"), HasSubstr("'tegra410'")));
  EXPECT_THAT(error({"--for", "10"}), HasSubstr("--for 10"));
  EXPECT_THAT(error({"--for", "1s", "--runs", "5"}), HasSubstr("contradict"));
  EXPECT_THAT(error({"--runs", "0"}), HasSubstr("nothing would run"));
  EXPECT_THAT(error({"--resume"}), HasSubstr("--out DIR"));
  EXPECT_THAT(error({"--drivers", "5.0"}), HasSubstr("no driver set"));
}

TEST_F(Verify, a_budget_of_time_ends_it) {
  const Outcome outcome = verify({"--fabric", "tegra410", "--for", "2s"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, ContainsRegex("^PASSED .*[0-9]+ cases?, "));
}

}  // namespace
}  // namespace pmufab::testing
