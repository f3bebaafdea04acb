// SPDX-License-Identifier: Apache-2.0
// Which scenarios a user means: by driver, folder and pattern.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "testbench/tests/tools/cli_fixture.h"

namespace pmufab::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSubsetOf;
using ::testing::IsSupersetOf;
using ::testing::Not;
using Json = nlohmann::json;

class Selection : public Cli {
 protected:
  /// @return what is listed with these arguments
  Json listed(const std::vector<std::string>& arguments) {
    return Json::parse(ended(0, pmufab(with({"list", "--scenarios", "--json"}, arguments))).out);
  }
  static std::vector<std::string> names(const Json& list) {
    std::vector<std::string> names;
    for (const Json& one : list) names.push_back(one.at("name"));
    return names;
  }
  /// @return of a few scenarios those that drive PMUs of these
  std::vector<std::string> serving(const std::vector<std::string>& drivers) {
    std::vector<std::string> arguments = {"cmn-flits",  "cxl-mem",        "ucf-basic",
                                          "pcie-basic", "pcie-tgt-slots", "dwc-basic"};
    for (const std::string& driver : drivers) arguments.insert(arguments.end(), {"--serving", driver});
    return names(listed(arguments));
  }
  /// @return the names of the shipped scenarios whose text has one of these
  static std::vector<std::string> with_text(const std::vector<std::string>& texts) {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(PMUFAB_SOURCE_DIR "/scenarios")) {
      const std::string path = entry.path().string();
      const bool is_part = path.find("/platforms/") != std::string::npos ||
                           path.find("/traffic/") != std::string::npos || path.find("/studies/") != std::string::npos;
      if (is_part || entry.path().extension() != ".yaml") continue;
      const std::string text = read(entry.path());
      const auto is_in = [&](const std::string& one) { return text.find(one) != std::string::npos; };
      if (text.find("\nmeasure:") != std::string::npos && std::ranges::any_of(texts, is_in))
        names.push_back(entry.path().stem().string());
    }
    return names;
  }
  /// A scenario of some microseconds, its platform and its traffic in a folder. @return the folder
  fs::path own_folder() {
    fs::create_directories(folder / "own" / "more");
    write("own/machine.yaml",
          "{kind: tegra410, name: small, sockets: 1, cpus_per_socket: 4, tegra410: {clusters: 4}}\n");
    write("own/reads.yaml", R"(generators:
  - {name: gpu, requester: {kind: gpu}, targets: [{memory: cmem}], pacing: {kind: fixed, requests_per_us: 100}}
)");
    write("own/quick-one.yaml", scenario("quick-one", "machine.yaml", "reads.yaml"));
    write("own/more/quick-two.yaml", scenario("quick-two", "../machine.yaml", "../reads.yaml"));
    return folder / "own";
  }
  static std::string scenario(const std::string& name, const std::string& platform, const std::string& traffic) {
    return fmt::format(R"(name: {}
description: Reads of a GPU
platform: {}
traffic: [{}]
duration: 20 us
measure:
  - {{name: all, events: [nvidia_ucf_pmu_0/slc_access_rd/]}}
)",
                       name, platform, traffic);
  }
};

TEST_F(Selection, a_driver_is_served_by_the_scenarios_that_measure_its_pmus) {
  const Json all = listed({});
  const auto scenarios_of = [&](const std::string& driver) {
    std::vector<std::string> names;
    for (const Json& one : all) {
      const auto drivers = one.at("drivers").get<std::vector<std::string>>();
      if (std::ranges::find(drivers, driver) != drivers.end()) names.push_back(one.at("name"));
    }
    return names;
  };
  const std::vector<std::string> cmn = scenarios_of("arm_cmn");
  EXPECT_THAT(cmn, IsSupersetOf({"cmn-flits", "cmn-refused", "all-fabrics", "failing-calls-cmn"}));
  EXPECT_THAT(cmn, Not(Contains("cxl-mem")));
  EXPECT_THAT(cmn, Not(Contains("cmn-reference"))) << "reference software counts";
  EXPECT_THAT(cmn, IsSubsetOf(with_text({"arm_cmn_", "failing_calls", "stray_interrupts"})));
  EXPECT_EQ(names(listed({"--serving", "arm_cmn"})), cmn);
  // Of the drivers of one fabric, those of the events count.
  EXPECT_THAT(scenarios_of("nvidia_t410_c2c_pmu"), AllOf(Contains("c2c-basic"), Not(Contains("ucf-basic"))));
  EXPECT_THAT(scenarios_of("nvidia_t410_cmem_latency_pmu"), AllOf(Contains("cmem-basic"), Not(Contains("c2c-basic"))));
  EXPECT_THAT(scenarios_of("nvidia_cspmu"), AllOf(IsSupersetOf({"ucf-basic", "pcie-basic", "pcie-tgt-slots"}),
                                                  Not(Contains("c2c-basic")), Not(Contains("soc-basic"))));
  EXPECT_THAT(scenarios_of("ampere_cspmu"), AllOf(Contains("ampereone-mcu"), Not(Contains("soc-basic"))));
  EXPECT_THAT(scenarios_of("arm_cspmu_module"), IsSupersetOf({"ucf-basic", "soc-basic", "ampereone-mcu"}));
  EXPECT_THAT(scenarios_of("cxl_core"), Contains("cxl-mem"));
}

