// SPDX-License-Identifier: Apache-2.0
// A script for silicon reads registers, and finds the mesh that the platform's file describes.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <yaml-cpp/yaml.h>
#include <nlohmann/json.hpp>

#include "testbench/tests/tools/cli_fixture.h"

namespace pmufab::testing {
namespace {

using Json = nlohmann::json;

/// What a device of a platform's file is in registers: its codes in por_mxp_device_port_connect_info, and the types of
/// nodes it has, one of which is always there (Arm's CMN TRMs). RN-F and SN-F have no nodes.
struct DeviceFacts {
  std::set<unsigned> codes;
  std::set<unsigned> nodes;
};

const std::map<std::string, DeviceFacts>& devices() {
  static const std::map<std::string, DeviceFacts> facts = {
      {"RN-F", {{0x04, 0x05, 0x06, 0x07, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x20, 0x21, 0x23, 0x24}, {}}},
      {"SN-F", {{0x0c, 0x0f, 0x10, 0x22, 0x25}, {}}},
      {"RN-I", {{0x01}, {0x0a}}},
      {"RN-D", {{0x02}, {0x0d}}},
      {"HN-F", {{0x0e}, {0x05}}},
      {"HN-S", {{0x1a}, {0x200}}},
      {"HN-I", {{0x09}, {0x04}}},
      {"HN-P", {{0x0b}, {0x11}}},
      {"HN-D", {{0x0a}, {0x03}}},
      {"HN-T", {{0x08}, {0x03}}},
      {"SBSX", {{0x0d}, {0x07}}},
      {"MTSX", {{0x1c}, {0x10}}},
      {"CXRH", {{0x13}, {0x100, 0x101}}},
      {"CCG", {{0x1e}, {0x103, 0x104}}},
      {"CCG-RNI", {{0x1e}, {0x106}}}};
  return facts;
}

/// "HN-Fx2@1": two HN-F at a CAL, of which the first is device 1.
struct PortWord {
  explicit PortWord(const std::string& word) : name(word.substr(0, word.find_first_of("x@"))) {
    const std::size_t times = word.find('x');
    if (times != std::string::npos) count = static_cast<unsigned>(std::stoul(word.substr(times + 1)));
    const std::size_t at = word.find('@');
    if (at != std::string::npos) first = static_cast<unsigned>(std::stoul(word.substr(at + 1)));
  }
  std::string name;
  unsigned first = 0;
  unsigned count = 1;
};

/// "0x1_4000_0000"
std::uint64_t number_of(const YAML::Node& node) {
  std::string text = node.as<std::string>();
  text.erase(std::remove(text.begin(), text.end(), '_'), text.end());
  return std::stoull(text, nullptr, 0);
}

class Discovery : public Cli {
 protected:
  /// Runs the script on a mesh of a platform.
  Json discover(const std::string& platform, std::uint64_t base) {
    const Outcome outcome =
        pmufab({"serve", platform, "--", "python3",
                PMUFAB_SOURCE_DIR "/testbench/tests/doors/register_server/discover_mesh.py", std::to_string(base)});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return Json::parse(outcome.out, nullptr, false);
  }

  /// Registers and file say the same of a mesh.
  static void compare(const Json& found, const YAML::Node& mesh) {
    const std::map<std::string, unsigned> parts = {
        {"CMN-600", 0x434}, {"CMN-650", 0x436}, {"CMN-700", 0x43c}, {"CI-700", 0x43a}, {"CMN-S3", 0x43e}};
    EXPECT_EQ(found.at("part"), parts.at(mesh["product"].as<std::string>()));
    if (mesh["root"]) {
      EXPECT_EQ(found.at("root"), number_of(mesh["root"]));
    }
    const std::size_t rows = mesh["rows"].size();
    ASSERT_EQ(found.at("rows"), rows);
    std::size_t ports = 0;
    for (const Json& crosspoint : found.at("crosspoints")) {
      const auto x = crosspoint.at("x").get<std::size_t>();
      const auto y = crosspoint.at("y").get<std::size_t>();
      SCOPED_TRACE("crosspoint " + std::to_string(x) + ", " + std::to_string(y));
      std::istringstream row(mesh["rows"][rows - 1 - y].as<std::string>());  // the northernmost row is the first
      const std::vector<std::string> tiles{std::istream_iterator<std::string>(row), {}};
      ASSERT_EQ(found.at("columns"), tiles.size());
      const YAML::Node tile = mesh["tiles"][tiles.at(x)];
      for (unsigned port = 0; port < crosspoint.at("ports").size(); ++port) {
        const std::string word = port < tile.size() ? tile[port].as<std::string>() : "-";
        if (word == "-") {
          EXPECT_TRUE(crosspoint.at("ports")[port].is_null()) << port;
        } else {
          compare(crosspoint, port, word);
          ++ports;
        }
      }
    }
    EXPECT_GT(ports, found.at("rows").get<std::size_t>());
  }

