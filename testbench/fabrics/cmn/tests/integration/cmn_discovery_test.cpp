// SPDX-License-Identifier: Apache-2.0
// How arm-cmn of every kernel version finds the ready-made meshes: names, the map in debugfs, the list of events.
#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <tuple>

#include <fmt/format.h>

#include "models/cmn/part/cmn_meshes.h"
#include "models/cmn/part/cmn_spec.h"
#include "models/platform/platform.h"
#include "testbench/fabrics/cmn/tests/integration/cmn_events.h"
#include "testbench/fabrics/cmn/tests/integration/cmn_map.h"
#include "testbench/fabrics/cmn/tests/integration/cmn_test.h"
#include "testbench/run/session/driver_selection.h"
#include "testbench/run/session/scenario_spec.h"
#include "testbench/tests/integration/integration_test.h"

namespace pmufab::integration::cmn_discovery_test {
namespace {

using cmn::DeviceType;
using cmn::NodeType;
using cmn::Product;
using cmn::Topology;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Values;
using ::testing::ValuesIn;

/// Names and contents, one per line, so that a difference is easy to read.
std::vector<std::string> lines_of(const std::map<std::string, std::string>& events) {
  std::vector<std::string> lines;
  for (const auto& [name, content] : events) lines.push_back(fmt::format("{}: {}", name, content));
  return lines;
}

using Chosen = std::tuple<std::string, DriverSet>;

/// Revisions of each product, in the order of their codes.
const std::map<std::string, std::vector<std::string>>& revision_codes() {
  static const std::map<std::string, std::vector<std::string>> codes = {
      {"434", {"r1p0", "r1p1", "r1p2", "r1p3", "r2p0", "r3p0", "r3p1", "r3p2"}},
      {"436", {"r0p0", "r1p0", "r1p1", "r2p0", "r1p2"}},
      {"43c", {"r0p0", "r1p0", "r2p0", "r3p0"}},
      {"43a", {"r0p0", "r1p0", "r2p0"}},
      {"43e", {"r0p0", "r0p1", "r1p0", "r2p0", "r2p1", "r2p2", "r2p5"}}};
  return codes;
}

/// Platforms with a revision each.
std::vector<std::string> every_revision() {
  std::vector<std::string> all;
  for (const auto& [platform, part] :
       {std::pair{"cmn600-2dtc", "434"}, std::pair{"cmn650", "436"}, std::pair{"cmn700-small", "43c"},
        std::pair{"ci700", "43a"}, std::pair{"cmn-s3-r1p0", "43e"}}) {
    for (const std::string& revision : revision_codes().at(part))
      all.push_back(fmt::format("{} {}", platform, revision));
  }
  return all;
}

/// @return the file of a ready-made platform.
std::string file_of(const std::string& platform) {
  const std::string folder = std::string(PMUFAB_SOURCE_DIR) + "/scenarios/platforms/";
  const std::string machine = folder + "machines/" + platform + ".yaml";
  return std::filesystem::exists(machine) ? machine : folder + platform + ".yaml";
}

/// A ready-made platform under one kernel version.
class CmnDiscovery : public testing::SimulationTest, public ::testing::WithParamInterface<Chosen> {
 protected:
  CmnDiscovery() : spec(scenario::load_platform(file_of(platform_name()), overrides()).spec) {
    const std::string& chosen = std::get<0>(GetParam());
    const std::size_t slash = chosen.find('/');
    if (slash == std::string::npos) return;
    const platform::CmnSpec one = spec.of<platform::CmnMeshesSpec>().meshes.at(std::stoul(chosen.substr(slash + 1)));
    spec.edit<platform::CmnMeshesSpec>().meshes = {one};
    spec.edit<platform::CmnMeshesSpec>().links.clear();
  }

  /// "cmn650 r1p0" is the platform cmn650 with another revision; "cmn700-linked/1" is the second mesh of that alone.
  [[nodiscard]] static std::string platform_name() {
    const std::string& chosen = std::get<0>(GetParam());
    return chosen.substr(0, chosen.find_first_of(" /"));
  }
  [[nodiscard]] static std::vector<std::string> overrides() {
    const std::string& chosen = std::get<0>(GetParam());
    const std::size_t blank = chosen.find(' ');
    if (blank == std::string::npos) return {};
    return {"meshes[0].revision=" + chosen.substr(blank + 1)};
  }

