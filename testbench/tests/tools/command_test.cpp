// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <regex>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "testbench/tests/tools/cli_fixture.h"

namespace pmufab::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

class Command : public Cli {
 protected:
  /// Every file below a folder, with its path relative to it.
  static std::map<std::string, std::string> contents(const std::filesystem::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) files[entry.path().lexically_relative(folder).string()] = read(entry.path());
    }
    return files;
  }

  /// A quick scenario with a little of everything. `rest` is appended.
  std::string quick(const std::string& rest = "") {
    return write("quick.yaml", R"(name: quick
platform: {kind: tegra410, name: small, sockets: 1, cpus_per_socket: 4, tegra410: {clusters: 4}}
traffic:
  - generators:
      - name: gpu
        requester: {kind: gpu}
        targets: [{memory: cmem, size: 1 MiB}]
        mix: {read: 3, write: 1}
        pacing: {kind: exponential, requests_per_us: 100}
duration: 50 us
measure:
  - name: first
    events: ["nvidia_ucf_pmu_0/slc_access_rd/,{nvidia_cmem_latency_pmu_0/rd_req/,nvidia_cmem_latency_pmu_0/cycles/}"]
    interval: 10 us
)" + rest);
  }
};

TEST_F(Command, help_is_there_for_every_command) {
  const std::string overview = pmufab({"--help"}).out;
  EXPECT_THAT(overview, AllOf(HasSubstr("Usage: pmufab"), HasSubstr("Examples:"), HasSubstr("Exit codes:")));
  for (const std::string command :
       {"run",          "interleave",   "list",         "stat",           "verify",        "shell",
        "boot",         "coverage",     "explore",      "explore export", "explore merge", "explore report",
        "compare",      "explain",      "regs",         "firmware",       "import acpi",   "import device-tree",
        "serve",        "map",          "trace import", "trace record",   "trace info",    "driver fetch",
        "driver build", "driver cache", "guest prepare"}) {
    EXPECT_THAT(overview, HasSubstr("\n  " + command + " "));
    std::istringstream text(command + " --help");
    const std::vector<std::string> words(std::istream_iterator<std::string>{text}, {});
    prints(0, words, {"Usage: pmufab " + command, "Examples:\n  ", "Exit codes:\n  "});
  }
  EXPECT_EQ(pmufab({}).exit_code, 2);
}

TEST_F(Command, commands_of_two_words_are_listed_and_completed_by_suggestions) {
  EXPECT_THAT(pmufab({"trace", "--help"}).out, AllOf(HasSubstr("trace import IN OUT"), HasSubstr("trace info TRACE")));
  refuses({"trace"}, {"needs a second word (choose one of 'import', 'record', 'info')"});
  EXPECT_THAT(pmufab({"trace", "improt"}).err, HasSubstr("no command 'trace improt' (did you mean 'import'?)"));
  EXPECT_THAT(pmufab({"trcae"}).err, HasSubstr("did you mean 'trace'?"));
}

TEST_F(Command, the_version_is_that_of_the_newest_release_in_the_changelog) {
  const std::string changelog = read(PMUFAB_SOURCE_DIR "/CHANGELOG.md");
  std::smatch release;
  ASSERT_TRUE(std::regex_search(changelog, release, std::regex("\n## \\[([0-9]+\\.[0-9]+\\.[0-9]+)\\]")));
  const std::string newest = release[1];
  EXPECT_EQ(pmufab({"--version"}).out, "pmufab " + newest + "\n");
}

TEST_F(Command, a_scenario_is_found_by_its_name) {
  std::filesystem::current_path(folder);
  const auto passes = [this](const std::string& scenario, const std::string& title) {
    prints(0, {"run", scenario, "--drivers", "newest"}, {"PASSED: " + title + " "});
  };
  std::filesystem::create_directory("cmem-one-controller");  // which is no scenario
  passes("cmem-one-controller", "cmem-one-controller");      // one that is shipped with pmufab

  std::string own = read(shipped("tegra410/cmem-one-controller.yaml"));
  own.replace(own.find("../platforms"), 12, PMUFAB_SOURCE_DIR "/scenarios/platforms");
  const auto named = [&](const std::string& name) {
    std::string text = own;
    const std::size_t place = text.find("name: cmem-one-controller");
    return text.replace(place, 25, "name: " + name);
  };
  std::filesystem::create_directories("scenarios/deep/er");
  write("scenarios/deep/er/cmem-one-controller.yaml", named("mine"));
  passes("cmem-one-controller", "mine");  // the user's own has priority
  write("scenarios/deep/twice.yaml", named("twice"));
  write("scenarios/twice.yaml", named("twice"));
  const Outcome twice = ended(2, pmufab({"run", "twice"}));
  EXPECT_THAT(twice.err, AllOf(HasSubstr("several scenarios 'twice'"), HasSubstr("scenarios/deep/twice.yaml"),
                               HasSubstr("scenarios/twice.yaml")));
  write("twice", named("a-path"));
  passes("twice", "a-path");  // a path has priority over names
  EXPECT_THAT(pmufab({"run", "cmem-one-controler"}).err, HasSubstr("did you mean 'cmem-one-controller'?"));
  EXPECT_THAT(pmufab({"run", "cmn600-small"}).err, HasSubstr("no scenario 'cmn600-small'"));  // it is a platform
}

TEST_F(Command, a_name_that_no_platform_has_is_refused_by_all_that_take_one) {
  using Words = std::vector<std::string>;
  const std::vector<std::pair<Words, Words>> commands = {
      {{"regs"}, {}},
      {{"list"}, {}},
      {{"map"}, {}},
      {{"serve"}, {}},
      {{"firmware"}, {"--acpi", "tables"}},
      {{"verify", "--platform"}, {}},
      {{"stat", "--platform"}, {"--duration", "1 us", "-e", "arm_cmn_0/dtc_cycles/"}}};
  for (const auto& [before, after] : commands) {
    const auto refusal = [&, &first = before, &last = after](const std::string& name) {
      Words words = first;
      words.push_back(name);
      words.insert(words.end(), last.begin(), last.end());
      const Outcome outcome = ended(2, pmufab(words));
      return outcome.err;
    };
    EXPECT_THAT(refusal("cmn-flits"), HasSubstr("'cmn-flits' is a scenario, not a platform")) << before.front();
    EXPECT_THAT(refusal("cmn600-smal"),
                HasSubstr("there is no file and no platform 'cmn600-smal' (did you mean 'cmn600-small'"))
        << before.front();
  }
}

