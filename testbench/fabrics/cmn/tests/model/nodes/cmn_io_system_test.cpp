// SPDX-License-Identifier: Apache-2.0
// I/O nodes among all other nodes of a mesh: every operation ends, whatever is full, and counts agree with the wires.

#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "models/cmn/nodes/nodes.h"
#include "testbench/fabrics/cmn/tests/model/nodes/cmn_io_rig.h"
#include "testbench/traffic/random_stream.h"

namespace pmufab {
namespace {

using cmn::Channel;
using cmn::FlitEvent;
using cmn::Interface;
using cmn::Operation;
using cmn::OperationKind;
using testing::CmnDriver;
using testing::IoRig;
using testing::ListSource;

using CmnIoSystem = testing::SimulationTest;

constexpr std::uint64_t kRegion = std::uint64_t{1} << 44;

/// Small trackers cause retries everywhere.
cmn::NodeParameters narrow() {
  cmn::NodeParameters parameters;
  parameters.io_home = {.rrt_entries = 3, .rdt_entries = 2, .wdb_entries = 1, .axi = {.ar_period = 3, .w_period = 2}};
  parameters.dvm_node.trk_entries = 2;
  parameters.dvm_node.snoop_limit = 1;
  parameters.sbsx = {.entries = 2, .wdb_entries = 1, .axi = {.ar_period = 5, .aw_period = 4}};
  parameters.mtsx = {.entries = 2, .tc_sets = 2, .tc_ways = 2};
  parameters.rn_i = {.rrt_entries = 5, .wrt_entries = 4};
  return parameters;
}

struct SystemRig : IoRig {
  SystemRig(cmn::Product product, const cmn::NodeParameters& parameters) : IoRig(product), nodes(mesh, parameters) {}

  /// This many random operations for every requester.
  void load(unsigned operations, std::uint64_t seed) {
    traffic::RandomStream random(seed);
    const bool has_mtsx = addresses.has(cmn::Region::mtsx);
    for (const cmn::Nodes::Requester& requester : nodes.requesters()) {
      auto source = std::make_unique<ListSource>();
      for (unsigned i = 0; i < operations;) {
        Operation one;
        one.kind = static_cast<OperationKind>(random.below(cmn::kOperationKinds));
        if (!requester.model->can(one.kind)) continue;
        const bool is_io = one.kind == OperationKind::read_no_snp || one.kind == OperationKind::write_no_snp_full ||
                           one.kind == OperationKind::write_no_snp_ptl;
        one.address = is_io ? 4 * kRegion + random.below(64) * 1024
                            : random.below(has_mtsx ? 3 : 2) * kRegion + random.below(512) * 64;
        if (one.kind == OperationKind::dvm_operation) one.address = random.below(4) << 11;
        if (one.kind == OperationKind::dvm_sync) one.address = std::uint64_t{4} << 11;
        one.size = static_cast<std::uint8_t>(3 + random.below(4));
        one.lpid = static_cast<std::uint8_t>(random.below(8));
        one.cancel = random.below(3) == 0;
        source->left.push_back(one);
        ++i;
      }
      requester.model->set_source(source.get());
      requester.model->ask(soon());
      sources.push_back(std::move(source));
    }
  }
  [[nodiscard]] std::uint64_t done() const {
    std::uint64_t sum = 0;
    for (const auto& source : sources) sum += source->done.size();
    return sum;
  }

  cmn::Nodes nodes;
  std::vector<std::unique_ptr<ListSource>> sources;
};

TEST_F(CmnIoSystem, everything_that_begins_ends) {
  SystemRig rig(cmn::Product::cmn700, narrow());
  run([&] {
    rig.load(400, 1);
    rig.pass(400'000);
    EXPECT_EQ(rig.done(), 400 * rig.sources.size());
    EXPECT_EQ(rig.nodes.pending(), 0U);
    EXPECT_EQ(rig.mesh.delivered(), rig.mesh.uploaded());
  });
}

TEST_F(CmnIoSystem, everything_that_begins_ends_on_cmn600) {
  SystemRig rig(cmn::Product::cmn600, narrow());
  run([&] {
    rig.load(400, 2);
    rig.pass(400'000);
    EXPECT_EQ(rig.done(), 400 * rig.sources.size());
    EXPECT_EQ(rig.nodes.pending(), 0U);
  });
}

TEST_F(CmnIoSystem, flits_a_requester_counts_are_those_of_its_port) {
  SystemRig rig(cmn::Product::cmn700, narrow());
  run([&] {
    ASSERT_TRUE(rig.probe());
    const std::vector<unsigned> node = rig.driver.find(0xa, rig.id(4, 1));
    const std::vector<unsigned> xp = rig.driver.find(CmnDriver::kXp, rig.mesh.layout().xp(4).node_id);
    auto requests = rig.driver.open(node, 0x06);
    auto sent = rig.driver.open(node, 0x05);
    auto received = rig.driver.open(node, 0x04);
    CmnDriver::Watch watch;
    watch.port = 1;
    watch.channel = static_cast<unsigned>(Channel::req);
    auto seen = rig.driver.open(xp, watch);
    rig.load(300, 3);
    rig.pass(400'000);
    EXPECT_EQ(rig.nodes.pending(), 0U);
    const std::uint64_t count = rig.driver.close(requests);
    EXPECT_GT(count, 300U) << "some were sent again";
    EXPECT_EQ(rig.driver.close(seen), count);
    EXPECT_EQ(rig.driver.close(received), rig.mesh.engine().tally(4, Interface::port1, Channel::dat, FlitEvent::valid));
    EXPECT_GT(rig.driver.close(sent), 0U);
  });
}

}  // namespace
}  // namespace pmufab