TEST_F(Selection, a_driver_has_the_names_of_its_module_its_files_and_its_pmus) {
  for (const char* name : {"arm_cmn", "arm-cmn", "arm-cmn.c", "drivers/perf/arm-cmn.c", "arm-cmn.ko", "arm_cmn_0"})
    EXPECT_THAT(serving({name}), ElementsAre("cmn-flits")) << name;
  for (const char* name : {"cxl_pmu", "cxl_pmu_mem0.0", "hdm.c", "hdm.c+mbox.c", "drivers/cxl/pci.c"})
    EXPECT_THAT(serving({name}), ElementsAre("cxl-mem")) << name;
  for (const char* name : {"arm_cspmu_module", "arm_cspmu", "drivers/perf/arm_cspmu/arm_cspmu.c", "nvidia"})
    EXPECT_THAT(serving({name}), ElementsAre("ucf-basic", "pcie-basic", "pcie-tgt-slots")) << name;
  // A driver of described PMUs, and what several of them are made with.
  EXPECT_THAT(names(listed({"--serving", "hisi_uncore_hha_pmu"})),
              ElementsAre("hisi-hha-every-event", "hisi-hha-life"));
  EXPECT_THAT(names(listed({"--serving", "arm-cci.c"})), Contains("arm-cci-500-life"));
  EXPECT_THAT(names(listed({"--serving", "drivers/perf/hisilicon/hisi_uncore_pmu.c"})),
              AllOf(IsSupersetOf({"hisi-hha-life", "hisi-pa-life"}), Not(Contains("arm-smmuv3-life"))));
  // The name of a PMU is that of its kind, and the beginning of a name is that of several kinds.
  EXPECT_THAT(serving({"nvidia_ucf_pmu_0"}), ElementsAre("ucf-basic"));
  EXPECT_THAT(serving({"nvidia_pcie"}), ElementsAre("pcie-basic", "pcie-tgt-slots"));
  EXPECT_THAT(serving({"dwc_pcie_pmu", "arm_cmn"}), ElementsAre("cmn-flits", "dwc-basic"));
  refuses({"list", "--scenarios", "--serving", "arm_cnm"},
          {"no driver and no PMU 'arm_cnm'", "did you mean 'arm_cmn'"});
  refuses({"list", "--serving", "arm_cmn"}, {"add --scenarios"});
}

TEST_F(Selection, every_driver_of_the_list_is_served_by_a_scenario) {
  std::set<std::string> served;
  for (const Json& one : listed({})) {
    for (const std::string driver : one.at("drivers")) served.insert(driver);
    EXPECT_FALSE(one.at("fabrics").empty()) << one;
    EXPECT_FALSE(one.at("description").get<std::string>().empty()) << one;
    EXPECT_EQ(one.at("needs_trace"), one.at("name") == "demo") << one;
  }
  std::set<std::string> drivers;
  for (const char* list : {"linux-drivers.txt", "further-drivers.txt"}) {
    std::ifstream lines(fs::path(PMUFAB_SOURCE_DIR "/testbench/host") / list);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string module;
      if (words >> module && !module.starts_with('#')) drivers.insert(module);
    }
  }
  for (const char* const part : {"hisi_uncore_pmu", "meson_ddr_pmu_core"}) drivers.erase(part);  // no PMU is its own
  EXPECT_EQ(served, drivers);
}

TEST_F(Selection, a_list_for_people_has_a_line_for_each_scenario) {
  prints(0, {"list", "--scenarios", own_folder().string()},
         {"quick-one  tegra410  Reads of a GPU\n", "quick-two  tegra410"});
  EXPECT_THAT(pmufab({"list", "--scenarios", "cmn-fl?ts"}).out,
              HasSubstr("cmn-flits  cmn  Crosspoint events and watchpoints of a small CMN-600"));
}