TEST_F(Command, list_shows_what_the_drivers_publish) {
  prints(0, {"list"},
         {"nvidia_ucf_pmu_1/slc_access_rd/", "[event=0x111]", "nvidia_cmem_latency_pmu_0/rd_cum_outs/",
          "src_loc_cpu=config1:1"});
  const Json json = Json::parse(pmufab({"list", "--json", shipped("platforms/tegra410-1s-small.yaml")}).out);
  std::map<std::string, Json> pmus;
  for (const Json& pmu : json.at("pmus")) pmus.emplace(pmu.at("name"), pmu);
  std::vector<std::string> names = {"nvidia_ucf_pmu_0", "nvidia_cmem_latency_pmu_0", "nvidia_nvlink_c2c_pmu_0",
                                    "nvidia_nvclink_pmu_0", "nvidia_nvdlink_pmu_0"};
  for (const char* number : {"0", "1", "2", "3", "4", "5"}) {
    names.push_back(std::string("nvidia_pcie_pmu_0_rc_") + number);
    names.push_back(std::string("nvidia_pcie_tgt_pmu_0_rc_") + number);
  }
  for (const std::string& name : names) ASSERT_TRUE(pmus.contains(name)) << name;
  EXPECT_EQ(pmus.size(), names.size());
  EXPECT_EQ(pmus.at("nvidia_ucf_pmu_0").at("events").at("slc_hit_rd"), "event=0x119");
}