  /// What registers say of one port must be what the file says.
  static void compare(const Json& crosspoint, unsigned port, const std::string& word) {
    const PortWord device_word(word);
    ASSERT_TRUE(devices().contains(device_word.name)) << word;
    const DeviceFacts& facts = devices().at(device_word.name);
    const Json& info = crosspoint.at("ports").at(port);
    ASSERT_TRUE(info.is_object()) << "nothing is at port " << port;
    EXPECT_TRUE(facts.codes.contains(info.at("type").get<unsigned>())) << word << ": " << info;
    EXPECT_EQ(info.at("cal").get<bool>(), device_word.count > 1) << word << ": " << info;
    for (unsigned device = 0; device < 4; ++device) {
      const bool is_there = device >= device_word.first && device < device_word.first + device_word.count;
      std::set<unsigned> types;
      for (const Json& node : crosspoint.at("nodes")) {
        if (node.at("port") == port && node.at("device") == device) types.insert(node.at("type").get<unsigned>());
      }
      if (facts.nodes.empty() || !is_there) {
        EXPECT_TRUE(types.empty()) << word << " has nodes at device " << device;
      } else {
        EXPECT_TRUE(
            std::any_of(facts.nodes.begin(), facts.nodes.end(), [&](unsigned one) { return types.contains(one); }))
            << word << " has no node at device " << device;
      }
    }
  }
};

/// A mesh of a ready-made platform.
struct ReadyMade {
  std::string platform;
  std::size_t mesh;
};

std::vector<ReadyMade> ready_made_meshes() {
  const std::filesystem::path folder = PMUFAB_SOURCE_DIR "/scenarios/platforms";
  std::vector<ReadyMade> meshes;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    const YAML::Node file = YAML::LoadFile(entry.path().string());
    const std::size_t count = file["meshes"] ? file["meshes"].size() : 0;
    for (std::size_t mesh = 0; mesh < count; ++mesh)
      meshes.push_back({std::filesystem::relative(entry.path(), folder).replace_extension(), mesh});
  }
  std::sort(meshes.begin(), meshes.end(), [](const ReadyMade& a, const ReadyMade& b) {
    return std::tie(a.platform, a.mesh) < std::tie(b.platform, b.mesh);
  });
  return meshes;
}

class MeshDiscovery : public Discovery, public ::testing::WithParamInterface<ReadyMade> {};

TEST_P(MeshDiscovery, by_registers_alone_finds_what_the_platforms_file_says) {
  const std::string platform = shipped("platforms/" + GetParam().platform + ".yaml");
  const YAML::Node mesh = YAML::LoadFile(platform)["meshes"][GetParam().mesh];
  const Json found = discover(
      platform, mesh["base"] ? number_of(mesh["base"]) : 0x5000'0000 + GetParam().mesh * std::uint64_t{0x4000'0000});
  ASSERT_TRUE(found.is_object());
  compare(found, mesh);
}

INSTANTIATE_TEST_SUITE_P(Platforms, MeshDiscovery, ::testing::ValuesIn(ready_made_meshes()), [](const auto& tested) {
  std::string name = tested.param.platform + "_" + std::to_string(tested.param.mesh);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == '/'; }, '_');
  return name;
});

/// Node ids that the firmware of real machines names, or that their owners have measured, and what is there.
struct Machine {
  const char* platform;
  std::uint64_t base;
  std::optional<std::uint64_t> root;
  std::map<unsigned, const char*> devices;
};

class RealMachines : public Discovery, public ::testing::WithParamInterface<Machine> {};