TEST_F(Selection, a_folder_is_all_scenarios_below_it_and_nothing_else) {
  const fs::path own = own_folder();
  const Outcome all = ended(0, pmufab({"run", own.string(), "--drivers", "newest"}));
  EXPECT_THAT(all.out, AllOf(HasSubstr("PASSED: quick-one"), HasSubstr("PASSED: quick-two")));
  // What it found twice runs once, and results are no scenarios.
  const std::string out = (own / "results").string();
  const Outcome once =
      ended(0, pmufab({"run", own.string(), (own / "more").string() + "/", "--drivers", "newest", "--out", out}));
  EXPECT_THAT(once.out, HasSubstr("2 of 2 runs passed"));
  EXPECT_THAT(ended(0, pmufab({"run", own.string(), "--drivers", "newest"})).out, HasSubstr("2 of 2 runs passed"));
  // A scenario for a trace of the user's waits for one; a broken one stops everything.
  write("own/replay.yaml", R"(name: replay
platform: machine.yaml
traffic: [{generators: [{name: t, requester: {kind: cpu}, trace: {placement: [{memory: cmem}]}}]}]
measure: [{name: all, events: [nvidia_ucf_pmu_0/slc_access_rd/]}]
)");
  const Outcome rest = ended(0, pmufab({"run", own.string(), "--drivers", "newest"}));
  EXPECT_THAT(rest.err, HasSubstr("replay.yaml: not run: it needs --set trace=FILE"));
  write("own/broken.yaml", "name: broken\nmeasure: 3\n");
  refuses({"run", own.string(), "--drivers", "newest"}, {"broken.yaml"});
  refuses({"run", shipped("platforms"), "--drivers", "newest"}, {"there is no scenario below"});
}

TEST_F(Selection, a_pattern_is_all_scenarios_like_it) {
  const fs::path own = own_folder();
  const Outcome paths = ended(0, pmufab({"run", (own / "*.yaml").string(), "--drivers", "newest"}));
  EXPECT_THAT(paths.out, AllOf(HasSubstr("PASSED: quick-one"), Not(HasSubstr("quick-two"))));
  EXPECT_THAT(names(listed({"cmn-fl*", "dwc-b[a-c]sic"})), ElementsAre("cmn-flits", "dwc-basic"));
  refuses({"run", "cnm-flits*"}, {"no scenario is like 'cnm-flits*'", "did you mean 'cmn-flits'"});
  refuses({"run", (own / "*.txt").string()}, {"no scenario is like"});
  refuses({"run", "cmn-flitz"}, {"did you mean 'cmn-flits'"});
}

TEST_F(Selection, serving_narrows_what_is_given) {
  const fs::path own = own_folder();
  EXPECT_THAT(ended(0, pmufab({"run", own.string(), "--serving", "nvidia_cspmu", "--drivers", "newest"})).out,
              HasSubstr("2 of 2 runs passed"));
  refuses({"run", own.string(), "--serving", "arm-cmn.c"},
          {"no scenario of 2 drives a PMU of 'arm-cmn.c'", "pmufab list"});
  refuses({"run", "--serving", "arm_cnm"}, {"did you mean 'arm_cmn'"});
  refuses({"run"}, {"no scenario is given"});
  prints(0, {"run", "cmem-one-*", "--serving", "nvidia_cmem_latency_pmu", "--drivers", "newest"},
         {"PASSED: cmem-one-controller"});
}

TEST_F(Selection, drivers_of_the_user_are_of_one_kernel) {
  const fs::path own = own_folder();
  std::vector<fs::path> sets;
  for (const auto& entry : fs::directory_iterator(PMUFAB_DRIVERS_DIR)) {
    if (fs::exists(entry.path() / "pmufab_drivers.so")) sets.push_back(entry.path());
  }
  if (sets.empty()) GTEST_SKIP() << "there are no drivers";
  const std::string library = (std::ranges::max(sets) / "pmufab_drivers.so").string();
  const std::string version = std::ranges::max(sets).filename().string();
  const std::string one = (own / "quick-one.yaml").string();
  for (const std::string& selector : {version, version.substr(0, 3), std::string("newest"), std::string("all")})
    prints(0, {"run", one, "--driver", library, "--drivers", selector}, {"PASSED: quick-one"});
  for (const std::string command : {"run", "list"})
    refuses(
        {command, command == "run" ? one : (own / "machine.yaml").string(), "--driver", library, "--drivers", "5.1"},
        {"--drivers 5.1 does not select --driver", "built for Linux " + version, "--base V"});
}

}  // namespace
}  // namespace pmufab::testing