TEST_F(Command, list_names_described_pmus_that_no_driver_has_registered) {
  const Outcome outcome = pmufab({"list", write("unbound.yaml", R"(kind: soc
sources: [{name: request}]
pmus:
  - name: bridge
    perf_name: acme_bridge0
    device: {acpi: ACME0042, module: arm_cmn}
    base: 0x2000_0000
    counters: 1
    width: 32
    registers: [{name: COUNTER, offset: 0x0, role: counter}]
    events: [{name: requests, number: 0x0, source: request}]
)")});
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("pmufab: acme_bridge0 is missing: its driver arm_cmn is bound to no device"));
}

TEST_F(Command, list_marks_events_that_are_not_modelled) {
  const std::string platform = shipped("platforms/cmn600-small.yaml");
  EXPECT_THAT(
      pmufab({"list", platform}).out,
      AllOf(HasSubstr("arm_cmn_0/hnf_seq_full/                                  [type=0x5,eventid=0x16]  not modelled: "
                      "back-invalidations are never held back\n"),
            HasSubstr("[type=0x5,eventid=0x1]\n")));
  const Json json = Json::parse(pmufab({"list", "--json", platform}).out);
  EXPECT_TRUE(json.at("pmus")[0].at("not_modelled").contains("hnf_seq_full"));
  EXPECT_FALSE(json.at("pmus")[0].at("not_modelled").contains("hnf_cache_miss"));
  // Such an event is refused.
  EXPECT_EQ(pmufab({"stat", "--platform", platform, "-e", "arm_cmn_0/hnf_seq_full/"}).exit_code, 2);
}

TEST_F(Command, stat_names_nodes_when_an_event_is_refused_for_one_there_is_not) {
  prints(1,
         {"stat", "--platform", shipped("platforms/cmn600-small.yaml"), "--duration", "1 us", "-e",
          "arm_cmn_0/hnf_cache_miss,bynodeid=1,nodeid=0x99/"},
         {"there is no hnf with node id 0x99; the nearest are 0x"});
}

TEST_F(Command, stat_prints_a_table_with_both_counts) {
  prints(0,
         {"stat", "-e", "nvidia_ucf_pmu_*/slc_access_rd/,nvidia_ucf_pmu_0/cycles/", "--traffic",
          shipped("traffic/mixed.yaml"), "--duration", "100 us"},
         {"PASSED: stat", "  ok     nvidia_ucf_pmu_1/slc_access_rd/", "requests/cycle"});
}

TEST_F(Command, stat_separates_fields_as_perf_does) {
  const Outcome outcome = pmufab({"stat", "-e", "nvidia_ucf_pmu_0/cycles/", "--duration", "10 us", "-x;"});
  EXPECT_THAT(outcome.out, ::testing::MatchesRegex("[0-9]+;;nvidia_ucf_pmu_0/cycles/;[0-9]+;100.00;;\n"));
}

TEST_F(Command, stat_prints_json_lines_and_intervals) {
  const Outcome outcome =
      pmufab({"stat", "-e", "nvidia_ucf_pmu_0/cycles/", "--duration", "100 us", "-I", "0.02", "-j"});
  std::istringstream lines(outcome.out);
  std::vector<double> times;
  for (std::string line; std::getline(lines, line);) {
    const Json json = Json::parse(line);
    EXPECT_EQ(json.at("event"), "nvidia_ucf_pmu_0/cycles/");
    times.push_back(json.at("interval").get<double>());
  }
  ASSERT_EQ(times.size(), 5U);
  EXPECT_NEAR(times[0], 20e-6, 2e-6);
  EXPECT_NEAR(times[4], 100e-6, 2e-6);
}

TEST_F(Command, stat_writes_what_the_scoreboard_says_to_a_file) {
  const std::string file = (folder / "r.json").string();
  const Outcome outcome =
      pmufab({"stat", "-e", "nvidia_ucf_pmu_0/cycles/", "--duration", "10 us", "-j", "--json", file});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json counter = Json::parse(read(file)).at("runs").at(0).at("measures").at(0).at("counters").at(0);
  EXPECT_EQ(counter.at("check"), "exact");
  EXPECT_EQ(counter.at("driver"), counter.at("expected"));
  const std::string value = Json::parse(outcome.out).at("counter-value");
  EXPECT_EQ(std::stod(value), counter.at("driver").get<double>());
}

TEST_F(Command, stat_prints_a_line_for_every_interval) {
  prints(0, {"stat", "-e", "nvidia_ucf_pmu_0/cycles/", "--duration", "100 us", "-I", "0.02"},
         {"time (s)", "0.00002", "0.00008"});
}

TEST_F(Command, stat_says_how_long_events_that_share_counters_need) {
  std::string events = "nvidia_ucf_pmu_0/slc_access_rd/";
  for (int i = 0; i < 9; ++i) events += ",nvidia_ucf_pmu_0/slc_access_rd/";
  const std::vector<std::string> arguments = {"stat", "-e", events, "--duration", "10 us"};
  EXPECT_THAT(pmufab(arguments).out, HasSubstr("never had a counter (events take turns of 4 ms"));
}

TEST_F(Command, stat_counts_more_events_than_counters_by_turns) {
  std::string events;
  for (const char* event : {"slc_access_rd", "slc_access_wr", "slc_bytes_rd", "slc_bytes_wr", "slc_hit_rd",
                            "mem_access_rd", "mem_access_wr", "mem_bytes_rd", "mem_bytes_wr", "slc_wb"})
    events += std::string(events.empty() ? "" : ",") + "nvidia_ucf_pmu_0/" + event + "/";
  const std::string traffic = write("slow.yaml", R"(generators:
  - name: gpu
    requester: {kind: gpu}
    targets: [{memory: cmem, size: 1 MiB}]
    mix: {read: 1, write: 1}
    pacing: {kind: fixed, requests_per_us: 5}
)");
  EXPECT_THAT(ended(0, pmufab({"stat", "-e", events, "--traffic", traffic, "--duration", "30 ms"})).out,
              AllOf(HasSubstr("% of the time"), Not(HasSubstr("never had a counter")), Not(HasSubstr("WRONG"))));
}

TEST_F(Command, regs_shows_values_after_the_drivers_or_the_map) {
  const std::string platform = shipped("platforms/tegra410-1s-small.yaml");
  EXPECT_THAT(pmufab({"regs", platform, "socket0.ucf_pmu"}).out, AllOf(HasSubstr("PMCFGR"), HasSubstr("PMIIDR")));
  // As messages and traces call its pages.
  for (const char* page : {"socket0.ucf_pmu.page1", "platform.socket0.ucf_pmu.page0"})
    EXPECT_EQ(pmufab({"regs", platform, page}).out, pmufab({"regs", platform, "socket0.ucf_pmu"}).out) << page;
  EXPECT_THAT(pmufab({"regs", platform, "socket0.ucf_pmu", "--markdown", "--reset"}).out,
              HasSubstr("## socket0.ucf_pmu"));
  const Json json = Json::parse(pmufab({"regs", platform, "--json"}).out);
  EXPECT_TRUE(json.contains("socket0.ucf_pmu"));
}

// Addresses are those of docs/platform.md. That the bus agrees, is shown by a test of pmufab serve.
TEST_F(Command, regs_shows_where_registers_are) {
  const std::string platform = shipped("platforms/tegra410-1s-small.yaml");
  EXPECT_THAT(pmufab({"regs", platform, "--reset"}).out,
              AllOf(HasSubstr("socket0.ucf_pmu at 0x10000000"), HasSubstr("socket0.rc1.pcie_pmu at 0x10012000"),
                    HasSubstr("socket0.cmem_latency_pmu.broadcast at 0x1010e000\n")));
  const Json json = Json::parse(pmufab({"regs", platform, "--reset", "--json", "socket0.ucf_pmu"}).out);
  EXPECT_EQ(json.at("socket0.ucf_pmu")[0].at("base"), "0x10000000");
  EXPECT_THAT(pmufab({"regs", platform, "--reset", "--dump", "socket0.ucf_pmu"}).out,
              HasSubstr("R 0x10000400 0x00000000\n"));
  EXPECT_EQ(pmufab({"regs", platform, "--reset", "--dump", "--json"}).exit_code, 2);
}

TEST_F(Command, regs_shows_a_scenario_at_an_instant_and_what_changes_between_two) {
  // The measure `first` of the scenario counts slc_access_rd, event 0x111 of the UCF, from the beginning to 50 us.
  const std::string scenario = quick();
  const auto value = [&](const std::string& time, const std::string& name) {
    const Outcome outcome = ended(0, pmufab({"regs", scenario, "socket0.ucf_pmu", "--at", time, "--json"}));
    const Json document = Json::parse(outcome.out);
    for (const Json& page : document.at("socket0.ucf_pmu")) {
      for (const Json& entry : page.at("registers")) {
        if (entry.at("name") == name) return std::stoull(entry.at("values")[0].get<std::string>(), nullptr, 16);
      }
    }
    return 0ULL;
  };
  EXPECT_EQ(value("20us", "PMEVTYPER"), 0x111U);
  const std::uint64_t early = value("20us", "PMEVCNTR_LO");
  const std::uint64_t late = value("40us", "PMEVCNTR_LO");
  EXPECT_GT(early, 0U);
  EXPECT_GT(late, early);
  EXPECT_THAT(pmufab({"regs", scenario, "socket0.ucf_pmu", "--at", "20us"}).out,
              AllOf(StartsWith("20.000 us after the drivers were loaded\n"), HasSubstr("at 0x10000000")));

  const Json changes = Json::parse(pmufab({"regs", scenario, "socket0.ucf_pmu", "--diff", "20us,40us", "--json"}).out);
  const auto counter = std::find_if(changes.begin(), changes.end(), [](const Json& one) {
    return one.at("register").get<std::string>().starts_with("PMEVCNTR_LO[0]");
  });
  ASSERT_NE(counter, changes.end()) << changes;
  EXPECT_EQ(std::stoull(counter->at("before").get<std::string>(), nullptr, 16), early);
  EXPECT_EQ(std::stoull(counter->at("after").get<std::string>(), nullptr, 16), late);
  for (const Json& one : changes) EXPECT_NE(one.at("before"), one.at("after"));
  EXPECT_THAT(pmufab({"regs", scenario, "socket0.ucf_pmu", "--diff", "20us,40us"}).out, HasSubstr(" -> "));

  const auto refuses = [&](std::vector<std::string> words, const std::string& why) {
    words.insert(words.begin(), {"regs", scenario});
    Cli::refuses(words, {why});
  };
  refuses({"--at", "60us"}, "quick ends before 60 us");
  refuses({"--at", "soon"}, "--at: 'soon'");
  refuses({"--diff", "20us"}, "--diff needs two times");
  refuses({"--diff", "20us,20us"}, "the second time must be later");
  refuses({"--at", "1us", "--diff", "1us,2us"}, "exclude each other");
  refuses({"socket0.ufc_pmu", "--at", "1us"}, "did you mean 'socket0.ucf_pmu'");
}

TEST_F(Command, run_writes_reports_that_parse) {
  const std::string base = folder.string();
  ended(0, pmufab({"run", quick(), "--junit", base + "/j.xml", "--json", base + "/r.json", "--csv", base + "/r.csv",
                   "--out", base + "/results"}));
  const Json json = Json::parse(read(folder / "r.json"));
  const Json& run = json.at("runs").at(0);
  EXPECT_EQ(run.at("status"), "passed");
  EXPECT_FALSE(run.at("partial"));
  const Json& counter = run.at("measures")[0].at("counters")[0];
  EXPECT_EQ(counter.at("driver"), counter.at("expected"));
  EXPECT_GT(counter.at("driver"), 0);
  EXPECT_THAT(read(folder / "j.xml"),
              AllOf(HasSubstr("<testsuites"), HasSubstr("failures=\"0\""), HasSubstr("</testsuites>"),
                    HasSubstr("\"simulated_seconds\" value=\"0.0000")));
  EXPECT_THAT(read(folder / "r.csv"), HasSubstr("quick,,"));
  bool effective = false;
  for (const auto& [name, content] : contents(folder / "results")) {
    if (name.ends_with("effective.yaml")) effective = content.find("ucf_clock: 2400 MHz") != std::string::npos;
  }
  EXPECT_TRUE(effective);
}

TEST_F(Command, compare_shows_what_two_results_say_differently) {
  const std::string base = folder.string();
  const std::string scenario = quick();
  ASSERT_EQ(
      pmufab({"run", scenario, "--drivers", "newest", "--out", base + "/one", "--json", base + "/one.json"}).exit_code,
      0);
  ASSERT_EQ(pmufab({"run", scenario, "--drivers", "newest", "--set", "seed=2", "--out", base + "/other"}).exit_code, 0);
  const std::string wrong = write("wrong.yaml", read(scenario) + R"(expect:
  - {event: nvidia_ucf_pmu_0/slc_access_rd/, equals: 1}
)");
  ASSERT_EQ(pmufab({"run", wrong, "--drivers", "newest", "--json", base + "/wrong.json"}).exit_code, 1);

  const Outcome same = ended(0, pmufab({"compare", base + "/one", base + "/one.json"}));
  EXPECT_THAT(same.out, HasSubstr("same 1, better 0, worse 0\n"));
  const Outcome changed = ended(0, pmufab({"compare", base + "/one", base + "/other"}));
  EXPECT_THAT(changed.out,
              AllOf(HasSubstr("quick (Linux "), HasSubstr("seed: 1, then 2"), HasSubstr("changed otherwise 1")));
  const Outcome worse = ended(1, pmufab({"compare", base + "/one.json", base + "/wrong.json", "--json"}));
  const Json json = Json::parse(worse.out);
  EXPECT_EQ(json.at("worse"), 1);
  EXPECT_EQ(json.at("runs")[0].at("status"), Json::array({"passed", "failed"}));
  EXPECT_EQ(pmufab({"compare", base + "/wrong.json", base + "/one.json"}).exit_code, 0);

  EXPECT_EQ(pmufab({"compare", base + "/one"}).exit_code, 2);
  const Outcome absent = ended(2, pmufab({"compare", base + "/one", base + "/absent"}));
  EXPECT_THAT(absent.err, HasSubstr("absent does not exist"));
  EXPECT_EQ(pmufab({"compare", scenario, base + "/one"}).exit_code, 2);
}

TEST_F(Command, the_effective_configuration_of_a_run_runs_to_the_same_counts) {
  const std::string base = folder.string();
  ASSERT_EQ(
      pmufab({"run", quick(), "--drivers", "newest", "--out", base + "/once", "--csv", base + "/once.csv"}).exit_code,
      0);
  std::string effective;
  for (const auto& [name, content] : contents(folder / "once")) {
    if (name.ends_with("effective.yaml")) effective = content;
  }
  ASSERT_EQ(pmufab({"run", write("effective.yaml", effective), "--drivers", "newest", "--csv", base + "/twice.csv"})
                .exit_code,
            0);
  EXPECT_EQ(read(folder / "once.csv"), read(folder / "twice.csv"));
}

TEST_F(Command, the_same_scenario_gives_byte_identical_results) {
  const std::string base = folder.string();
  const std::string scenario = quick("matrix: {host.interrupt_delay: [0, 1 us]}\n");
  const std::vector<std::string> common = {"run", scenario, shipped("hotplug.yaml"), "--drivers", ">=7.3", "--json"};
  const auto run = [&](const std::string& name, const std::string& jobs) {
    std::vector<std::string> arguments = common;
    arguments.insert(arguments.end(),
                     {base + "/" + name + "/all.json", "--junit", base + "/" + name + "/j.xml", "--csv",
                      base + "/" + name + "/all.csv", "--out", base + "/" + name, "-j", jobs});
    return pmufab(arguments);
  };
  const auto results = [&](const std::string& name) {
    std::map<std::string, std::string> files = contents(folder / name);
    // A JUnit report says how long the runs took on this machine, and nothing else that differs.
    std::string& report = files.at("j.xml");
    const std::regex time(" time=\"[0-9.]+\"");
    EXPECT_TRUE(std::regex_search(report, time));
    report = std::regex_replace(report, time, "");
    return files;
  };
  const Outcome first = run("a", "1");
  const Outcome second = run("b", "4");
  EXPECT_EQ(first.exit_code, 0) << first.out;
  EXPECT_EQ(first.out, second.out);
  EXPECT_EQ(results("a"), results("b"));
}

TEST_F(Command, a_run_with_a_long_name_has_a_folder_too) {
  // The names of the variants differ in their last letters only.
  const std::string matrix =
      "matrix: {description: [" + std::string(300, 'x') + "], host.interrupt_delay: [0, 1 us]}\n";
  const std::string out = (folder / "results").string();
  ASSERT_EQ(pmufab({"run", quick(matrix), "--drivers", "newest", "--out", out}).exit_code, 0);
  std::size_t results = 0;
  for (const auto& [name, ignored] : contents(out)) results += name.ends_with("/result.json") ? 1 : 0;
  EXPECT_EQ(results, 2U);
}

TEST_F(Command, another_seed_gives_other_counts) {
  const std::string base = folder.string();
  std::vector<std::string> counts;
  for (const char* const seed : {"seed=1", "seed=2"}) {
    ASSERT_EQ(pmufab({"run", quick(), "--drivers", "newest", "--set", seed, "--json", base + "/r.json"}).exit_code, 0);
    std::string all;
    const auto results = nlohmann::json::parse(read(folder / "r.json"));
    for (const auto& counter : results["runs"][0]["measures"][0]["counters"]) all += counter["driver"].dump() + " ";
    counts.push_back(all);
  }
  EXPECT_NE(counts[0], counts[1]);
}

TEST_F(Command, a_count_out_of_bounds_fails_with_the_counter) {
  prints(1, {"run", quick("expect: [{event: nvidia_ucf_pmu_0/slc_access_rd/, equals: 5}]\n")},
         {"FAILED: quick", "WRONG  nvidia_ucf_pmu_0/slc_access_rd/   (the scenario expects 5)"});
}

TEST_F(Command, a_bound_does_not_hide_that_the_driver_refused_the_event) {
  const std::string refused = "nvidia_ucf_pmu_0/slc_access_wr/u";  // no PMU outside of CPUs knows user mode
  const std::string measure = "  - {name: refused, events: [" + refused + "]";
  const std::string bound = "expect: [{event: " + refused + ", equals: 5}]\n";
  EXPECT_THAT(
      ended(0, pmufab({"run", quick(measure + "}\n" + bound +
                                    "expected_failure: {reason: it is refused, not_opened: " + refused + "}\n")}))
          .out,
      HasSubstr("FAILED, as expected"));
  prints(1, {"run", quick(measure + ", open_error: EINVAL}\n" + bound)},
         {"there is no count of '" + refused + "' to compare with"});
  EXPECT_EQ(pmufab({"run", quick(measure + ", open_error: EINVAL}\n" + bound +
                                 "expected_failure: {reason: the bound, check: expect}\n")})
                .exit_code,
            0);
}

TEST_F(Command, an_expectation_of_nothing_measured_is_refused) {
  refuses({"run", quick("expect: [{event: nvidia_ucf_pmu_0/cycles/, minimum: 5}]\n")},
          {"expect[0].event: no measure counts 'nvidia_ucf_pmu_0/cycles/'"});
}

TEST_F(Command, an_expected_failure_passes_and_must_fail) {
  const std::string known =
      "expected_failure: {reason: known to count wrong, event: nvidia_ucf_pmu_0/slc_access_rd/}\n";
  EXPECT_THAT(
      ended(0, pmufab({"run", quick(known + "expect: [{event: nvidia_ucf_pmu_0/slc_access_rd/, equals: 5}]\n")})).out,
      AllOf(HasSubstr("FAILED, as expected"), HasSubstr("known to count wrong")));
  prints(1, {"run", quick(known)}, {"was expected to fail"});
  EXPECT_EQ(
      pmufab({"run", quick("expected_failure: {reason: only then, check: interrupts, drivers: [\"<7\"]}\n")}).exit_code,
      0);
}

TEST_F(Command, another_failure_than_the_expected_one_is_a_failure) {
  const std::string wrong = "expect: [{event: nvidia_ucf_pmu_0/slc_access_rd/, equals: 5}]\n";
  EXPECT_THAT(
      ended(1, pmufab({"run", quick(wrong + "expected_failure: {reason: known, event: nvidia_ucf_pmu_0/cycles/}\n")}))
          .out,
      AllOf(HasSubstr("FAILED: quick"), HasSubstr("not the expected failure"),
            HasSubstr("'nvidia_ucf_pmu_0/slc_access_rd/' is wrong"),
            HasSubstr("no wrong count of 'nvidia_ucf_pmu_0/cycles/'")));
  const std::string refused = "nvidia_ucf_pmu_0/slc_access_wr/u";  // no PMU outside of CPUs knows user mode
  prints(0,
         {"run", quick("  - {name: refused, events: [" + refused + "], open_error: EINVAL}\n" + "expect: [{event: " +
                       refused + ", minimum: 5}]\n" + "expected_failure: {reason: known, check: expect}\n")},
         {"FAILED, as expected"});
}

TEST_F(Command, an_open_the_driver_refuses_is_checked) {
  // contract C28: nine events on eight counters cannot be a group
  std::string group;
  for (int i = 0; i < 9; ++i) group += std::string(i == 0 ? "" : ",") + "nvidia_ucf_pmu_0/slc_access_rd/";
  const auto with = [&](const std::string& error) {
    return pmufab({"run", quick("  - {name: refused, events: [\"{" + group + "}\"], open_error: " + error + "}\n")});
  };
  ended(0, with("EINVAL"));
  EXPECT_THAT(ended(1, with("ENOENT")).out, HasSubstr("opening it failed: EINVAL (Invalid argument)"));
}

TEST_F(Command, all_events_of_a_measure_must_be_refused_if_one_must) {
  prints(1,
         {"run", quick("  - {name: refused, open_error: EINVAL, events: "
                       "[nvidia_ucf_pmu_0/slc_access_wr/u, nvidia_ucf_pmu_0/slc_access_wr/]}\n")},
         {"only 1 of 2 events and groups were refused with EINVAL", "counts in all modes, so leave out ':u'"});
}

TEST_F(Command, a_child_that_crashes_is_reported_and_takes_nothing_along) {
  // The drivers of "Linux 99.1" crash when they are loaded. The others run all the same.
  std::filesystem::create_directories(folder / "drivers" / "99.1");
  std::filesystem::copy_file(PMUFAB_CRASHING_DRIVERS, folder / "drivers" / "99.1" / "pmufab_drivers.so");
  for (const auto& entry : std::filesystem::directory_iterator(PMUFAB_DRIVERS_DIR)) {
    if (entry.is_directory())
      std::filesystem::create_directory_symlink(entry.path(), folder / "drivers" / entry.path().filename());
  }
  const Outcome outcome = ended(3, pmufab({"run", quick(), "--driver-dir", (folder / "drivers").string(), "--json",
                                           (folder / "r.json").string()}));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("PASSED: quick"), HasSubstr("CRASHED: quick"), HasSubstr("Aborted")));
  EXPECT_THAT(outcome.err, HasSubstr("last words"));
  const Outcome map =
      ended(3, pmufab({"map", shipped("platforms/cmn600-small.yaml"), "--compare", "--drivers", "99.1", "--driver-dir",
                       (folder / "drivers").string(), "--svg", (folder / "map.svg").string()}));
  EXPECT_THAT(map.err, AllOf(HasSubstr("last words"), HasSubstr("the drivers crashed"), HasSubstr("Aborted")));
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    EXPECT_FALSE(entry.path().filename().string().starts_with("map.svg")) << "nothing half done is left";
  const Json runs = Json::parse(read(folder / "r.json")).at("runs");
  EXPECT_EQ(runs.back().at("status"), "crashed");
  EXPECT_TRUE(runs.back().at("partial"));
}

