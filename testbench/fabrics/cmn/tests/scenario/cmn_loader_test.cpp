// SPDX-License-Identifier: Apache-2.0
// Meshes of platform files.
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/cmn/part/cmn_spec.h"
#include "testbench/run/session/scenario_spec.h"

namespace pmufab::scenario::cmn_loader_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A mesh of 3x1 crosspoints with two DTCs, and more keys.
std::string scenario(const std::string& keys, const std::string& product = "CMN-700",
                     const std::string& rows = "D A T") {
  return fmt::format(R"(name: mesh
platform:
  kind: cmn
  meshes:
    - product: {}
      tiles: {{A: [RN-F, HN-F], D: [RN-F, HN-D], T: [RN-F, HN-T]}}
      rows: [{}]
      domains: ["{}1"]
{}duration: 1 us
measure:
  - events: [arm_cmn_0/dtc_cycles/]
)",
                     product, rows,
                     [&] {
                       std::string zeros;
                       for (std::size_t i = 2; i < rows.size(); i += 2) zeros += "0 ";
                       return zeros;
                     }(),
                     keys);
}
ScenarioSpec load(const std::string& yaml) {
  const ScenarioFile file(parse_text(yaml, "s.yaml"), {});
  return file.load(file.variants().front(), {});
}
const platform::CmnSpec& mesh_of(const ScenarioSpec& spec) {
  return spec.platform.of<platform::CmnMeshesSpec>().meshes.at(0);
}
std::string load_error(const std::string& yaml) {
  try {
    static_cast<void>(load(yaml));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(CmnLoader, what_is_not_said_has_the_products_values) {
  const ScenarioSpec spec = load(scenario(""));
  EXPECT_EQ(mesh_of(spec).topology.limits, cmn::kLinux72Limits);
  EXPECT_THAT(mesh_of(spec).interrupts, IsEmpty());
  EXPECT_EQ(mesh_of(spec).mesh.credit_delay, 1U);
  EXPECT_EQ(mesh_of(spec).mesh.pmu.cycle_width, 40U);
  EXPECT_TRUE(mesh_of(spec).mesh.pmu.cycles_need_cg_disable);
}

TEST(CmnLoader, interrupts_delays_and_the_cycle_counter_can_be_chosen) {
  const ScenarioSpec spec =
      load(scenario("      interrupts: [2, 2]\n      mesh: {credit_delay: 3}\n"
                    "      pmu: {cycle_width: 32, cycles_need_cg_disable: false}\n"));
  EXPECT_THAT(mesh_of(spec).interrupts, ElementsAre(2U, 2U));
  EXPECT_EQ(mesh_of(spec).mesh.credit_delay, 3U);
  EXPECT_EQ(mesh_of(spec).mesh.pmu.cycle_width, 32U);
  EXPECT_FALSE(mesh_of(spec).mesh.pmu.cycles_need_cg_disable);
}

TEST(CmnLoader, the_effective_configuration_loads_to_itself) {
  for (const char* keys : {"", "      interrupts: [1, 1]\n      limits: linux-7.3\n"}) {
    const std::string text = to_yaml(load(scenario(keys)).effective);
    EXPECT_THAT(text, AllOf(HasSubstr("credit_delay: 1"), HasSubstr("cycle_width: 40"), HasSubstr("limits: linux-7.")));
    EXPECT_EQ(to_yaml(load(text).effective), text);
  }
}

TEST(CmnLoader, limits_say_how_large_a_mesh_may_be) {
  const std::string wide = "D A A A A A A A A A A A T";  // 13
  const std::string newer = "      limits: linux-7.3\n";
  EXPECT_THAT(load_error(scenario("", "CMN-S3", wide)), HasSubstr("1 to 12"));
  EXPECT_EQ(load_error(scenario(newer, "CMN-S3", wide)), "no error");
  EXPECT_THAT(load_error(scenario("      limits: linux-5.0\n")),
              AllOf(HasSubstr("limits"), HasSubstr("linux-5.0"), HasSubstr("linux-7.2")));
}

TEST(CmnLoader, homes_of_two_kinds_in_one_mesh_are_refused) {
  std::string mixed = scenario("");
  mixed.replace(mixed.find("A: [RN-F, HN-F]"), 15, "A: [HN-S, HN-F]");
  EXPECT_THAT(load_error(mixed), AllOf(HasSubstr("meshes[0].rows: has HN-F and HN-S"), HasSubstr("one kind")));
  mixed.replace(mixed.find("HN-S, HN-F"), 10, "HN-S, HN-S");
  EXPECT_EQ(load_error(mixed), "no error");
}

TEST(CmnLoader, impossible_interrupts_are_refused) {
  EXPECT_THAT(load_error(scenario("      interrupts: [0]\n")),
              AllOf(HasSubstr("meshes[0].interrupts"), HasSubstr("are 1, for 2 DTCs")));
  EXPECT_THAT(load_error(scenario("      interrupts: [0, 4]\n")),
              AllOf(HasSubstr("s.yaml:9:"), HasSubstr("'4' is not an interrupt of a mesh"), HasSubstr("0 ... 3")));
  EXPECT_THAT(load_error(scenario("      interrupts: [0, INTREQPMU]\n")), HasSubstr("'INTREQPMU' is not an interrupt"));
}

TEST(CmnLoader, nodes_have_the_logical_ids_and_device_numbers_that_are_given) {
  std::string numbered = scenario("      logical_ids: {hnf: [2, 0]}\n", "CMN-700", "D A A T");
  numbered.replace(numbered.find("RN-F, HN-F"), 10, "RN-F, HN-F@1");
  const ScenarioSpec spec = load(numbered);
  const std::vector<cmn::Crosspoint>& crosspoints = mesh_of(spec).topology.crosspoints;
  for (const unsigned xp : {1U, 2U}) {
    const cmn::Port& port = crosspoints[xp].ports[1];
    EXPECT_EQ(port.first_device, 1U);
    EXPECT_EQ(cmn::device_count(port), 1U);
    EXPECT_EQ(port.nodes.at(0).device, 1U);
    EXPECT_EQ(port.nodes.at(0).logical_id, xp == 1 ? 2U : 0U);
  }
  const std::string text = to_yaml(spec.effective);
  EXPECT_EQ(to_yaml(load(text).effective), text);
}

TEST(CmnLoader, impossible_numbers_of_nodes_are_refused) {
  EXPECT_THAT(load_error(scenario("      logical_ids: {hnf: [0, 1]}\n")),
              AllOf(HasSubstr("s.yaml:9:"), HasSubstr("has 2 logical ids, but the mesh has 1 such nodes")));
  EXPECT_THAT(load_error(scenario("      logical_ids: {hnf: [145]}\n")), HasSubstr("'145' is not a logical id"));
  EXPECT_THAT(load_error(scenario("      logical_ids: {hnf: [one]}\n")), HasSubstr("'one' is not a logical id"));
  EXPECT_THAT(load_error(scenario("      logical_ids: {hnf: [1, 1]}\n", "CMN-700", "D A A T")),
              HasSubstr("1 is there twice"));
  EXPECT_THAT(load_error(scenario("      logical_ids: {dtc: [0]}\n")), HasSubstr("dtc"));
  EXPECT_THAT(load_error(scenario("      root: 0x10_0000\n")), HasSubstr("CMN-700 has its CFG node at offset 0"));
  EXPECT_THAT(load_error(scenario("      root: 0x4000\n", "CMN-600")), HasSubstr("0x4000 is not possible"));
  EXPECT_THAT(load_error(scenario("      root: 0x10_0100\n", "CMN-600")), HasSubstr("0x100100 is not possible"));
  EXPECT_EQ(load_error(scenario("      root: 0x10_4000\n", "CMN-600")), "no error");
  std::string beyond = scenario("");
  beyond.replace(beyond.find("RN-F, HN-F"), 10, "RN-F@4, HN-F");
  EXPECT_THAT(load_error(beyond), HasSubstr("there is no device 'RN-F@4'"));
  beyond.replace(beyond.find("RN-F@4"), 6, "RN-Fx2@3");
  EXPECT_THAT(load_error(beyond), HasSubstr("there is no device 4"));
}

TEST(CmnLoader, values_out_of_range_are_refused_at_their_place) {
  EXPECT_THAT(load_error(scenario("      mesh: {credit_delay: 0}\n")),
              AllOf(HasSubstr("s.yaml:9:"), HasSubstr("meshes[0].mesh.credit_delay")));
  EXPECT_THAT(load_error(scenario("      mesh: {credit_delay: 31}\n")), HasSubstr("meshes[0].mesh.credit_delay"));
  EXPECT_THAT(load_error(scenario("      mesh: {buffer_depth: 0}\n")), HasSubstr("meshes[0].mesh.buffer_depth"));
  EXPECT_THAT(load_error(scenario("      mesh: {link_delay: 0}\n")), HasSubstr("meshes[0].mesh.link_delay"));
  EXPECT_THAT(load_error(scenario("      mesh: {download_credits: 129}\n")),
              HasSubstr("meshes[0].mesh.download_credits"));
  EXPECT_THAT(load_error(scenario("      pmu: {cycle_width: 7}\n")), HasSubstr("meshes[0].pmu.cycle_width"));
  EXPECT_THAT(load_error(scenario("      pmu: {cycle_width: 41}\n")), HasSubstr("meshes[0].pmu.cycle_width"));
}

}  // namespace
}  // namespace pmufab::scenario::cmn_loader_test