  [[nodiscard]] static bool kernel_is_at_least(const std::string& version) {
    return driver_host::compare_versions(std::get<1>(GetParam()).kernel_version, version) >= 0;
  }
  /// Linux 6.1 does not know HN-S and CMN S3. Linux 7.3 is the first that knows Graviton5.
  [[nodiscard]] static bool kernel_knows_the_mesh() {
    const std::string name = platform_name();
    if (name == "graviton5") return kernel_is_at_least("7.3");
    return kernel_is_at_least("6.12") ||
           (name != "cmn700-8x8" && name != "cmn700-linked" && name != "rd-fremont" && !name.starts_with("cmn-s3"));
  }
  [[nodiscard]] Topology& topology() { return spec.of<platform::CmnMeshesSpec>().meshes.at(0).topology; }

  /// Build the platform, load the drivers, run the story.
  /// @param change  changes the firmware's description
  void boot(const std::function<void()>& story, const std::function<void(platform::AcpiDevice&)>& change = {}) {
    platform = std::make_unique<platform::Platform>("platform", spec);
    platform->bus().monitor([this](const MmioBus::BusAccess& access) { accesses.push_back(access); });
    platform::FirmwareDescription firmware = platform->firmware();
    if (change) change(firmware.devices.at(0));
    host =
        std::make_unique<driver_host::DriverHost>("host", std::get<1>(GetParam()), driver_host::DriverHost::Options{});
    host->bus.bind(platform->bus().socket);
    host->describe(firmware);
    run([&] {
      ASSERT_EQ(host->load(), 0);
      story();
      EXPECT_EQ(host->warnings(), 0U);
    });
  }