TEST_F(Command, a_parent_that_ignores_its_children_does_not_matter) {
  std::signal(SIGCHLD, SIG_IGN);  // the program inherits this
  const pid_t run = start({"run", quick(), "--drivers", "newest"});
  std::signal(SIGCHLD, SIG_DFL);
  EXPECT_THAT(ended(0, finish(run)).out, HasSubstr("PASSED: quick"));
  std::signal(SIGCHLD, SIG_IGN);
  const pid_t shell = start({"shell", shipped("platforms/tegra410-1s-small.yaml"), "--", "sh", "-c", "exit 5"});
  std::signal(SIGCHLD, SIG_DFL);
  EXPECT_EQ(finish(shell).exit_code, 5) << "the command's own";
}

TEST_F(Command, a_run_that_keeps_others_waiting_is_named_with_its_time_and_the_time_left) {
  const int screen = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
  ASSERT_GE(screen, 0);
  ASSERT_EQ(grantpt(screen), 0);
  ASSERT_EQ(unlockpt(screen), 0);
  errors = ptsname(screen);
  const std::string scenario = write("two.yaml", read(endless()) + "matrix: {duration: [60 us, 10 h]}\n");
  const pid_t run = start({"run", scenario, "--drivers", "newest", "-j", "1"});
  std::string shown;
  const auto look = [&] {  // as long as nobody does, the program waits
    std::array<char, 4096> part{};
    const ssize_t size = ::read(screen, part.data(), part.size());
    if (size > 0) shown.append(part.data(), static_cast<std::size_t>(size));
  };
  EXPECT_TRUE(comes_true([&] {
    look();
    return shown.find(" since ") != std::string::npos;
  }));
  kill(run, SIGINT);
  EXPECT_TRUE(comes_true([&] {
    look();
    return waitpid(run, nullptr, WNOHANG) == run;
  }));
  close(screen);
  EXPECT_THAT(shown, AllOf(HasSubstr("1 of 2 runs, "), HasSubstr(" left"), HasSubstr("(Linux "), HasSubstr(" since ")));
}

