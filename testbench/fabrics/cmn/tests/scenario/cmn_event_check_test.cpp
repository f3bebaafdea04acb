// SPDX-License-Identifier: Apache-2.0
// Raw event numbers, which drivers pass on. A scenario refuses those that its mesh does not have.
#include <cstdint>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/cmn/part/cmn_spec.h"
#include "testbench/fabrics/cmn/scenario/cmn_fabric.h"
#include "testbench/perf/event_syntax.h"
#include "testbench/run/session/scenario_spec.h"

namespace pmufab::scenario {
namespace {

using cmn::NodeType;
using cmn::Product;

/// @return the message of check_modelled(); empty if it accepts the event.
std::string refusal(Product product, unsigned revision, NodeType type, unsigned id, const char* pmu = "arm_cmn_0") {
  cmn::Topology topology;
  topology.product = product;
  topology.revision = revision;
  perf::ResolvedEvent event;
  event.text = "arm_cmn_0/raw/";
  event.pmu = pmu;
  event.attributes.config = static_cast<std::uint64_t>(type) | std::uint64_t{id} << 16U;
  try {
    check_modelled(event, 0, topology);
  } catch (const perf::EventError& error) {
    return error.what();
  }
  return {};
}

TEST(CmnEventCheck, refuses_events_the_product_does_not_have) {
  const auto says = ::testing::HasSubstr("no such event");
  EXPECT_THAT(refusal(Product::ci700, 2, NodeType::rn_i, 0x18), says) << "CMN-700's";
  EXPECT_THAT(refusal(Product::cmn600, 5, NodeType::dvm, 0x0f), says);
  EXPECT_THAT(refusal(Product::ci700, 2, NodeType::dvm, 0x0f), says) << "CMN-700's";
  EXPECT_THAT(refusal(Product::cmn600, 5, NodeType::hn_f, 0x25), says);
  EXPECT_EQ(refusal(Product::cmn700, 3, NodeType::rn_i, 0x18), "");
  EXPECT_EQ(refusal(Product::cmn700, 3, NodeType::dvm, 0x0f), "");
  EXPECT_EQ(refusal(Product::cmn650, 3, NodeType::hn_f, 0x25), "");
}

TEST(CmnEventCheck, refuses_events_a_later_revision_brings) {
  EXPECT_THAT(refusal(Product::cmn700, 0, NodeType::hn_f, 0x2d), ::testing::HasSubstr("no such event"));
  EXPECT_EQ(refusal(Product::cmn700, 3, NodeType::hn_f, 0x2d), "");
}

TEST(CmnEventCheck, refuses_events_no_model_makes_happen) {
  EXPECT_THAT(refusal(Product::cmn700, 3, NodeType::rn_i, 0x0a), ::testing::HasSubstr("never replayed"));
  constexpr unsigned kPort0 = 4U << 2U;
  constexpr unsigned kDat = 3U << 5U;
  constexpr unsigned kPub = 4U << 5U;
  EXPECT_EQ(refusal(Product::cmn700, 3, NodeType::xp, 1 | kPort0 | kDat), "");
  EXPECT_EQ(refusal(Product::cmn700, 3, NodeType::xp, 2 | kPort0 | 8U << 5U), "");
  EXPECT_THAT(refusal(Product::cmn700, 3, NodeType::xp, 3 | kPort0 | kDat), ::testing::HasSubstr("partial DAT flits"));
  EXPECT_EQ(refusal(Product::cmn700, 3, NodeType::xp, 1 | kPort0 | kPub), "")
      << "no node sends there, but raw flits move";
}

TEST(CmnEventCheck, leaves_other_pmus_and_what_the_mesh_counts_itself_alone) {
  EXPECT_EQ(refusal(Product::ci700, 2, NodeType::rn_i, 0x18, "arm_cmn_1"), "");
  EXPECT_EQ(refusal(Product::ci700, 2, NodeType::dtc, 0), "");
}

TEST(CmnEventCheck, names_nodes_near_one_there_is_not) {
  // A mesh of 3x1: node ids are x << 5 | y << 3 | port << 2 (sides up to 4), so HN-F 0x24 at XP 1 and 0x44 at XP 2.
  const ScenarioSpec spec = ScenarioFile(parse_text(R"(name: m
platform:
  kind: cmn
  meshes: [{product: CMN-600, tiles: {A: [RN-F, HN-F], D: [RN-F, HN-D]}, rows: [D A A]}]
duration: 1 us
measure: [{events: [arm_cmn_0/dtc_cycles/]}]
)",
                                                    "s.yaml"),
                                         {})
                                .load({}, {});
  const auto hint = [&](std::uint64_t id, NodeType type = NodeType::hn_f) {
    perf::ResolvedEvent event;
    event.pmu = "arm_cmn_0";
    event.attributes.config = static_cast<std::uint64_t>(type);
    event.terms = {{"hnf_cache_miss"}, {"nodeid", id}};
    return hint_of_nodes(event, 0, spec.platform.of<platform::CmnMeshesSpec>().meshes[0].topology);
  };
  EXPECT_EQ(hint(0x40), "there is no hnf with node id 0x40; the nearest are 0x44, 0x24 (pmufab map shows all)");
  EXPECT_EQ(hint(0x24), "");
  EXPECT_EQ(hint(0x24, NodeType::sbsx), "the mesh has no sbsx");
}

}  // namespace
}  // namespace pmufab::scenario
