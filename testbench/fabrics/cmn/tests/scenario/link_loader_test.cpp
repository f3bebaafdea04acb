// SPDX-License-Identifier: Apache-2.0
// Links between meshes in platform files.
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/cmn/part/cmn_spec.h"
#include "testbench/run/session/scenario_spec.h"

namespace pmufab::scenario::link_loader_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// Three meshes of 3x1 crosspoints: two CMN-700 with two CCGs each, and a CMN-600 with a CXRH.
std::string scenario(const std::string& links) {
  return fmt::format(R"(name: meshes
platform:
  kind: cmn
  meshes:
    - {{product: CMN-700, tiles: {{A: [CCG-RNI, HN-F], D: [RN-F, HN-D], B: [CCG, SN-F]}}, rows: [D A B]}}
    - {{product: CMN-700, tiles: {{A: [CCG-RNI, HN-F], D: [RN-F, HN-D], B: [CCG, SN-F]}}, rows: [D A B]}}
    - {{product: CMN-600, tiles: {{A: [CXRH, HN-F], D: [RN-F, HN-D], B: [RN-I, SN-F]}}, rows: [D A B]}}
  links:
{}duration: 1 us
measure:
  - events: [arm_cmn_0/dtc_cycles/]
)",
                     links);
}
ScenarioSpec load(const std::string& links) {
  const ScenarioFile file(parse_text(scenario(links), "s.yaml"), {});
  return file.load(file.variants().front(), {});
}
std::string load_error(const std::string& links) {
  try {
    static_cast<void>(load(links));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(LinkLoader, names_gateways_and_may_choose_every_parameter) {
  const ScenarioSpec spec = load(
      "    - {from: cmn0/ccg1, to: cmn1/ccg0}\n"
      "    - {from: cmn0/ccg0, to: cmn1/ccg1, latency: 7 ns, cycles_per_flit: 2, flit_bytes: 64, link_credits: 9,\n"
      "       rht_entries: 10, reqtrk_entries: 11, write_buffers: 12, node_latency: 13}\n");
  ASSERT_THAT(spec.platform.of<platform::CmnMeshesSpec>().links, SizeIs(2));
  const platform::CmnLinkSpec& usual = spec.platform.of<platform::CmnMeshesSpec>().links[0];
  EXPECT_EQ(usual.from.mesh, 0U);
  EXPECT_EQ(usual.from.gateway, 1U);
  EXPECT_EQ(usual.to.mesh, 1U);
  EXPECT_EQ(usual.to.gateway, 0U);
  EXPECT_EQ(usual.parameters.latency, 20'000U);
  const cmn::LinkParameters& chosen = spec.platform.of<platform::CmnMeshesSpec>().links[1].parameters;
  EXPECT_EQ(chosen.latency, 7'000U);
  EXPECT_EQ(chosen.cycles_per_flit, 2U);
  EXPECT_EQ(chosen.flit_bytes, 64U);
  EXPECT_EQ(chosen.link_credits, 9U);
  EXPECT_EQ(chosen.rht_entries, 10U);
  EXPECT_EQ(chosen.reqtrk_entries, 11U);
  EXPECT_EQ(chosen.write_buffers, 12U);
  EXPECT_EQ(chosen.node_latency, 13U);
}

TEST(LinkLoader, what_cannot_be_is_refused_where_it_stands) {
  EXPECT_THAT(load_error("    - {from: cmn0, to: cmn1/ccg0}\n"),
              AllOf(HasSubstr("links[0].from"), HasSubstr("names no gateway")));
  EXPECT_THAT(load_error("    - {from: cmn0/cxrh0, to: cmn1/ccg0}\n"),
              AllOf(HasSubstr("links[0].from"), HasSubstr("cmn0/ccg0")));
  EXPECT_THAT(load_error("    - {from: cmn0/ccg0, to: cmn3/ccg0}\n"),
              AllOf(HasSubstr("links[0].to"), HasSubstr("no mesh cmn3")));
  EXPECT_THAT(load_error("    - {from: cmn0/ccg0, to: cmn1/ccg2}\n"),
              AllOf(HasSubstr("links[0].to"), HasSubstr("no gateway 2")));
  EXPECT_THAT(load_error("    - {from: cmn0/ccg0, to: cmn0/ccg1}\n"), HasSubstr("same mesh"));
  EXPECT_THAT(load_error("    - {from: cmn0/ccg0, to: cmn1/ccg0}\n    - {from: cmn0/ccg0, to: cmn1/ccg1}\n"),
              AllOf(HasSubstr("links[1].from"), HasSubstr("has a link already")));
  EXPECT_THAT(load_error("    - {from: cmn0/ccg0, to: cmn1/ccg0}\n    - {from: cmn0/ccg1, to: cmn2/cxrh0}\n"),
              AllOf(HasSubstr("links[1].from"), HasSubstr("linked to cmn1 already")));
  EXPECT_THAT(load_error("    - {from: cmn0/ccg0, to: cmn1/ccg0, flit_bytes: 48}\n"),
              AllOf(HasSubstr("links[0].flit_bytes"), HasSubstr("16, 32 or 64")));
}

}  // namespace
}  // namespace pmufab::scenario::link_loader_test