TEST_F(Command, a_run_that_takes_too_long_keeps_what_it_measured) {
  prints(1, {"run", endless(), "--drivers", "newest", "--timeout", "3", "--json", (folder / "r.json").string()},
         {"TIMED OUT: endless", "took too long", "These results are partial", "short: 50.000 ns"});
  const Json run = Json::parse(read(folder / "r.json")).at("runs").at(0);
  EXPECT_EQ(run.at("status"), "timed_out");
  EXPECT_TRUE(run.at("partial"));
  ASSERT_EQ(run.at("measures").size(), 2U);
  EXPECT_EQ(run.at("measures")[0].at("counters")[0].at("check"), "exact");
  // The open one is ended, as by an interrupt.
  EXPECT_TRUE(run.at("measures")[1].at("partial"));
  EXPECT_EQ(run.at("measures")[1].at("counters")[0].at("check"), "exact");
}

TEST_F(Command, too_many_interval_readings_are_refused_or_end_the_run) {
  refuses({"run", quick(), "--set", "measure[0].interval=1 ps"},
          {"quick.yaml:13:", "more than 100000 interval readings", "--limit readings=N allows more"});
  refuses({"stat", "-e", "nvidia_ucf_pmu_0/cycles/", "-I", "1 ps", "--duration", "1 s"}, {"interval readings"});
  // Without a duration the number is not known before.
  EXPECT_THAT(
      ended(1, pmufab({"run", quick(), "--drivers", "newest", "--set", "duration=null", "--set",
                       "traffic[0].generators[0].phases=[{duration: 50 us}]", "--set", "measure[0].interval=2 us",
                       "--limit", "readings=10", "--json", (folder / "r.json").string()}))
          .out,
      AllOf(HasSubstr("STOPPED: quick"), HasSubstr("more than 10 interval readings"),
            HasSubstr("These results are partial")));
  const Json run = Json::parse(read(folder / "r.json")).at("runs").at(0);
  EXPECT_TRUE(run.at("partial"));
  EXPECT_EQ(run.at("measures")[0].at("intervals").size(), 11U) << "the last one is the end";
  EXPECT_EQ(run.at("measures")[0].at("counters")[0].at("check"), "exact");
}

