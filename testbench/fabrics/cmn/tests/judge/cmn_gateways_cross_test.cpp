// SPDX-License-Identifier: Apache-2.0
// Gateways and the link between two meshes, and the judge's references of them: two independent models of
// docs/cmn-nodes.md, under random traffic in both directions. They must agree on every message, on the mesh and on the
// link, on every event at every gateway, and on the homes' events for requests to and from the other mesh.
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "models/cmn/standard_devices.h"
#include "testbench/fabrics/cmn/tests/judge/cmn_nodes_rig.h"

namespace pmufab::scoreboard::test::cmn_gateways_cross_test {
namespace {

using cmn::NodeType;
using cmn::OperationKind;
using cmn::Product;

constexpr std::uint64_t kOtherMesh = std::uint64_t{1} << 47U;

struct Kind {
  Product product;
  unsigned revision;
  const char* home;
  const char* gateway;
  const char* other_gateway;
  WatchpointLayout layout;
  std::uint64_t frequency;
};
struct Case {
  const char* name;
  unsigned links;  ///< gateways that are linked
  Kind kinds[2];
};

/// Three columns, two rows: two homes and an unused one, two gateways, two RN-Fs, RN-I and RN-D.
cmn::Topology topology(const Kind& kind) {
  cmn::Topology made = topology_of(kind.product, kind.revision, 3,
                                   {{"RN-F", kind.home},
                                    {"RN-F", kind.home},
                                    {kind.gateway, "HN-D"},
                                    {"RN-I", "SN-F"},
                                    {kind.other_gateway, "SN-F"},
                                    {"RN-D", kind.home}});
  made.frequency_hz = kind.frequency;
  // The last home has no lines, not even for gateways.
  made.crosspoints.back().ports[1].nodes.at(0).isolated = true;
  return made;
}

/// Small structures everywhere, but more POCQ entries than a mesh's RN-Fs have requests for the other mesh: rule 5.5.
cmn::NodeParameters scarce() {
  return {.rn_f = {.cache_sets = 8, .cache_ways = 2, .outstanding = 4},
          .home = {.slc_sets = 4, .slc_ways = 2, .sf_sets = 4, .sf_ways = 3, .pocq_entries = 9},
          .rn_i = {.rrt_entries = 8, .wrt_entries = 8}};
}

std::vector<cmn::LinkParameters> links(unsigned number) {
  const cmn::LinkParameters narrow{.latency = 13'100,
                                   .cycles_per_flit = 2,
                                   .flit_bytes = 16,
                                   .link_credits = 7,
                                   .rht_entries = 7,
                                   .reqtrk_entries = 5,
                                   .node_latency = 5,
                                   .write_buffers = 2};
  const cmn::LinkParameters wide{.latency = 900,
                                 .flit_bytes = 64,
                                 .link_credits = 3,
                                 .rht_entries = 5,
                                 .reqtrk_entries = 3,
                                 .node_latency = 1,
                                 .write_buffers = 3};
  if (number == 1) return {narrow};
  return {narrow, wide};
}

RandomOperations::Draw any_operation(const cmn::Nodes::Requester& requester) {
  return [kinds = kinds_of(requester, false), kind = OperationKind{},
          following = std::uint64_t{0}](std::mt19937& random) mutable {
    const auto pick = [&](std::uint64_t below) { return RandomOperations::pick(random, below); };
    if (following == 0 || pick(2) == 0) kind = kinds[pick(kinds.size())];
    cmn::Operation operation = RandomOperations::any(random, kind);
    following = pick(3) != 0 ? following + 1 : pick(48);  // runs of lines, for chains of requests
    operation.address = following % 48 * 64;
    // For the RN-F these end before their POCQ entry is free, so there may be as many as the POCQ has entries (rule
    // 5.5).
    const bool outlives = operation.kind == OperationKind::stash_shared ||
                          operation.kind == OperationKind::stash_unique ||
                          operation.kind == OperationKind::atomic_store;
    if (!outlives && pick(3) != 0) operation.address |= kOtherMesh;
    return operation;
  };
}

class CmnGateways : public pmufab::testing::SimulationTest, public ::testing::WithParamInterface<Case> {
 protected:
  CmnGateways()
      : a(topology(GetParam().kinds[0]), scarce(), GetParam().kinds[0].layout, {}, links(GetParam().links), 0),
        b(topology(GetParam().kinds[1]), scarce(), GetParam().kinds[1].layout, {}, links(GetParam().links), 1) {
    NodesRig::link(a, b);
    for (NodesRig* const rig : {&a, &b}) rig->feed(0.1, any_operation);
  }
  /// Count an event at both meshes, if they have it, and compare.
  void check(NodeType type, unsigned id, unsigned code, unsigned second, std::uint32_t word, bool may_be_zero) {
    constexpr unsigned kRounds = 12;  // for rare events, and for what a sum of sizes keeps for its next time
    const bool is_sum = type == NodeType::ccla && among(id, {0x23, 0x24});
    std::uint64_t counted = 0;
    for (unsigned round = 0; round < kRounds; ++round) {
      std::vector<std::pair<NodesRig*, NodesRig::Check>> checks;
      for (const unsigned mesh : {0U, 1U}) {
        NodesRig& rig = mesh == 0 ? a : b;
        if (rig.driver.find(static_cast<unsigned>(type)).empty()) continue;
        if (!find_node_event(static_cast<std::uint64_t>(type), id, 0, 0, GetParam().kinds[mesh].layout)) continue;
        checks.emplace_back(&rig, rig.begin_check(type, id, code, second, word));
      }
      if (checks.empty()) return;
      a.work(round == 0 && !is_sum ? 25 : 100);
      for (auto& [rig, check] : checks) counted += rig->end_check(check);
      if (!is_sum && (counted != 0 || may_be_zero)) return;
    }
    EXPECT_NE(counted, 0U) << fmt::format("{} {:#x}, filter {}, {}: a check of nothing", node_type_name(type), id, code,
                                          second);
  }
  void expect_no_failures() {
    for (NodesRig* const rig : {&a, &b}) {
      rig->board.finish();
      EXPECT_EQ(rig->board.findings().failures(), 0U) << rig->findings();
    }
  }

