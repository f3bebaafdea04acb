// SPDX-License-Identifier: Apache-2.0
// A script for silicon reads registers, and finds the mesh that the platform's file describes.
#include <map>
#include <set>
#include <sstream>

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
      {"CCG", {{0x1e}, {0x103, 0x104}}}};
  return facts;
}

/// "HN-Fx2": two HN-F at a CAL.
std::pair<std::string, unsigned> device_and_count(const std::string& word) {
  const std::size_t times = word.find('x');
  if (times == std::string::npos) return {word, 1};
  return {word.substr(0, times), static_cast<unsigned>(std::stoul(word.substr(times + 1)))};
}

class MeshDiscovery : public Cli, public ::testing::WithParamInterface<const char*> {
 protected:
  /// What registers say of one port must be what the file says.
  static void compare(const Json& crosspoint, unsigned port, const std::string& word) {
    const auto [name, count] = device_and_count(word);
    ASSERT_TRUE(devices().contains(name)) << name;
    const DeviceFacts& facts = devices().at(name);
    const Json& info = crosspoint.at("ports").at(port);
    ASSERT_TRUE(info.is_object()) << "nothing is at port " << port;
    EXPECT_TRUE(facts.codes.contains(info.at("type").get<unsigned>())) << word << ": " << info;
    EXPECT_EQ(info.at("cal").get<bool>(), count > 1) << word << ": " << info;
    for (unsigned device = 0; device < count; ++device) {
      std::set<unsigned> types;
      for (const Json& node : crosspoint.at("nodes")) {
        if (node.at("port") == port && node.at("device") == device) types.insert(node.at("type").get<unsigned>());
      }
      if (facts.nodes.empty()) {
        EXPECT_TRUE(types.empty()) << word << " has nodes";
      } else {
        EXPECT_TRUE(
            std::any_of(facts.nodes.begin(), facts.nodes.end(), [&](unsigned one) { return types.contains(one); }))
            << word << " has no node at device " << device;
      }
    }
  }
};

TEST_P(MeshDiscovery, by_registers_alone_finds_what_the_platforms_file_says) {
  const std::string platform = shipped(std::string("platforms/") + GetParam() + ".yaml");
  const YAML::Node mesh = YAML::LoadFile(platform)["meshes"][0];
  const Outcome outcome = pmufab({"serve", platform, "--", "python3",
                                  PMUFAB_SOURCE_DIR "/testbench/tests/register_server/discover_mesh.py", "0x50000000"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json found = Json::parse(outcome.out);

  const std::map<std::string, unsigned> parts = {
      {"CMN-600", 0x434}, {"CMN-650", 0x436}, {"CMN-700", 0x43c}, {"CI-700", 0x43a}, {"CMN-S3", 0x43e}};
  EXPECT_EQ(found.at("part"), parts.at(mesh["product"].as<std::string>()));
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
    unsigned port = 0;
    for (; port < tile.size(); ++port) compare(crosspoint, port, tile[port].as<std::string>());
    for (; port < crosspoint.at("ports").size(); ++port) EXPECT_TRUE(crosspoint.at("ports")[port].is_null()) << port;
    ports += tile.size();
  }
  EXPECT_GT(ports, found.at("crosspoints").size());
}

INSTANTIATE_TEST_SUITE_P(Platforms, MeshDiscovery,
                         ::testing::Values("cmn600-small", "cmn600-2dtc", "cmn650", "cmn700-small", "cmn700-8x8",
                                           "ci700", "cmn-s3-r0p1", "cmn-s3-r1p0", "cmn-s3-r2p0"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace pmufab::testing