  [[nodiscard]] std::vector<std::string> pmu_names() const {
    std::vector<std::string> names;
    for (const Pmu& pmu : host->pmus()) names.push_back(pmu.name);
    return names;
  }
  /// The contents of a file of the only PMU.
  [[nodiscard]] std::optional<std::string> content(const std::string& path) const {
    const std::vector<Pmu> pmus = host->pmus();
    for (const auto& [name, text] : pmus.at(0).files) {
      if (name == path) return text;
    }
    return std::nullopt;
  }
  [[nodiscard]] bool logged(const std::string& part) const {
    return std::any_of(host->log().begin(), host->log().end(),
                       [&](const std::string& line) { return line.find(part) != std::string::npos; });
  }
  /// The published events that begin with `prefix`, and the contents of their files.
  [[nodiscard]] std::map<std::string, std::string> events(const std::string& prefix = {}) const {
    std::map<std::string, std::string> found;
    const std::string folder = "events/";
    const std::vector<Pmu> pmus = host->pmus();
    for (const auto& [path, text] : pmus.at(0).files) {
      if (path.starts_with(folder + prefix)) found.emplace(path.substr(folder.size()), text);
    }
    return found;
  }
  /// Part number and PID2's revision code, from Arm's manuals.
  [[nodiscard]] static std::string expected_identifier() {
    static const std::map<std::string, std::pair<const char*, const char*>> all = {
        {"cmn600-small", {"434", "r3p1"}},  {"cmn600-2dtc", {"434", "r3p1"}},   {"cmn650", {"436", "r2p0"}},
        {"cmn700-small", {"43c", "r2p0"}},  {"cmn700-8x8", {"43c", "r3p0"}},    {"ci700", {"43a", "r2p0"}},
        {"cmn-s3-r0p1", {"43e", "r0p1"}},   {"cmn-s3-r1p0", {"43e", "r1p0"}},   {"cmn-s3-r2p0", {"43e", "r2p0"}},
        {"cmn600-linked", {"434", "r3p0"}}, {"cmn700-linked", {"43c", "r3p0"}}, {"graviton5", {"43e", "r1p0"}},
        {"n1sdp", {"434", "r1p3"}},         {"sg2042", {"434", "r3p1"}},        {"rd-v1-mc", {"436", "r1p1"}},
        {"rd-n2", {"43c", "r1p0"}},         {"rd-fremont", {"43e", "r0p1"}},    {"altra", {"434", "r2p0"}},
        {"altra-max", {"434", "r2p0"}},     {"yitian710", {"43c", "r1p0"}}};
    const auto& [part, usual] = all.at(platform_name());
    const std::string& chosen = std::get<0>(GetParam());
    const std::size_t blank = chosen.find(' ');
    const std::string revision = blank == std::string::npos ? usual : chosen.substr(blank + 1);
    const std::vector<std::string>& codes = revision_codes().at(part);
    return fmt::format("{}{:02x}", part, std::find(codes.begin(), codes.end(), revision) - codes.begin());
  }
  void expect_map() const {
    const auto shown = host->debugfs();
    ASSERT_EQ(shown.size(), 1U);
    EXPECT_EQ(shown[0].first, "arm-cmn/map");
    const CmnMap map = parse_cmn_map(shown[0].second);
    const Topology& mesh = spec.of<platform::CmnMeshesSpec>().meshes.at(0).topology;
    // Up to 6.12 the driver knows the domain of crosspoints that hold a DTC, if there are several DTCs.
    const bool knows_dtcs = mesh.product == Product::cmn600 && mesh.dtcs > 1 && !kernel_is_at_least("7.2");
    const CmnMap expected = expected_cmn_map(mesh, knows_dtcs);
    ASSERT_EQ(map.size(), expected.size());
    for (std::size_t y = 0; y < map.size(); ++y) EXPECT_EQ(map[y], expected[y]) << shown[0].second;
  }
  /// The whole folder: names and contents.
  void expect_events() const {
    const std::vector<std::string> expected = lines_of(expected_cmn_events(
        spec.of<platform::CmnMeshesSpec>().meshes.at(0).topology, std::get<1>(GetParam()).kernel_version));
    const std::vector<std::string> published = lines_of(events());
    std::vector<std::string> missing;
    std::vector<std::string> superfluous;
    std::set_difference(expected.begin(), expected.end(), published.begin(), published.end(),
                        std::back_inserter(missing));
    std::set_difference(published.begin(), published.end(), expected.begin(), expected.end(),
                        std::back_inserter(superfluous));
    EXPECT_THAT(missing, IsEmpty());
    EXPECT_THAT(superfluous, IsEmpty());
  }
  void expect_identifier(const std::string& expected) const {
    // Linux 6.1 does not have this file.
    if (kernel_is_at_least("6.12")) {
      EXPECT_EQ(content("identifier"), expected + "\n");
    } else {
      EXPECT_EQ(content("identifier"), std::nullopt);
    }
  }

