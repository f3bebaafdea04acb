// How arm-cmn of every kernel version finds the ready-made meshes: names, the map in debugfs, the list of events.
#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <tuple>

#include <fmt/format.h>

#include "models/platform/platform.h"
#include "testbench/scenario/driver_sets.h"
#include "testbench/scenario/scenario_spec.h"
#include "testbench/tests/integration/cmn_test.h"
#include "testbench/tests/integration/integration_test.h"

namespace pmufab::integration {
namespace {

using cmn::DeviceType;
using cmn::NodeType;
using cmn::Product;
using cmn::Topology;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Values;
using ::testing::ValuesIn;

using Chosen = std::tuple<std::string, DriverSet>;

/// A ready-made platform under one kernel version.
class CmnDiscovery : public testing::SimulationTest, public ::testing::WithParamInterface<Chosen> {
 protected:
  CmnDiscovery()
      : spec(scenario::load_platform(
                 std::string(PMUFAB_SOURCE_DIR) + "/scenarios/platforms/" + std::get<0>(GetParam()) + ".yaml", {})
                 .spec) {}

  [[nodiscard]] static bool kernel_is_at_least(const std::string& version) {
    return scenario::compare_versions(std::get<1>(GetParam()).kernel_version, version) >= 0;
  }
  /// Home nodes HN-S came after Linux 6.1, and so did CMN S3.
  [[nodiscard]] static bool kernel_knows_the_mesh() {
    const std::string name = std::get<0>(GetParam());
    return kernel_is_at_least("6.12") || (name != "cmn700-8x8" && !name.starts_with("cmn-s3"));
  }
  [[nodiscard]] Topology& topology() { return spec.cmn.at(0).topology; }

