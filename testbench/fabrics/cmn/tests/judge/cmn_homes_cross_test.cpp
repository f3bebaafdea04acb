// SPDX-License-Identifier: Apache-2.0
// Home nodes and the judge's reference homes: two independent models of docs/cmn-nodes.md, under random traffic. They
// must agree on every message, and on every event at every home.
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "models/cmn/standard_devices.h"
#include "testbench/fabrics/cmn/tests/judge/cmn_nodes_rig.h"

namespace pmufab::scoreboard::test::cmn_homes_cross_test {
namespace {

using cmn::Product;

/// Three columns, two rows: four homes, four RN-Fs, two SN-Fs, HN-D.
cmn::Topology small(Product product, unsigned revision, const char* home, unsigned snoop_channels = 1) {
  const std::vector<Tile> tiles{{"RN-F", home}, {"RN-F", home},   {"SN-F", "HN-D"},
                                {"RN-F", home}, {"RN-F", "SN-F"}, {home, "SN-F"}};
  cmn::Topology topology = topology_of(product, revision, 3, tiles);
  topology.channels.snp = snoop_channels;
  return topology;
}

cmn::NodeParameters scarce() {
  return {.rn_f = {.cache_sets = 8, .cache_ways = 2, .outstanding = 16},
          .sn_f = {.entries = 3},
          .home = {.slc_sets = 4, .slc_ways = 2, .sf_sets = 4, .sf_ways = 3, .pocq_entries = 5}};
}

RandomOperations::Draw any_operation(const cmn::Nodes::Requester& requester, std::uint64_t lines) {
  return [kinds = kinds_of(requester, false), lines](std::mt19937& random) {
    const auto pick = [&](std::uint64_t below) { return RandomOperations::pick(random, below); };
    cmn::Operation operation = RandomOperations::any(random, kinds[pick(pick(2) == 0 ? kinds.size() : 5)]);
    operation.has_target = pick(4) != 0;
    constexpr std::uint16_t kRnFs[] = {0x00, 0x20, 0x08, 0x28};
    operation.target = kRnFs[pick(4)];
    operation.address = pick(lines) * 64;
    return operation;
  };
}

struct Case {
  const char* name;
  Product product;
  unsigned revision;
  const char* home;
  WatchpointLayout layout;
  unsigned snoop_channels = 1;
};

class CmnHomes : public pmufab::testing::SimulationTest, public ::testing::WithParamInterface<Case> {};

/// Events that this mesh may leave at zero. It has no RN-I and no gateway, and nothing is certain to hold flits.
bool may_be_zero(unsigned id, NodeFilter filter, unsigned code, unsigned second) {
  if (among(id, {0x14, 0x15})) return true;        // txdat_stall, txrsp_stall
  if (among(id, {0x3a, 0x3b, 0x3c})) return true;  // requests to the other mesh
  switch (filter) {
    case NodeFilter::none:
    case NodeFilter::dvm_occupancy:
    case NodeFilter::qos_class:
    case NodeFilter::virtual_channel:
    case NodeFilter::busy:
      return false;
    case NodeFilter::occupancy:
      return among(code, {5, 6, 9, 10, 11});  // 5 is not a code; lbt, rni, ccglcn, ccgrn
    case NodeFilter::hbt_lbt:
    case NodeFilter::sn_home:
      return code == 2;  // lbt, home
    case NodeFilter::enhanced:
      return among(code, {2, 4, 5, 6});  // lbt, rni, ccglcn, ccgrn
    case NodeFilter::evict_state:
      // sf_evictions has states en and sn, slc_eviction mu and mn (rule 9).
      return code == 2 || (id == 0x07 ? !among(second, {0, 2, 4}) : !among(second, {0, 5, 6}));
  }
  return false;
}

TEST_P(CmnHomes, do_as_the_reference_homes_do) {
  const Case& one = GetParam();
  NodesRig rig(small(one.product, one.revision, one.home, one.snoop_channels), scarce(), one.layout);
  run([&] {
    rig.feed(0.2, [](const cmn::Nodes::Requester& requester) { return any_operation(requester, 96); });
    rig.work(3000);
    rig.board.finish();
    EXPECT_EQ(rig.board.findings().failures(), 0U) << rig.findings();
  });
}

// contract A30
// contract A31
// contract A80
// contract A81
TEST_P(CmnHomes, count_what_the_reference_homes_count_together_and_each) {
  const Case& one = GetParam();
  const bool hn_s = std::string(one.home) == "HN-S";
  const auto type = hn_s ? cmn::NodeType::hn_s : cmn::NodeType::hn_f;
  NodesRig rig(small(one.product, one.revision, one.home, one.snoop_channels), scarce(), one.layout);
  run([&] {
    rig.feed(0.2, [](const cmn::Nodes::Requester& requester) { return any_operation(requester, 96); });
    ASSERT_TRUE(rig.driver.probe(rig.mesh.layout().root_offset()));
    unsigned counted = 0;
    for (unsigned id = 1; id < 0x40; ++id) {
      if (!find_node_event(static_cast<std::uint64_t>(type), id, 0, 0, one.layout)) continue;
      const NodeFilter filter = node_filter(type, id, one.layout);
      const auto [firsts, seconds] = codes_of(filter, hn_s, one.layout == WatchpointLayout::s3_r2);
      for (unsigned code = 0; code < firsts * seconds; ++code) {
        const std::uint32_t word = filter_word(filter, code % firsts, code / firsts, one.layout);
        rig.check_event_happens(type, id, code % firsts, code / firsts, word, 60,
                                may_be_zero(id, filter, code % firsts, code / firsts));
        ++counted;
      }
    }
    RecordProperty("events", static_cast<int>(counted));
    rig.board.finish();
    EXPECT_EQ(rig.board.findings().failures(), 0U) << rig.findings();
  });
}

INSTANTIATE_TEST_SUITE_P(Meshes, CmnHomes,
                         ::testing::Values(Case{"cmn600", Product::cmn600, 5, "HN-F", WatchpointLayout::cmn600},
                                           Case{"cmn700_hn_f", Product::cmn700, 3, "HN-F", WatchpointLayout::cmn700},
                                           Case{"cmn700_hn_s", Product::cmn700, 3, "HN-S", WatchpointLayout::cmn700},
                                           Case{"s3_r2", Product::s3, 3, "HN-S", WatchpointLayout::s3_r2, 2}),
                         [](const auto& made) { return std::string(made.param.name); });

}  // namespace
}  // namespace pmufab::scoreboard::test::cmn_homes_cross_test