TEST_F(Command, simulated_time_may_be_limited_and_counts_are_exact) {
  prints(1,
         {"run", endless(), "--drivers", "newest", "--limit", "simulated-time=100 us", "--json",
          (folder / "r.json").string()},
         {"STOPPED: endless", "it simulated --limit simulated-time=100 us; the results so far are kept"});
  const Json run = Json::parse(read(folder / "r.json")).at("runs").at(0);
  EXPECT_LT(run.at("simulated_time_ps"), 200'000'000);
  for (const Json& measure : run.at("measures"))
    EXPECT_EQ(measure.at("counters")[0].at("check"), "exact") << measure.dump(1);
}

// Opening and enabling many events takes long, too.
TEST_F(Command, limits_end_a_measure_of_many_events_while_it_begins) {
  std::string events;
  for (int i = 0; i < 600; ++i) events += "      - arm_cmn_0/mxp_e_dat_txflit_valid/\n";
  ended(1, pmufab({"run",
                   write("many.yaml", "name: many\nplatform: " + shipped("platforms/cmn600-small.yaml") +
                                          "\nduration: 100 us\nmeasure:\n  - start: 1 us\n    events:\n" + events),
                   "--drivers", "newest", "--limit", "simulated-time=10 us", "--json", (folder / "r.json").string()}));
  const Json run = Json::parse(read(folder / "r.json")).at("runs").at(0);
  EXPECT_EQ(run.at("partial"), true);
  EXPECT_LT(run.at("simulated_time_ps"), 20'000'000);
  EXPECT_EQ(run.at("counters_wrong"), 0);
}