  NodesRig a;
  NodesRig b;
};

TEST_P(CmnGateways, do_as_the_reference_gateways_do) {
  run([&] {
    a.work(1500);
    expect_no_failures();
  });
}

/// Events that these meshes may leave at zero, because nothing is certain to hold flits.
bool may_be_zero(NodeType type, unsigned id, const Case& one) {
  switch (type) {
    case NodeType::cxra:
    case NodeType::ccra:
      // With two gateways, neither has the line after one of its own: no req_chains, req_chain_avglen.
      if (one.links != 1 && among(id & 0x3fU, {0x07, 0x08})) return true;
      // The same is true for HN-S, if there are two.
      if (one.kinds[0].home == std::string("HN-S") && id == 0x48) return true;
      return among(id & 0x3fU, {0x11, 0x12});  // external_chirsp_stalls, external_chidat_stalls
    case NodeType::cxha:
    case NodeType::ccha:
      return among(id & 0x3fU, {0x22, 0x23});  // chirsp_up_stall, chidat_up_stall
    case NodeType::rn_i:
      return id == 0x0b;  // wrcancel_sent: only I/O takes it
    default:
      return false;
  }
}

// contract A30
// contract A31
TEST_P(CmnGateways, count_what_the_reference_gateways_count_together_and_each) {
  run([&] {
    for (NodesRig* const rig : {&a, &b}) ASSERT_TRUE(rig->driver.probe(rig->mesh.layout().root_offset()));
    for (const NodeType type :
         {NodeType::cxra, NodeType::cxha, NodeType::ccra, NodeType::ccha, NodeType::ccla, NodeType::rn_i}) {
      for (unsigned id = 1; id < 0x90; ++id) check(type, id, 0, 0, 0, may_be_zero(type, id, GetParam()));
    }
    expect_no_failures();
  });
}

/// Codes of an event at homes that only another mesh causes. A single mesh's homes show the other codes.
std::vector<std::pair<unsigned, unsigned>> codes_of_other_mesh(unsigned id, NodeFilter filter, bool r2) {
  if (among(id, {0x3a, 0x3b, 0x3c})) return {{0, 0}};  // requests to the other mesh
  switch (filter) {
    case NodeFilter::occupancy:
      if (!r2) return {{6, 0}};                   // lbt
      return {{6, 0}, {9, 0}, {10, 0}, {11, 0}};  // also rni, ccglcn, ccgrn
    case NodeFilter::hbt_lbt:
      return {{2, 0}};
    case NodeFilter::enhanced:
      if (id == 0x11) return {{2, 0}};          // only RN-Fs send atomics
      return {{2, 0}, {4, 0}, {5, 0}, {6, 0}};  // lbt, rni, ccglcn, ccgrn
    case NodeFilter::evict_state:
      if (id == 0x07) return {{2, 2}, {2, 4}};  // lbt; of sf_evictions en and sn, of slc_eviction mu and mn
      return {{2, 5}, {2, 6}};
    default:
      return {};
  }
}

// contract A30
// contract A31
// contract A80
// contract A81
TEST_P(CmnGateways, let_homes_tell_the_meshes_and_the_origins_of_requests_apart) {
  run([&] {
    if (GetParam().kinds[0].home != std::string("HN-S")) return;  // HN-F do not report it
    for (NodesRig* const rig : {&a, &b}) ASSERT_TRUE(rig->driver.probe(rig->mesh.layout().root_offset()));
    const WatchpointLayout layout = GetParam().kinds[0].layout;
    for (unsigned id = 1; id < 0x40; ++id) {
      if (!find_node_event(static_cast<std::uint64_t>(NodeType::hn_s), id, 0, 0, layout)) continue;
      const NodeFilter filter = node_filter(NodeType::hn_s, id, layout);
      for (const auto& [code, second] : codes_of_other_mesh(id, filter, layout == WatchpointLayout::s3_r2))
        check(NodeType::hn_s, id, code, second, filter_word(filter, code, second, layout), false);
    }
    expect_no_failures();
  });
}

/// Flits that left each crosspoint, and cycles in which one waited.
std::vector<std::uint64_t> tallies_of(const NodesRig& rig) {
  std::vector<std::uint64_t> all;
  for (unsigned xp = 0; xp < rig.mesh.layout().xps(); ++xp) {
    for (unsigned interface = 0; interface < cmn::kInterfaces; ++interface) {
      for (const cmn::Channel channel : {cmn::Channel::req, cmn::Channel::rsp, cmn::Channel::snp, cmn::Channel::dat}) {
        for (const cmn::FlitEvent event : {cmn::FlitEvent::valid, cmn::FlitEvent::stall})
          all.push_back(rig.mesh.engine().tally(xp, static_cast<cmn::Interface>(interface), channel, event));
      }
    }
  }
  return all;
}

using CmnLinkedMeshes = pmufab::testing::SimulationTest;

// In the second pair, the meshes are made and linked in the other order. With these clocks, edges of both meshes and
// arrivals fall into the same instants.
TEST_F(CmnLinkedMeshes, do_the_same_whichever_process_runs_first) {
  const auto made = [](std::uint64_t frequency, unsigned number) {
    const Kind kind{Product::cmn700, 3, "HN-S", "CCG", "CCG-RNI", WatchpointLayout::cmn700, frequency};
    const std::vector<cmn::LinkParameters> links{{.latency = 5'000, .link_credits = 3, .reqtrk_entries = 2}};
    auto rig = std::make_unique<NodesRig>(topology(kind), scarce(), kind.layout, cmn::MeshOptions{}, links, number);
    rig->feed(0.1, any_operation);
    return rig;
  };
  const auto fast = made(2'000'000'000, 0);
  const auto slow = made(1'000'000'000, 1);
  NodesRig::link(*fast, *slow);
  const auto slow_too = made(1'000'000'000, 2);
  const auto fast_too = made(2'000'000'000, 3);
  NodesRig::link(*slow_too, *fast_too);
  run([&] {
    for (const auto& rig : {&slow_too, &fast_too}) (*rig)->give(60);
    fast->work(60);
    while (!slow_too->is_idle() || !fast_too->is_idle()) pmufab::testing::advance(1'000'000);
    EXPECT_EQ(tallies_of(*fast), tallies_of(*fast_too));
    EXPECT_EQ(tallies_of(*slow), tallies_of(*slow_too));
    EXPECT_GT(fast->mesh.delivered(), 1'000U);
    // What crosses a link must find the other mesh at the same time.
    EXPECT_EQ(fast->mesh.cycles_ahead(), 0U);
  });
}

INSTANTIATE_TEST_SUITE_P(
    Meshes, CmnGateways,
    ::testing::Values(Case{"cmn700",
                           2,
                           {{Product::cmn700, 3, "HN-S", "CCG", "CCG-RNI", WatchpointLayout::cmn700, 2'000'000'000},
                            {Product::cmn700, 2, "HN-F", "CCG-RNI", "CCG", WatchpointLayout::cmn700, 1'600'000'000}}},
                      Case{"cmn600",
                           1,
                           {{Product::cmn600, 5, "HN-F", "CXRH", "CXRH", WatchpointLayout::cmn600, 1'800'000'000},
                            {Product::cmn650, 3, "HN-F", "CXRH", "CXRH", WatchpointLayout::cmn650, 2'000'000'000}}},
                      Case{"s3",
                           1,
                           {{Product::s3, 3, "HN-S", "CCG", "CCG-RNI", WatchpointLayout::s3_r2, 2'000'000'000},
                            {Product::s3, 3, "HN-S", "CCG", "CCG", WatchpointLayout::s3_r2, 1'700'000'000}}}),
    [](const auto& made) { return std::string(made.param.name); });

}  // namespace
}  // namespace pmufab::scoreboard::test::cmn_gateways_cross_test