TEST_P(RealMachines, have_the_node_ids_that_are_known) {
  const Json found =
      discover(shipped(std::string("platforms/machines/") + GetParam().platform + ".yaml"), GetParam().base);
  ASSERT_TRUE(found.is_object());
  if (GetParam().root) {
    EXPECT_EQ(found.at("root"), *GetParam().root);
  }
  for (const auto& [id, name] : GetParam().devices) {
    SCOPED_TRACE(std::string(name) + " at " + std::to_string(id));
    const Json& crosspoints = found.at("crosspoints");
    const auto crosspoint = std::find_if(crosspoints.begin(), crosspoints.end(),
                                         [id = id](const Json& one) { return one.at("id") == (id & ~7U); });
    ASSERT_NE(crosspoint, crosspoints.end());
    const Json& ports = crosspoint->at("ports");
    const bool wide = std::count_if(ports.begin(), ports.end(), [](const Json& port) { return !port.is_null(); }) > 2;
    const Json& port = ports.at(wide ? (id & 7) >> 1 : (id & 7) >> 2);
    ASSERT_TRUE(port.is_object());
    const DeviceFacts& facts = devices().at(name);
    EXPECT_TRUE(facts.codes.contains(port.at("type").get<unsigned>())) << port;
    const Json& nodes = crosspoint->at("nodes");
    const bool has_node = std::any_of(nodes.begin(), nodes.end(), [id = id, &facts](const Json& node) {
      return node.at("id") == id && facts.nodes.contains(node.at("type").get<unsigned>());
    });
    EXPECT_EQ(has_node, !facts.nodes.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Machines, RealMachines,
    ::testing::Values(
        Machine{"n1sdp",
                0x5000'0000,
                0xd0'0000,
                {{0x60, "SN-F"},
                 {0x6c, "SN-F"},
                 {0x68, "HN-D"},
                 {0x64, "SBSX"},
                 {0x0, "CXRH"},
                 {0x24, "HN-F"},
                 {0x28, "HN-F"},
                 {0x44, "HN-F"},
                 {0x48, "HN-F"},
                 {0x4, "RN-D"},
                 {0x8, "RN-D"},
                 {0xc, "RN-D"},
                 {0x2c, "RN-D"},
                 {0x40, "RN-D"},
                 {0x20, "RN-F"},
                 {0x4c, "RN-F"}}},
        Machine{"sg2042",
                0x70'7000'0000,
                std::nullopt,
                {{0x84, "HN-D"}, {0x10, "SBSX"}, {0x18, "SBSX"},  {0x154, "SBSX"}, {0x15c, "SBSX"}, {0x4, "CXRH"},
                 {0xc4, "CXRH"}, {0x44, "HN-I"}, {0x100, "HN-I"}, {0x140, "HN-I"}, {0x68, "HN-I"},  {0xa8, "HN-I"},
                 {0xe8, "HN-I"}, {64, "RN-I"},   {192, "RN-I"},   {72, "HN-F"},    {80, "HN-F"},    {136, "HN-F"},
                 {144, "HN-F"},  {88, "HN-F"},   {96, "HN-F"},    {152, "HN-F"},   {160, "HN-F"},   {200, "HN-F"},
                 {208, "HN-F"},  {264, "HN-F"},  {272, "HN-F"},   {216, "HN-F"},   {224, "HN-F"},   {280, "HN-F"},
                 {288, "HN-F"}}},
        Machine{"altra-max",
                0x5000'0000,
                std::nullopt,
                {{0xc, "HN-F"},   {0x14, "HN-F"},  {0x1c, "HN-F"},  {0x24, "HN-F"},  {0x8c, "HN-F"},  {0x94, "HN-F"},
                 {0x9c, "HN-F"},  {0xa4, "HN-F"},  {0x14c, "HN-F"}, {0x154, "HN-F"}, {0x15c, "HN-F"}, {0x164, "HN-F"},
                 {0x1cc, "HN-F"}, {0x1d4, "HN-F"}, {0x1dc, "HN-F"}, {0x1e4, "HN-F"}, {0x84, "HN-D"},  {0x144, "HN-T"},
                 {0x30, "HN-I"},  {0x38, "HN-I"},  {0xb8, "HN-I"},  {0x178, "HN-I"}, {0x1f0, "HN-I"}, {0x1f8, "HN-I"},
                 {0x4, "RN-I"},   {0x2c, "RN-I"},  {0x34, "RN-I"},  {0x3c, "RN-I"},  {0x80, "RN-I"},  {0x88, "RN-I"},
                 {0x90, "RN-I"},  {0x98, "RN-I"},  {0xa0, "RN-I"},  {0xa8, "RN-I"},  {0xb0, "RN-I"},  {0xbc, "RN-I"},
                 {0x140, "RN-I"}, {0x148, "RN-I"}, {0x150, "RN-I"}, {0x158, "RN-I"}, {0x160, "RN-I"}, {0x168, "RN-I"},
                 {0x170, "RN-I"}, {0x17c, "RN-I"}, {0x1c4, "RN-I"}, {0x1ec, "RN-I"}, {0x1f4, "RN-I"}, {0x1fc, "RN-I"}}},
        Machine{"rd-v1-mc",
                0x5000'0000,
                std::nullopt,
                {{332, "SN-F"},
                 {333, "SN-F"},
                 {16, "SN-F"},
                 {17, "SN-F"},
                 {32, "SN-F"},
                 {33, "SN-F"},
                 {348, "SN-F"},
                 {349, "SN-F"},
                 {4, "HN-D"},
                 {340, "SBSX"}}},
        Machine{"rd-n2",
                0x1'4000'0000,
                std::nullopt,
                {{64, "SN-F"},
                 {128, "SN-F"},
                 {192, "SN-F"},
                 {256, "SN-F"},
                 {108, "SN-F"},
                 {172, "SN-F"},
                 {234, "SN-F"},
                 {298, "SN-F"},
                 {260, "HN-D"},
                 {0, "HN-I"},
                 {324, "HN-P"},
                 {340, "HN-P"},
                 {348, "HN-P"},
                 {362, "HN-P"},
                 {364, "HN-P"},
                 {196, "SBSX"}}},
        Machine{"rd-fremont",
                0x5000'0000,
                std::nullopt,
                {{0x40, "SN-F"},  {0x80, "SN-F"},  {0xc0, "SN-F"},  {0x100, "SN-F"}, {0x68, "SN-F"},  {0xa8, "SN-F"},
                 {0xe8, "SN-F"},  {0x128, "SN-F"}, {0xec, "HN-I"},  {0x12c, "HN-D"}, {0x4, "HN-T"},   {0x104, "HN-T"},
                 {0x2c, "HN-T"},  {0x144, "HN-P"}, {0x14c, "HN-P"}, {0x154, "HN-P"}, {0x15c, "HN-P"}, {0x164, "HN-P"},
                 {0x16c, "HN-P"}, {0xac, "SBSX"},  {0x184, "CCG"},  {0x8, "CCG"},    {0x18c, "CCG"},  {0x10, "CCG"},
                 {0x194, "CCG"},  {0x18, "CCG"},   {0x19c, "CCG"},  {0x20, "CCG"},   {0x1a4, "CCG"},  {0x1ac, "CCG"}}}),
    [](const auto& tested) {
      std::string name = tested.param.platform;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

/// What real machines have and ready-made platforms have not.
constexpr const char* kOwnNumbers = R"(kind: cmn
name: own-numbers
meshes:
  - product: CMN-600
    revision: r3p1
    root: 0x20_0000
    logical_ids: {hnf: [3, 0, 2, 1], rnd: [1, 0, 2]}
    tiles:
      H: [RN-F, HN-F]
      D: [HN-D, HN-F@2]
      R: [RN-Dx2, SN-F]
      S: [RN-D@1, RN-Fx2@1]
    rows: [H R H, H D S]
)";

TEST_F(Discovery, finds_device_numbers_logical_ids_and_the_root_that_the_file_gives) {
  const std::string platform = write("own.yaml", kOwnNumbers);
  const Json found = discover(platform, 0x5000'0000);
  ASSERT_TRUE(found.is_object());
  compare(found, YAML::Load(kOwnNumbers)["meshes"][0]);
  std::vector<unsigned> homes;
  std::vector<unsigned> requesters;
  for (const Json& crosspoint : found.at("crosspoints")) {
    for (const Json& node : crosspoint.at("nodes")) {
      if (node.at("type") == 0x5) homes.push_back(node.at("logical"));
      if (node.at("type") == 0xd) requesters.push_back(node.at("logical"));
    }
  }
  EXPECT_THAT(homes, ::testing::ElementsAre(3, 0, 2, 1));
  EXPECT_THAT(requesters, ::testing::ElementsAre(1, 0, 2));
  // The driver draws the same mesh, and its counts are right.
  const Outcome map = pmufab({"map", platform, "--compare"});
  EXPECT_EQ(map.exit_code, 0) << map.out << map.err;
  EXPECT_THAT(map.out,
              ::testing::AllOf(::testing::HasSubstr("device 1"), ::testing::HasSubstr("the driver's map agrees")));
  const Outcome counted =
      pmufab({"stat", "--platform", platform, "-e", "arm_cmn_0/hnf_slc_sf_cache_access/,arm_cmn_0/rnid_s0_rdata_beats/",
              "--set",
              "chi_traffic=[{name: cpus, rate: 0.01, ranges: [{size: 1 MiB}]}, {name: devices, requesters: rn_d, "
              "mix: {read_once: 1}, rate: 0.01, ranges: [{size: 1 MiB}]}]",
              "--duration", "50 us"});
  EXPECT_EQ(counted.exit_code, 0) << counted.out << counted.err;
  EXPECT_THAT(counted.out, ::testing::HasSubstr("2 counters, none wrong"));
  EXPECT_THAT(counted.out, ::testing::Not(::testing::HasSubstr(" 0  ")));
}

}  // namespace
}  // namespace pmufab::testing
