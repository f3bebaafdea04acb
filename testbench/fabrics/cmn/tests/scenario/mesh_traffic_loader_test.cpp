// SPDX-License-Identifier: Apache-2.0
// Mesh and CHI traffic of scenario files, and limits of nodes' parameters.
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/run/session/scenario_spec.h"

namespace pmufab::scenario::mesh_traffic_loader_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// A mesh of 3x1 crosspoints: RN-Fs 0x0 and 0x20, RN-D 0x44, as node ids of so small a mesh are x << 5 | y << 3 | port
/// << 2.
std::string scenario(const std::string& nodes, const std::string& rest = "") {
  return fmt::format(R"(name: mesh
platform:
  kind: cmn
  meshes:
    - product: CMN-700
      tiles: {{A: [RN-F, HN-F], D: [RN-F, HN-D], T: [SN-F, RN-D]}}
      rows: [D A T]
      nodes: {{{}}}
duration: 1 us
{}measure:
  - events: [arm_cmn_0/dtc_cycles/]
)",
                     nodes, rest);
}
std::string load_error(const std::string& yaml) {
  try {
    const ScenarioFile file(parse_text(yaml, "s.yaml"), {});
    static_cast<void>(file.load(file.variants().front(), {}));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}
std::string nodes_error(const std::string& nodes) { return load_error(scenario(nodes)); }
std::string rest_error(const std::string& rest) { return load_error(scenario("", rest)); }

TEST(MeshTrafficLoader, a_homes_latency_has_the_models_limit) {
  EXPECT_EQ(cmn::HomeParameters::kMaximumLatency, 100'000U);
  EXPECT_EQ(nodes_error("home: {latency: 100000}"), "no error");
  EXPECT_THAT(nodes_error("home: {latency: 100001}"),
              AllOf(HasSubstr("s.yaml:8:"), HasSubstr("meshes[0].nodes.home.latency"), HasSubstr("100000")));
}

TEST(MeshTrafficLoader, names_of_traffic_are_unique_over_all_lists) {
  const std::string chi = "chi_traffic:\n  - {name: b, ranges: [{size: 4 KiB}]}\n";
  EXPECT_EQ(rest_error("mesh_traffic: [{name: a}]\n" + chi), "no error");
  EXPECT_THAT(rest_error("mesh_traffic: [{name: a}, {name: a}]\n"),
              AllOf(HasSubstr("s.yaml:10:"), HasSubstr("mesh_traffic[1].name"), HasSubstr("'a'"), HasSubstr("'a-2'")));
  EXPECT_THAT(rest_error("mesh_traffic: [{name: b}, {name: b-2}]\n" + chi),
              AllOf(HasSubstr("s.yaml:12:"), HasSubstr("chi_traffic[0].name"), HasSubstr("'b-3'")));
  EXPECT_THAT(rest_error("mesh_traffic: [{name: \"\"}]\n"), HasSubstr("mesh_traffic[0].name"));
}

TEST(MeshTrafficLoader, a_name_of_a_generator_is_taken) {
  const std::string yaml = R"(name: two
platform: {kind: tegra410, sockets: 1, cpus_per_socket: 4, tegra410: {clusters: 4}}
duration: 1 us
traffic:
  generators:
    - {name: same, requester: {kind: cpu}, targets: [{memory: cmem, size: 4 KiB}]}
mesh_traffic: [{name: %}]
measure: [{events: [nvidia_ucf_pmu_0/cycles/]}]
)";
  std::string good = yaml;
  good.replace(good.find('%'), 1, "other");
  std::string bad = yaml;
  bad.replace(bad.find('%'), 1, "same");
  EXPECT_EQ(load_error(good), "no error");
  EXPECT_THAT(load_error(bad), AllOf(HasSubstr("s.yaml:7:"), HasSubstr("mesh_traffic[0].name"), HasSubstr("'same'")));
}

TEST(MeshTrafficLoader, vmid_filters_name_nodes_that_are_snooped) {
  const auto filter = [](const std::string& node) {
    return nodes_error("dvm_node: {vmid_filters: [{node: 0, vmid: 5}, {node: " + node + ", vmid: 6}]}");
  };
  EXPECT_EQ(filter("0x20"), "no error");                // RN-F at (1, 0)
  EXPECT_EQ(filter("0x44"), "no error");                // RN-D at (2, 0), port 1
  for (const char* node : {"0x40", "0x24", "0x7f0"}) {  // SN-F, HN-F, no node
    EXPECT_THAT(filter(node), AllOf(HasSubstr("s.yaml:8:"), HasSubstr("dvm_node.vmid_filters[1].node"), HasSubstr(node),
                                    HasSubstr("0x0, 0x20, 0x44")));
  }
}

TEST(MeshTrafficLoader, rates_too_small_to_draw_gaps_for_are_refused) {
  const auto flow = [](const std::string& rate) {
    return rest_error("mesh_traffic: [{name: a, rate: " + rate + "}]\n");
  };
  const auto chi = [](const std::string& rate) {
    return rest_error("chi_traffic: [{name: a, ranges: [{size: 4 KiB}], rate: " + rate + "}]\n");
  };
  for (const char* rate : {"1e-9", "1"}) {
    EXPECT_EQ(flow(rate), "no error");
    EXPECT_EQ(chi(rate), "no error");
  }
  for (const char* rate : {"0", "1e-10", "1e-18", "-1", "1.1"}) {
    EXPECT_THAT(flow(rate),
                AllOf(HasSubstr("s.yaml:10:"), HasSubstr("mesh_traffic[0].rate"), HasSubstr("1e-09 ... 1")));
    EXPECT_THAT(chi(rate), AllOf(HasSubstr("s.yaml:10:"), HasSubstr("chi_traffic[0].rate"), HasSubstr("1e-09 ... 1")));
  }
}

}  // namespace
}  // namespace pmufab::scenario::mesh_traffic_loader_test
