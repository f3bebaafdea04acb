// SPDX-License-Identifier: Apache-2.0
// The judge computes the places of a mesh's nodes and registers itself. The models must have put them there.
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/cmn/description/example_topologies.h"
#include "models/cmn/description/layout.h"
#include "models/cmn/part/cmn_spec.h"
#include "models/platform/platform_spec.h"
#include "testbench/fabrics/cmn/scenario/judge_spec.h"

namespace pmufab::scenario::test::cmn_judge_spec_test {
namespace {

namespace examples = cmn::examples;

struct Example {
  std::string name;
  cmn::Topology topology;
};

std::vector<Example> meshes() {
  std::vector<Example> all{{"cmn600_small", examples::cmn600_small()},
                           {"cmn600_two_dtcs", examples::cmn600_two_dtcs()},
                           {"cmn650_two_dtcs", examples::cmn650_two_dtcs()},
                           {"cmn700_server", examples::cmn700_server()},
                           {"ci700_small", examples::ci700_small()},
                           {"s3_r0", examples::s3_small(1)},
                           {"s3_r1", examples::s3_small(2)},
                           {"s3_r2", examples::s3_small(3)},
                           {"cmn700_largest", examples::cmn700_largest()},
                           {"cmn700_single_xp", examples::cmn700_single_xp()}};
  // Ids in the description, nodes that software must not touch, and one without a port.
  cmn::Topology odd = examples::cmn600_small();
  unsigned homes = 0;
  for (cmn::Crosspoint& crosspoint : odd.crosspoints) {
    for (cmn::Port& port : crosspoint.ports) {
      for (cmn::Node& node : port.nodes) {
        if (node.type == cmn::NodeType::hn_f && ++homes == 2) node.logical_id = 0;
        if (node.type == cmn::NodeType::hn_f && homes == 3) node.isolated = true;
        if (node.type == cmn::NodeType::rn_i) node.external = true;
      }
    }
  }
  odd.crosspoints.front().nodes.push_back({cmn::NodeType::apb});
  all.push_back({"odd", odd});
  return all;
}

using Place = std::tuple<cmn::NodeType, unsigned, unsigned, unsigned, unsigned, unsigned, bool>;

TEST(CmnJudgeSpec, nodes_and_registers_are_where_the_models_put_them) {
  for (const Example& example : meshes()) {
    SCOPED_TRACE(example.name);
    platform::PlatformSpec platform;
    platform.edit<platform::CmnMeshesSpec>().meshes.emplace_back().topology = example.topology;
    const std::vector<scoreboard::CmnJudgeSpec> specs = cmn_judge_specs(platform);
    ASSERT_EQ(specs.size(), 1U);
    std::vector<Place> judged;
    for (const scoreboard::CmnNode& node : specs.front().nodes)
      judged.emplace_back(node.type, node.node_id, node.logical_id, node.xp, node.port, node.device, node.closed);
    std::vector<Place> modelled;
    const cmn::Layout layout(example.topology);
    for (const cmn::NodePlace& node : layout.nodes()) {
      if (node.port != cmn::kNoPort)
        modelled.emplace_back(node.type, node.node_id, node.logical_id, node.xp, node.port, node.device,
                              node.is_closed());
    }
    EXPECT_FALSE(judged.empty());
    EXPECT_EQ(judged, modelled);
    const cmn::ProductFacts& facts = cmn::facts_of(example.topology.product, example.topology.revision);
    ASSERT_EQ(specs.front().dtcs.size(), example.topology.dtcs);
    for (unsigned dtc = 0; dtc < example.topology.dtcs; ++dtc) {
      const std::uint64_t start = example.topology.base + layout.nodes()[layout.dtc_node(dtc)].offset;
      EXPECT_EQ(specs.front().dtcs[dtc].pmcr, start + facts.dtc_base + 0x100);
      EXPECT_EQ(specs.front().dtcs[dtc].control, start + 0xa00);
    }
  }
}

}  // namespace
}  // namespace pmufab::scenario::test::cmn_judge_spec_test