  /// Build the platform, load the drivers, tell the story.
  /// @param change  of what firmware says
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
  /// What a file of the only PMU shows.
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
  /// Names of the published events that begin with `prefix`.
  [[nodiscard]] std::set<std::string> events(const std::string& prefix) const {
    std::set<std::string> names;
    const std::string folder = "events/";
    const std::vector<Pmu> pmus = host->pmus();
    for (const auto& [path, text] : pmus.at(0).files) {
      if (path.starts_with(folder + prefix)) names.insert(path.substr(folder.size()));
    }
    return names;
  }
  /// PID2's revision code and the part number, as Arm's manuals give them.
  [[nodiscard]] static std::string expected_identifier() {
    static const std::map<std::string, std::string> all = {
        {"cmn600-small", "43406"}, {"cmn600-2dtc", "43406"}, {"cmn650", "43603"},
        {"cmn700-small", "43c02"}, {"cmn700-8x8", "43c03"},  {"ci700", "43a02"},
        {"cmn-s3-r0p1", "43e01"},  {"cmn-s3-r1p0", "43e02"}, {"cmn-s3-r2p0", "43e03"}};
    return all.at(std::get<0>(GetParam()));
  }
  void expect_identifier(const std::string& expected) const {
    // Linux 6.1 has no such file.
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

INSTANTIATE_TEST_SUITE_P(linux, CmnDiscovery,
                         ::testing::Combine(Values("cmn600-small", "cmn600-2dtc", "cmn650", "cmn700-small",
                                                   "cmn700-8x8", "ci700", "cmn-s3-r0p1", "cmn-s3-r1p0", "cmn-s3-r2p0"),
                                            ValuesIn(cmn_driver_sets())),
                         test_name);

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

/// One crosspoint in the map of debugfs.
struct MapCell {
  std::string xp;
  std::string dtc;
  std::vector<std::string> devices;                 // by port
  std::vector<std::array<std::string, 2>> logical;  // by port and device
  bool operator==(const MapCell&) const = default;
};
using Map = std::vector<std::vector<MapCell>>;  // rows from the south

std::ostream& operator<<(std::ostream& out, const MapCell& cell) {
  out << "XP " << cell.xp << " DTC " << cell.dtc;
  for (std::size_t port = 0; port < cell.devices.size(); ++port) {
    out << "; " << cell.devices[port] << " '" << cell.logical[port][0] << "' '" << cell.logical[port][1] << "'";
  }
  return out;
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// "#5" without the '#'.
std::string number(const std::string& text) { return text.substr(std::min(text.size(), text.find('#') + 1)); }

/// Read the picture: a row begins with its number in the first column, a port with its own in the third, a device
/// behind a port in the fifth; columns end with '|'.
Map parse_map(const std::string& text) {
  Map from_north;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t bar = line.find('|');
    if (bar == std::string::npos) continue;
    std::vector<std::string> cells;
    std::istringstream rest(line.substr(bar + 1));
    for (std::string cell; std::getline(rest, cell, '|');) cells.push_back(trimmed(cell));
    const std::size_t digit = line.find_first_not_of(' ');
    if (digit == 0) from_north.emplace_back(cells.size());
    std::vector<MapCell>& row = from_north.at(from_north.size() - 1);
    for (std::size_t x = 0; x < cells.size(); ++x) {
      MapCell& cell = row.at(x);
      if (digit == 0) {
        cell.xp = number(cells[x]);
      } else if (digit == bar && cells[x].starts_with("DTC")) {
        cell.dtc = trimmed(cells[x].substr(3));
      } else if (digit == 2) {
        cell.devices.push_back(cells[x]);
        cell.logical.emplace_back();
      } else if (digit == 4 && !cell.devices.back().empty()) {
        // Where nothing is connected the driver prints what it finds at an id that, at a crosspoint of two ports, is
        // the next crosspoint's.
        cell.logical.back().at(line[4] == '0' ? 0 : 1) = number(cells[x]);
      }
    }
  }
  return {from_north.rbegin(), from_north.rend()};
}

/// How the map writes what is connected to a port.
std::string label(DeviceType device) {
  switch (device) {
    case DeviceType::none:
      return "";
    case DeviceType::rn_f_chib:
      return "RN-F_B";
    case DeviceType::rn_f_chid:
      return "RN-F_D";
    case DeviceType::rn_f_chie:
      return "RN-F_E";
    case DeviceType::rn_f_chif:
      return "RN-F_F";
    case DeviceType::sn_f_chic:
      return "SN-F";
    case DeviceType::sn_f_chid:
      return "SN-F_D";
    case DeviceType::sn_f_chie:
      return "SN-F_E";
    case DeviceType::sn_f_chif:
      return "SN-F_F";
    default:
      return std::string(cmn::to_string(device));
  }
}

/// Nodes the driver does not keep, and those below HN-I, which the map leaves out.
bool is_shown(NodeType type) {
  constexpr std::array kHidden{NodeType::dvm,    NodeType::cfg,        NodeType::dtc,        NodeType::xp,
                               NodeType::mpam_s, NodeType::mpam_ns,    NodeType::apb,        NodeType::rn_sam,
                               NodeType::cxla,   NodeType::hns_mpam_s, NodeType::hns_mpam_ns};
  return std::find(kHidden.begin(), kHidden.end(), type) == kHidden.end();
}

/// The map as the platform's file has it: logical ids count nodes of a type by crosspoint and port.
Map expected_map(const Topology& topology, bool domains_of_cmn600_dtcs) {
  std::size_t ports = 0;
  for (const cmn::Crosspoint& crosspoint : topology.crosspoints) ports = std::max(ports, crosspoint.ports.size());
  std::map<NodeType, unsigned> next;
  Map map(topology.rows);
  for (std::size_t index = 0; index < topology.crosspoints.size(); ++index) {
    const cmn::Crosspoint& crosspoint = topology.crosspoints[index];
    MapCell cell;
    cell.xp = std::to_string(index);
    cell.dtc = topology.product == Product::cmn600 ? "??" : std::to_string(crosspoint.dtc_domain);
    cell.devices.resize(ports);
    cell.logical.resize(ports);
    for (std::size_t port = 0; port < crosspoint.ports.size(); ++port) {
      cell.devices[port] = label(crosspoint.ports[port].device);
      std::array<std::optional<NodeType>, 2> shown{};
      for (const cmn::Node& node : crosspoint.ports[port].nodes) {
        const std::string logical = std::to_string(next[node.type]++);
        if (node.type == NodeType::dtc && domains_of_cmn600_dtcs) cell.dtc = std::to_string(crosspoint.dtc_domain);
        if (!is_shown(node.type) || node.device > 1) continue;
        // Of several nodes at one place the map has the one of the lowest type.
        if (shown[node.device] && *shown[node.device] < node.type) continue;
        shown[node.device] = node.type;
        cell.logical[port][node.device] = logical;
      }
    }
    map[index / topology.columns].push_back(std::move(cell));
  }
  return map;
}

// contract A7, A14, A16
TEST_P(CmnDiscovery, shows_the_mesh_as_the_platform_has_it) {
  if (!kernel_knows_the_mesh()) GTEST_SKIP() << "this kernel does not know the mesh";
  boot([&] {
    const auto shown = host->debugfs();
    ASSERT_EQ(shown.size(), 1U);
    EXPECT_EQ(shown[0].first, "arm-cmn/map");
    const Map map = parse_map(shown[0].second);
    // Up to 6.12 the driver knows at least the domain of the crosspoints that hold a DTC, if there are several.
    const bool knows_dtcs = topology().product == Product::cmn600 && topology().dtcs > 1 && !kernel_is_at_least("7.2");
    const Map expected = expected_map(topology(), knows_dtcs);
    ASSERT_EQ(map.size(), expected.size());
    for (std::size_t y = 0; y < map.size(); ++y) EXPECT_EQ(map[y], expected[y]) << shown[0].second;
  });
}

/// Sub-channels as the driver sees them: req, rsp, snp, dat. Before 7.3 it reads those of CMN S3 r2 where other
/// revisions have them: RSP and DAT in bits that are 0 here, and of a register with three bits for each of REQ, SNP,
/// DAT and RSP the first two times two.
cmn::VirtualChannels seen_channels(const Topology& topology, bool knows_s3_r2) {
  if (topology.product != Product::s3 || topology.revision < 3 || knows_s3_r2) return topology.channels;
  const unsigned packed = topology.channels.req | topology.channels.snp << 3U | topology.channels.dat << 6U;
  return {.req = packed & 3U, .rsp = 0, .snp = packed >> 2U & 3U, .dat = 0};
}

// contract A18
TEST_P(CmnDiscovery, publishes_crosspoint_events_of_the_ports_and_channels_in_use_alone) {
  if (!kernel_knows_the_mesh()) GTEST_SKIP() << "this kernel does not know the mesh";
  boot([&] {
    std::vector<std::string> ports;
    for (std::size_t port = 0; port < 4; ++port) {
      const auto& crosspoints = topology().crosspoints;
      if (std::any_of(crosspoints.begin(), crosspoints.end(), [&](const cmn::Crosspoint& crosspoint) {
            return port < crosspoint.ports.size() && crosspoint.ports[port].device != DeviceType::none;
          })) {
        ports.push_back("p" + std::to_string(port));
      }
    }
    std::vector<std::string> interfaces = {"e", "w", "n", "s"};
    interfaces.insert(interfaces.end(), ports.begin(), ports.end());
    std::vector<std::string> channels = {"req", "rsp", "snp", "dat"};
    const cmn::VirtualChannels seen = seen_channels(topology(), kernel_is_at_least("7.3"));
    if (topology().product != Product::cmn600) channels.emplace_back("pub");
    if (seen.rsp > 1) channels.emplace_back("rsp2");
    if (seen.dat > 1) channels.emplace_back("dat2");
    if (seen.req > 1) channels.emplace_back("req2");
    if (seen.snp > 1) channels.emplace_back("snp2");

    std::set<std::string> expected;
    for (const std::string& channel : channels) {
      const bool is_data = channel.starts_with("dat");
      for (const std::string& interface : interfaces) {
        const std::string begin = fmt::format("mxp_{}_{}", interface, channel);
        expected.insert(begin + "_txflit_valid");
        expected.insert(begin + "_txflit_stall");
        // Linux 6.1 publishes it everywhere.
        if (!kernel_is_at_least("6.12") || (is_data && interface.starts_with("p")))
          expected.insert(begin + "_partial_dat_flit");
      }
    }
    EXPECT_EQ(events("mxp_"), expected);
    EXPECT_THAT(events("dtc_"), ElementsAre("dtc_cycles"));
    EXPECT_THAT(events("watchpoint"), ElementsAre("watchpoint_down", "watchpoint_up"));
  });
}

/// How many events of each kind of node the kernel's documents and Arm's manuals list for a mesh, filters' values
/// included. Linux 6.1 has fewer.
std::map<std::string, std::size_t> expected_node_events(const std::string& name, bool is_7_3) {
  using Numbers = std::map<std::string, std::size_t>;
  if (name == "cmn600-small") return {{"dn", 7}, {"hnf", 35}, {"hni", 19}, {"rnid", 20}, {"sbsx", 17}};
  if (name == "cmn600-2dtc")
    return {{"cxha", 13}, {"cxra", 18}, {"dn", 7}, {"hnf", 35}, {"hni", 19}, {"rnid", 20}, {"sbsx", 17}};
  if (name == "cmn650") {
    return {{"cxha", 13}, {"cxra", 21}, {"dn", 14}, {"hnf", 41}, {"hni", 19}, {"hnp", 15}, {"rnid", 22}, {"sbsx", 18}};
  }
  if (name == "ci700") return {{"dn", 14}, {"hnf", 38}, {"hni", 19}, {"mtsx", 12}, {"rnid", 22}, {"sbsx", 18}};
  if (name == "cmn700-small") {
    return {{"ccha", 36}, {"ccla", 11}, {"ccra", 26}, {"dn", 26}, {"hnf", 75}, {"hni", 19}, {"rnid", 35}, {"sbsx", 18}};
  }
  Numbers numbers = {{"ccla", 11}, {"ccra", 26}, {"dn", 26}, {"hni", 19}, {"hnp", 15}, {"sbsx", 18}};
  const bool is_s3 = name.starts_with("cmn-s3");
  numbers["ccha"] = is_s3 ? 37 : 36;
  numbers["rnid"] = is_s3 ? 22 : 35;
  numbers["hns"] = !is_7_3 ? 115 : name == "cmn-s3-r2p0" ? 294 : 119;
  return numbers;
}

// contract A17, A18
TEST_P(CmnDiscovery, publishes_events_of_the_kinds_of_nodes_there_are) {
  if (!kernel_knows_the_mesh()) GTEST_SKIP() << "this kernel does not know the mesh";
  boot([&] {
    std::map<std::string, std::size_t> expected =
        expected_node_events(std::get<0>(GetParam()), kernel_is_at_least("7.3"));
    std::map<std::string, std::size_t> published;
    for (const std::string& event : events("")) ++published[event.substr(0, event.find('_'))];
    for (const char* const of_all : {"dtc", "mxp", "watchpoint"}) published.erase(of_all);
    if (!kernel_is_at_least("6.12")) {
      for (auto& [kind, count] : published) count = 1;
      for (auto& [kind, count] : expected) count = 1;
    }
    EXPECT_EQ(published, expected);
  });
}

// What firmware and hardware may say besides what is usual, on one platform each.

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
      // A crosspoint's window instead of the root's.
      [&](platform::AcpiDevice& device) {
        device.properties["arm,root-node"] = platform->mesh(0).layout().xp(0).offset;
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
    for (const cmn::NodePlace& node : platform->mesh(0).layout().nodes()) {
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
        device.properties["arm,root-node"] = platform->mesh(0).layout().root_offset();
      });
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
    const std::uint64_t root = topology().base + platform->mesh(0).layout().root_offset();
    for (const MmioBus::BusAccess& access : accesses) {
      EXPECT_GE(access.address, root);
      EXPECT_LT(access.address, root + 0x1'0000);
    }
  });
}

}  // namespace
}  // namespace pmufab::integration