TEST_F(Command, an_interrupt_keeps_and_compares_what_was_counted) {
  const pid_t pid =
      start({"run", endless(), endless(), "--drivers", "newest", "-j", "1", "--json", (folder / "r.json").string()});
  std::this_thread::sleep_for(std::chrono::seconds(3));
  kill(pid, SIGINT);
  EXPECT_THAT(ended(1, finish(pid)).out,
              AllOf(HasSubstr("STOPPED: endless"), HasSubstr("(cut short)"), HasSubstr("NOT RUN: 1 run\n")));
  const Json runs = Json::parse(read(folder / "r.json")).at("runs");
  EXPECT_EQ(runs.at(0).at("status"), "interrupted");
  EXPECT_TRUE(runs.at(0).at("partial"));
  ASSERT_EQ(runs.at(0).at("measures").size(), 2U);
  EXPECT_TRUE(runs.at(0).at("measures")[1].at("partial"));
  EXPECT_EQ(runs.at(0).at("measures")[1].at("counters")[0].at("check"), "exact");
  EXPECT_EQ(runs.at(1).at("status"), "not_run");
}

/// @return whether a process has a function of its own for SIGINT
bool handles_interrupts(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("SigCgt:")) return (std::stoull(line.substr(7), nullptr, 16) >> (SIGINT - 1U) & 1U) != 0;
  }
  return false;
}