  platform::PlatformSpec spec;
  std::unique_ptr<platform::Platform> platform;
  std::unique_ptr<driver_host::DriverHost> host;
  std::vector<MmioBus::BusAccess> accesses;
};

std::string test_name(const ::testing::TestParamInfo<Chosen>& info) {
  std::string name = std::get<0>(info.param) + "_" + std::get<1>(info.param).kernel_version;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

const std::vector<std::string> kPlatforms = {
    "cmn600-small",    "cmn600-2dtc",     "cmn650",      "cmn700-small", "cmn700-8x8",      "ci700",
    "cmn-s3-r0p1",     "cmn-s3-r1p0",     "cmn-s3-r2p0", "graviton5",    "cmn600-linked/0", "cmn600-linked/1",
    "cmn700-linked/0", "cmn700-linked/1", "n1sdp",       "sg2042",       "rd-v1-mc",        "rd-n2",
    "rd-fremont",      "altra",           "altra-max",   "yitian710/0",  "yitian710/1"};

INSTANTIATE_TEST_SUITE_P(linux, CmnDiscovery, ::testing::Combine(ValuesIn(kPlatforms), ValuesIn(cmn_driver_sets())),
                         test_name);

TEST(CmnPlatforms, are_all_looked_at) {
  std::vector<std::string> there_are;
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(std::string(PMUFAB_SOURCE_DIR) + "/scenarios/platforms")) {
    const bool is_mesh = file.path().parent_path().filename() != "soc";
    if (!file.is_regular_file() || !is_mesh) continue;
    const std::string name = file.path().stem().string();
    // The mesh of the platform with all fabrics equals that of cmn600-small.
    const bool has_none = name.starts_with("tegra410") || name.starts_with("cxl") || name.starts_with("dwc");
    if (!has_none && name != "combined") there_are.push_back(name);
  }
  std::set<std::string> looked_at;
  for (const std::string& name : kPlatforms) looked_at.insert(name.substr(0, name.find('/')));
  EXPECT_THAT(looked_at, ::testing::UnorderedElementsAreArray(there_are));
}

// contract A1, A2, A3
TEST_P(CmnDiscovery, makes_one_pmu_that_names_part_and_revision) {
  boot([&] {
    if (!kernel_knows_the_mesh()) {
      EXPECT_THAT(pmu_names(), IsEmpty());
      return;
    }
    ASSERT_THAT(pmu_names(), ElementsAre("arm_cmn_0"));
    expect_identifier(expected_identifier());
  });
}

// contract A7, A14, A16
TEST_P(CmnDiscovery, shows_the_mesh_as_the_platform_has_it) {
  if (!kernel_knows_the_mesh()) GTEST_SKIP() << "this kernel does not know the mesh";
  boot([&] { expect_map(); });
}

// contract A17, A18, A74
TEST_P(CmnDiscovery, publishes_the_events_there_are_and_no_others) {
  if (!kernel_knows_the_mesh()) GTEST_SKIP() << "this kernel does not know the mesh";
  boot([&] { expect_events(); });
}

/// The same meshes with every revision of their products. (Numbers are the codes by which drivers recognise them.)
class CmnRevisions : public CmnDiscovery {};
INSTANTIATE_TEST_SUITE_P(linux, CmnRevisions,
                         ::testing::Combine(ValuesIn(every_revision()), ValuesIn(cmn_driver_sets())), test_name);

// contract A3, A7, A18, A74
TEST_P(CmnRevisions, show_identifier_and_map_and_events) {
  if (!kernel_knows_the_mesh()) GTEST_SKIP() << "this kernel does not know the mesh";
  boot([&] {
    ASSERT_THAT(pmu_names(), ElementsAre("arm_cmn_0"));
    expect_identifier(expected_identifier());
    expect_map();
    expect_events();
    if (platform_name() != "cmn-s3-r1p0") return;
    const bool is_r2 = topology().revision >= 3;
    const std::size_t home_node_events = !kernel_is_at_least("7.3") ? 115 : is_r2 ? 294 : 119;
    EXPECT_EQ(events("hns_").size(), home_node_events);
  });
}

// Unusual contents of firmware and hardware, each on one platform.

class Cmn600Discovery : public CmnDiscovery {};
INSTANTIATE_TEST_SUITE_P(linux, Cmn600Discovery,
                         ::testing::Combine(Values("cmn600-small"), ValuesIn(cmn_driver_sets())), test_name);

// contract A1
TEST_P(Cmn600Discovery, of_a_device_tree_with_another_root_makes_no_pmu_and_writes_nothing) {
  boot(
      [&] {
        EXPECT_THAT(pmu_names(), IsEmpty());
        for (const MmioBus::BusAccess& access : accesses) EXPECT_FALSE(access.is_write);
      },
      // The window of a crosspoint instead of the root's.
      [&](platform::AcpiDevice& device) {
        device.properties["arm,root-node"] = platform->get<platform::CmnMeshes>().mesh(0).layout().xp(0).offset;
      });
}

// contract A4
TEST_P(Cmn600Discovery, takes_the_automotive_part_for_a_cmn_600) {
  topology().deviations.part_number = 0x438;
  boot([&] {
    ASSERT_THAT(pmu_names(), ElementsAre("arm_cmn_0"));
    expect_identifier("43406");
    EXPECT_FALSE(logged("mismatch"));
  });
}

// contract A10
TEST_P(Cmn600Discovery, never_touches_an_external_node) {
  unsigned external = 0;
  for (cmn::Crosspoint& crosspoint : topology().crosspoints) {
    for (cmn::Port& port : crosspoint.ports) {
      for (cmn::Node& node : port.nodes) {
        if (node.type == NodeType::hn_f) node.external = true, ++external;
      }
    }
  }
  ASSERT_GT(external, 0U);
  boot([&] {
    ASSERT_THAT(pmu_names(), ElementsAre("arm_cmn_0"));
    EXPECT_THAT(events("hnf_"), IsEmpty());
    for (const cmn::NodePlace& node : platform->get<platform::CmnMeshes>().mesh(0).layout().nodes()) {
      if (!node.external) continue;
      const std::uint64_t begin = topology().base + node.offset;
      EXPECT_TRUE(std::none_of(accesses.begin(), accesses.end(), [&](const MmioBus::BusAccess& access) {
        return access.address >= begin && access.address < begin + 0x4000;
      }));
    }
  });
}

class Cmn600AcpiDiscovery : public CmnDiscovery {};
INSTANTIATE_TEST_SUITE_P(linux, Cmn600AcpiDiscovery,
                         ::testing::Combine(Values("cmn600-2dtc"), ValuesIn(cmn_driver_sets())), test_name);

// contract A2
TEST_P(Cmn600AcpiDiscovery, without_a_second_resource_makes_no_pmu) {
  boot([&] { EXPECT_THAT(pmu_names(), IsEmpty()); }, [](platform::AcpiDevice& device) { device.memory.resize(1); });
}

class Cmn650Discovery : public CmnDiscovery {};
INSTANTIATE_TEST_SUITE_P(linux, Cmn650Discovery, ::testing::Combine(Values("cmn650"), ValuesIn(cmn_driver_sets())),
                         test_name);

// contract A5
TEST_P(Cmn650Discovery, called_a_cmn_600_by_firmware_warns_and_believes_the_hardware) {
  boot(
      [&] {
        ASSERT_THAT(pmu_names(), ElementsAre("arm_cmn_0"));
        expect_identifier("43603");
        EXPECT_TRUE(logged("expected part number 0x434, found 0x436"));
      },
      [&](platform::AcpiDevice& device) {
        device.hid.clear();
        device.compatible = "arm,cmn-600";
        device.properties["arm,root-node"] = platform->get<platform::CmnMeshes>().mesh(0).layout().root_offset();
      });
}

class CmnS3R2Discovery : public CmnDiscovery {};
INSTANTIATE_TEST_SUITE_P(linux, CmnS3R2Discovery,
                         ::testing::Combine(Values("cmn-s3-r2p0"), ValuesIn(cmn_driver_sets())), test_name);

// contract A74
TEST_P(CmnS3R2Discovery, with_a_home_node_hn_f_lists_more_values_of_its_throttling) {
  if (!kernel_knows_the_mesh()) GTEST_SKIP() << "this kernel does not know the mesh";
  for (cmn::Crosspoint& crosspoint : topology().crosspoints) {
    for (cmn::Port& port : crosspoint.ports) {
      // Only one of them.
      if (port.device != DeviceType::hn_s || port.cal) continue;
      port = {DeviceType::hn_f, false, {{NodeType::hn_f}}};
      boot([&] {
        ASSERT_THAT(pmu_names(), ElementsAre("arm_cmn_0"));
        expect_events();
        const std::size_t more = kernel_is_at_least("7.3") ? 10 : 0;
        EXPECT_EQ(events("hnf_sn_throttle").size(), more);
      });
      return;
    }
  }
  FAIL() << "no HN-S";
}

class CmnS3Discovery : public CmnDiscovery {};
INSTANTIATE_TEST_SUITE_P(linux, CmnS3Discovery,
                         ::testing::Combine(Values("cmn-s3-r0p1", "cmn-s3-r1p0"), ValuesIn(cmn_driver_sets())),
                         test_name);

// contract A6
TEST_P(CmnS3Discovery, with_device_isolation_is_left_alone) {
  if (!kernel_knows_the_mesh()) GTEST_SKIP() << "this kernel does not know the mesh";
  topology().deviations.device_isolation = true;
  boot([&] {
    EXPECT_THAT(pmu_names(), IsEmpty());
    EXPECT_TRUE(logged("Device isolation enabled"));
    const std::uint64_t root = topology().base + platform->get<platform::CmnMeshes>().mesh(0).layout().root_offset();
    for (const MmioBus::BusAccess& access : accesses) {
      EXPECT_GE(access.address, root);
      EXPECT_LT(access.address, root + 0x1'0000);
    }
  });
}

}  // namespace
}  // namespace pmufab::integration::cmn_discovery_test
