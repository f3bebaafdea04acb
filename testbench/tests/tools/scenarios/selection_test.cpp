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
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSubsetOf;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::UnorderedElementsAre;
using Json = nlohmann::json;

class Selection : public Cli {
 protected:
  /// @return the names of shipped scenarios that drive PMUs of these
  std::vector<std::string> serving(const std::vector<std::string>& drivers) {
    std::vector<std::string> arguments = {"list", "--scenarios", "--json"};
    for (const std::string& driver : drivers) arguments.insert(arguments.end(), {"--serving", driver});
    std::vector<std::string> names;
    for (const Json& one : Json::parse(ended(0, pmufab(arguments)).out)) names.push_back(one.at("name"));
    return names;
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
  const std::vector<std::string> cmn = serving({"arm_cmn"});
  EXPECT_THAT(cmn, IsSupersetOf({"cmn-flits", "cmn-refused", "all-fabrics", "failing-calls-cmn"}));
  EXPECT_THAT(cmn, Not(Contains("cxl-mem")));
  EXPECT_THAT(cmn, Not(Contains("cmn-reference"))) << "reference software counts";
  EXPECT_THAT(cmn, IsSubsetOf(with_text({"arm_cmn_", "failing_calls", "stray_interrupts"})));
  // Of the drivers of one fabric, those of the events count.
  EXPECT_THAT(serving({"nvidia_t410_c2c_pmu"}), AllOf(Contains("c2c-basic"), Not(Contains("ucf-basic"))));
  EXPECT_THAT(serving({"nvidia_t410_cmem_latency_pmu"}), AllOf(Contains("cmem-basic"), Not(Contains("c2c-basic"))));
  EXPECT_THAT(serving({"nvidia_cspmu"}), AllOf(IsSupersetOf({"ucf-basic", "pcie-basic", "pcie-tgt-slots"}),
                                               Not(Contains("c2c-basic")), Not(Contains("soc-basic"))));
  EXPECT_THAT(serving({"ampere_cspmu"}), AllOf(Contains("ampereone-mcu"), Not(Contains("soc-basic"))));
  EXPECT_THAT(serving({"arm_cspmu"}), IsSupersetOf({"ucf-basic", "soc-basic", "ampereone-mcu"}));
  EXPECT_THAT(serving({"cxl_core"}), Contains("cxl-mem"));
  EXPECT_THAT(serving({"dwc_pcie_pmu", "arm_cmn"}), IsSupersetOf({"dwc-basic", "cmn-flits"}));
}

TEST_F(Selection, a_driver_has_the_names_of_its_module_its_files_and_its_pmus) {
  const std::vector<std::string> cmn = serving({"arm_cmn"});
  for (const char* name : {"arm-cmn", "arm-cmn.c", "drivers/perf/arm-cmn.c", "arm-cmn.ko", "arm_cmn_0", "arm_cmn_17"})
    EXPECT_EQ(serving({name}), cmn) << name;
  EXPECT_EQ(serving({"arm_cspmu_module"}), serving({"drivers/perf/arm_cspmu/arm_cspmu.c"}));
  const std::vector<std::string> cxl = serving({"cxl_pmu"});
  for (const char* name : {"cxl_pmu_mem0.0", "hdm.c", "hdm.c+mbox.c", "drivers/cxl/pci.c"})
    EXPECT_EQ(serving({name}), cxl) << name;
  // The name of a PMU is that of its kind, and the beginning of a name is that of several kinds.
  EXPECT_THAT(serving({"nvidia_ucf_pmu_0"}), AllOf(Contains("ucf-basic"), Not(Contains("pcie-basic"))));
  EXPECT_THAT(serving({"nvidia_pcie"}),
              AllOf(IsSupersetOf({"pcie-basic", "pcie-tgt-slots"}), Not(Contains("ucf-basic"))));
  refuses({"list", "--scenarios", "--serving", "arm_cnm"},
          {"no driver and no PMU 'arm_cnm'", "did you mean 'arm_cmn'"});
  refuses({"list", "--serving", "arm_cmn"}, {"add --scenarios"});
}

TEST_F(Selection, every_driver_of_the_list_is_served_by_a_scenario) {
  std::set<std::string> served;
  for (const Json& one : Json::parse(ended(0, pmufab({"list", "--scenarios", "--json"})).out)) {
    for (const std::string driver : one.at("drivers")) served.insert(driver);
    EXPECT_FALSE(one.at("fabrics").empty()) << one;
    EXPECT_FALSE(one.at("description").get<std::string>().empty()) << one;
    EXPECT_EQ(one.at("needs_trace"), one.at("name") == "demo") << one;
  }
  std::ifstream list(PMUFAB_SOURCE_DIR "/testbench/host/linux-drivers.txt");
  std::size_t drivers = 0;
  for (std::string line; std::getline(list, line);) {
    std::istringstream words(line);
    std::string module;
    if (!(words >> module) || module.starts_with('#')) continue;
    ++drivers;
    EXPECT_THAT(served, Contains(module));
  }
  EXPECT_EQ(served.size(), drivers);
}

TEST_F(Selection, a_list_for_people_has_a_line_for_each_scenario) {
  prints(0, {"list", "--scenarios", own_folder().string()},
         {"quick-one  tegra410  Reads of a GPU\n", "quick-two  tegra410"});
  EXPECT_THAT(pmufab({"list", "--scenarios", "cmn-fl?ts"}).out,
              HasSubstr("cmn-flits  cmn  Crosspoint events and watchpoints of a small CMN-600"));
}

TEST_F(Selection, a_pattern_is_all_scenarios_like_it) {
  const Outcome names = ended(0, pmufab({"list", "--scenarios", "--json", "cmn-fl*", "dwc-b[a-c]sic"}));
  std::vector<std::string> found;
  for (const Json& one : Json::parse(names.out)) found.push_back(one.at("name"));
  EXPECT_THAT(found, UnorderedElementsAre("cmn-flits", "dwc-basic"));
  refuses({"list", "--scenarios", "cnm-flits*"}, {"no scenario is like 'cnm-flits*'", "did you mean 'cmn-flits'"});
  refuses({"list", "--scenarios", "cmn-flitz"}, {"did you mean 'cmn-flits'"});
}

}  // namespace
}  // namespace pmufab::testing