// Traffic is sent ahead of simulated time. A measure that ends before that time would have lost requests.
TEST_F(Command, an_interrupt_at_any_time_finds_right_counts) {
  const std::string scenario = write("always.yaml", "name: always\nplatform: " + shipped("platforms/tegra410-2s.yaml") +
                                                        "\ntraffic: " + shipped("traffic/mixed.yaml") + R"(
duration: 10 h
measure:
  - events: [nvidia_cmem_latency_pmu_0/rd_req/, nvidia_ucf_pmu_0/slc_access_rd/]
)");
  for (int delay = 300; delay < 1200; delay += 150) {
    SCOPED_TRACE(delay);
    const pid_t pid = start({"run", scenario, "--drivers", "newest", "--json", (folder / "r.json").string()});
    EXPECT_TRUE(comes_true([&] { return handles_interrupts(pid); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(delay));
    kill(pid, SIGINT);
    const Outcome outcome = ended(1, finish(pid));
    const Json run = Json::parse(read(folder / "r.json")).at("runs").at(0);
    EXPECT_EQ(run.at("status"), "interrupted") << outcome.out;
    for (const Json& measure : run.at("measures")) {
      for (const Json& counter : measure.at("counters")) EXPECT_EQ(counter.at("check"), "exact") << counter;
    }
  }
}

TEST_F(Command, a_closed_terminal_keeps_what_was_counted) {
  const auto hang_up = [this](void (*before)(int)) {
    std::signal(SIGHUP, before);  // the program inherits this
    const pid_t pid =
        start({"run", endless(), "--drivers", "newest", "--timeout", "4", "--json", (folder / "r.json").string()},
              {{"TMPDIR", (folder / "tmp").string()}});
    std::signal(SIGHUP, SIG_DFL);
    std::this_thread::sleep_for(std::chrono::seconds(2));
    kill(pid, SIGHUP);
    EXPECT_EQ(finish(pid).exit_code, 1);
    EXPECT_TRUE(std::filesystem::is_empty(folder / "tmp")) << "the scratch folder was left";
    return Json::parse(read(folder / "r.json")).at("runs").at(0).at("status");
  };
  std::filesystem::create_directory(folder / "tmp");
  EXPECT_EQ(hang_up(SIG_DFL), "interrupted");
  EXPECT_EQ(hang_up(SIG_IGN), "timed_out") << "under nohup";
}

TEST_F(Command, a_recording_can_be_imported_replayed_and_described) {
  std::string lackey = "==7== Lackey\n";
  for (int i = 0; i < 3000; ++i) {
    char line[64];
    std::snprintf(line, sizeof line, "I  0400%04x,3\n %c 1ffe%04x,8\n", i % 512, i % 3 == 0 ? 'S' : 'L',
                  i * 24 % 65536);
    lackey += line;
  }
  const std::string trace = (folder / "a.trace").string();
  EXPECT_THAT(
      ended(0, pmufab({"trace", "import", write("a.lackey", lackey + "==7== Exit code: 0\n"), "--output", trace})).out,
      HasSubstr("3,000 accesses written (2,000 loads, 1,000 stores"));
  EXPECT_THAT(pmufab({"trace", "info", trace}).out, AllOf(HasSubstr("3,000  accesses"), HasSubstr("2,000    load")));
  EXPECT_THAT(
      ended(0, pmufab({"run", shipped("demo.yaml"), "--drivers", "newest", "--set", "trace=" + trace, "--set",
                       "traffic[1].generators[0].phases[0].duration=20 us", "--set",
                       "traffic[1].generators[1].phases[0].duration=20 us", "--set",
                       "traffic[1].generators[2].phases[0].duration=20 us", "--set",
                       "traffic[1].generators[3].phases[0].duration=20 us", "--set", "measure[0].nonzero=false"}))
          .out,
      HasSubstr("22 counters, none wrong"));
}

// NOLINTNEXTLINE(readability-function-size): a test told from its beginning to its end
TEST_F(Command, cxl_traffic_of_a_run_can_be_recorded_and_replayed_to_identical_counts) {
  const std::string base = folder.string();
  // Hosts, devices and caches that hit, wait for each other, run out of room and are late.
  const auto scenario = [&](const std::string& traffic) {
    return "name: same\nplatform: " + shipped("platforms/cxl-exact.yaml") + "\ncxl_traffic:\n" + traffic + R"(
duration: 12 us
measure:
  - name: all
    start: 1 us
    interval: 3 us
    events:
      - cxl_pmu_mem0.0/m2s_req_memrd/
      - cxl_pmu_mem0.0/m2s_req_memrddata/
      - cxl_pmu_mem0.1/m2s_rwd_memwr/
      - cxl_pmu_mem0.1/m2s_rwd_biconflict/
      - cxl_pmu_mem0.3/vid=0x1e98,gid=0x23,mask=0x77/
      - cxl_pmu_mem0.6/vid=0x1e98,gid=0x8000,mask=0x7f/
      - cxl_pmu_mem1.0/vid=0x1e98,gid=0x10,mask=0x17ffe/
      - cxl_pmu_mem1.2/vid=0x1e98,gid=0x12,mask=0xe/
)";
  };
  const std::string original = write("original.yaml", scenario(R"(
  - name: contended
    mix: {load: 2, load_shared: 3, store: 3, write: 3, invalidate: 1, clean_evict: 1, speculative_read: 1}
    ranges: [{base: 0x100_0000_0000, size: 1 KiB}]
    outstanding: 8
    tee_share: 0.2
  - name: second
    mix: {load: 1, store: 1}
    ranges: [{base: 0x100_0000_0000, size: 1 KiB}]
    pacing: {kind: exponential, requests_per_us: 40}
  - name: own
    mix: {local_load: 3, local_store: 1}
    ranges: [{base: 0x100_0000_0000, size: 1 KiB}]
    pacing: {kind: exponential, requests_per_us: 40}
    outstanding: 3
  - name: cache
    device: 1
    mix: {cache_rd_own: 2, cache_rd_shared: 2, cache_dirty_evict: 1, cache_clean_evict: 1}
    ranges: [{base: 0x91_0000_0000, size: 1 KiB}]
    outstanding: 4
  - name: snoops
    device: 1
    mix: {snoop_data: 1, snoop_invalidate: 1}
    ranges: [{base: 0x91_0000_0000, size: 1 KiB}]
    outstanding: 2
)"));
  const std::string replay = write("replay.yaml", scenario("  - {name: all, trace: {}}\n"));
  const auto counts = [&](const std::string& file, const std::string& name, const std::string& trace) {
    std::vector<std::string> arguments = {"run", file, "--drivers", "newest", "--csv", base + "/" + name};
    if (!trace.empty()) arguments.insert(arguments.end(), {"--set", "trace=" + trace});
    ended(0, pmufab(arguments));
    // Without the rows of traffic: the streams have other names.
    std::istringstream rows(read(folder / name));
    std::string counters;
    for (std::string row; std::getline(rows, row);)
      counters += row.find(",traffic,") == std::string::npos ? row + "\n" : "";
    return counters;
  };
  const std::string trace = base + "/a.pmutrace";
  const Outcome recorded = pmufab({"trace", "record", original, trace});
  ASSERT_EQ(recorded.exit_code, 0) << recorded.err;
  EXPECT_THAT(recorded.out, HasSubstr("operations recorded"));
  EXPECT_THAT(pmufab({"trace", "info", trace}).out,
              AllOf(HasSubstr("device 0 local_load"), HasSubstr("device 1 snoop")));
  const std::string expected = counts(original, "original.csv", "");
  EXPECT_GT(expected.size(), 500U);
  EXPECT_EQ(counts(replay, "replay.csv", trace), expected);
  // A recording of the replay equals the trace, in both forms.
  ASSERT_EQ(pmufab({"trace", "record", replay, base + "/b.pmutrace", "--set", "trace=" + trace}).exit_code, 0);
  EXPECT_EQ(read(folder / "b.pmutrace"), read(trace));
  ASSERT_EQ(pmufab({"trace", "import", trace, base + "/c.csv"}).exit_code, 0);
  EXPECT_EQ(counts(replay, "csv.csv", base + "/c.csv"), expected);

  // Errors in a trace are reported with their place.
  const auto refused = [&](const std::string& file, const Texts& message) {
    refuses({"run", replay, "--drivers", "newest", "--set", "trace=" + file}, message);
  };
  const std::string header = "time,device,operation,address\n";
  refused(write("wrong.csv", header + "0,0,read,0x40\n5,7,read,0x40\nend\n"),
          {"wrong.csv: line 3: there is no CXL device 7", "the platform has 2"});
  refused(write("wrong.csv", header + "0,0,reed,0x40\nend\n"), {"line 2: there is no operation 'reed'"});
  refused(write("wrong.csv", "kind,address,size\nload,0x40,8\nend\n"), {"wrong.csv: holds memory accesses"});
  std::filesystem::resize_file(trace, std::filesystem::file_size(trace) - 7);
  refused(trace, {"a.pmutrace: byte ", "truncated"});
  EXPECT_EQ(pmufab({"trace", "import", trace, base + "/d.csv"}).exit_code, 2);
  EXPECT_EQ(pmufab({"trace", "record", quick(), base + "/e"}).exit_code, 2);
}

}  // namespace
}  // namespace pmufab::testing
