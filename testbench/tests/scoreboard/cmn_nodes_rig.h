#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "models/cmn/layout.h"
#include "models/cmn/mesh.h"
#include "models/cmn/nodes/nodes.h"
#include "models/cmn/nodes/operation_source.h"
#include "models/cmn/topology_check.h"
#include "testbench/scoreboard/cmn_judge.h"
#include "testbench/scoreboard/node_events.h"
#include "testbench/scoreboard/scoreboard.h"
#include "testbench/support/initiator.h"
#include "testbench/support/simulation_test.h"
#include "testbench/tests/models/cmn_driver.h"

namespace pmufab::scoreboard::test {

/// What the judge of a mesh must know, as scenarios tell it.
inline CmnJudgeSpec judge_spec(const cmn::Topology& topology, const cmn::MeshOptions& options,
                               const cmn::NodeParameters& nodes, WatchpointLayout product) {
  const cmn::Layout layout(topology);
  CmnJudgeSpec spec;
  spec.pmu = "arm_cmn_0";
  spec.columns = topology.columns;
  spec.rows = topology.rows;
  spec.layout = product;
  spec.multiple_dtm = topology.multiple_dtm;
  spec.clock_hz = topology.frequency_hz;
  spec.snoop_channels = topology.channels.snp;
  spec.link_delay = options.link_delay;
  const cmn::HomeParameters& home = nodes.home;
  spec.home = {home.slc_sets, home.slc_ways, home.sf_sets, home.sf_ways, home.pocq_entries, home.forwarding};
  const auto axi = [](const cmn::AxiParameters& of) {
    return ReferenceAxiParameters{of.ar_period, of.aw_period, of.w_period, of.read_latency, of.write_latency};
  };
  spec.io_home = {nodes.io_home.rrt_entries, nodes.io_home.rdt_entries, nodes.io_home.wdb_entries,
                  axi(nodes.io_home.axi)};
  spec.sbsx = {nodes.sbsx.entries, nodes.sbsx.wdb_entries, axi(nodes.sbsx.axi)};
  spec.mtsx = {nodes.mtsx.entries, nodes.mtsx.tc_sets, nodes.mtsx.tc_ways, axi(nodes.mtsx.axi)};
  spec.rn_i = {nodes.rn_i.rrt_entries, nodes.rn_i.wrt_entries};
  spec.dvm = {nodes.dvm_node.trk_entries, nodes.dvm_node.snoop_limit, nodes.dvm_node.rn_d_ops, {}};
  for (const auto& pair : nodes.dvm_node.vmid_filters) spec.dvm.vmid_filters.emplace_back(pair.node_id, pair.vmid);
  for (const cmn::Crosspoint& crosspoint : topology.crosspoints) {
    spec.ports_in_use.push_back(cmn::used_ports(crosspoint));
    std::vector<cmn::DeviceType>& devices = spec.devices.emplace_back();
    std::vector<unsigned>& counts = spec.device_counts.emplace_back();
    for (const cmn::Port& port : crosspoint.ports) {
      devices.push_back(port.device);
      counts.push_back(cmn::device_count(port));
    }
  }
  for (const cmn::NodePlace& node : layout.nodes()) {
    if (node.port != cmn::kNoPort)
      spec.nodes.push_back(
          {node.type, node.node_id, node.logical_id, node.xp, node.port, node.device, node.is_closed()});
  }
  return spec;
}

/// Gives a requester random operations, as many as there are.
class RandomOperations final : public cmn::OperationSource {
 public:
  using Draw = std::function<cmn::Operation(std::mt19937& random)>;
  RandomOperations(unsigned seed, double rate, Draw draw) : random_(seed), rate_(rate), draw_(std::move(draw)) {}

  bool next(cmn::Cycle now, cmn::Operation& operation) override {
    if (left == 0 || now < next_) return false;
    --left;
    next_ = now + 1 + std::geometric_distribution<cmn::Cycle>(rate_)(random_);
    operation = draw_(random_);
    return true;
  }
  [[nodiscard]] cmn::Cycle ready(cmn::Cycle now) const override {
    return left == 0 ? cmn::kNoCycle : std::max(now, next_);
  }
  void completed(const cmn::Operation& /*operation*/, cmn::Cycle /*began*/, cmn::Cycle /*now*/) override { ++done; }

  unsigned left = 0;
  unsigned done = 0;

 private:
  std::mt19937 random_;
  double rate_;
  Draw draw_;
  cmn::Cycle next_ = 0;
};

/// A mesh with all its nodes, judged.
struct NodesRig {
  NodesRig(cmn::Topology mesh_topology, const cmn::NodeParameters& nodes_parameters, WatchpointLayout product,
           const cmn::MeshOptions& options = {})
      : topology((cmn::check(mesh_topology), std::move(mesh_topology))),
        mesh("cmn0", topology, options),
        nodes(mesh, nodes_parameters),
        judge(board.add(
            std::make_unique<CmnJudge>(judge_spec(topology, options, nodes_parameters, product), board.chronicle()))) {
    cpu.socket.bind(mesh.config_space().socket);
    mesh.set_observer(&judge);
  }
  /// Let each requester draw its operations.
  void feed(double rate, const std::function<RandomOperations::Draw(const cmn::Nodes::Requester&)>& draw) {
    for (const cmn::Nodes::Requester& requester : nodes.requesters()) {
      sources.push_back(
          std::make_unique<RandomOperations>(static_cast<unsigned>(sources.size() + 1), rate, draw(requester)));
      requester.model->set_source(sources.back().get());
    }
  }
  /// So many more operations of each requester, until all is at rest.
  void work(unsigned operations) {
    for (std::size_t i = 0; i < sources.size(); ++i) {
      sources[i]->left += operations;
      nodes.requesters()[i].model->ask(0);
    }
    const Picoseconds step = 1'000'000;
    for (int i = 0; i < 1000; ++i) {
      pmufab::testing::advance(step);
      bool idle = nodes.pending() == 0;
      for (const auto& source : sources) idle = idle && source->left == 0;
      if (idle) return;
    }
    ADD_FAILURE() << "the mesh does not come to rest: " << nodes.pending() << " transactions are left";
  }
  /// Count an event as software does, at all nodes of a type and at one of them, while there is work, and compare.
  /// @param word  the high half of the event selects
  /// @return what was counted
  std::uint64_t check_event(cmn::NodeType type, unsigned id, unsigned filter, unsigned filter2, std::uint32_t word,
                            unsigned operations) {
    const auto number = static_cast<unsigned>(type);
    const std::vector<unsigned> all = driver.find(number);
    const unsigned chosen = all[turn++ % all.size()];
    const EventTerms terms{{"type", number}, {"eventid", id}, {"filter", filter}, {"filter2", filter2}};
    EventTerms alone = terms;
    alone.insert(alone.end(), {{"bynodeid", 1}, {"nodeid", driver.nodes()[chosen].id}});
    auto together = driver.open(all, id, word);
    auto single = driver.open({chosen}, id, word);
    driver.enable(true);
    PmuJudge& pmu = *judge.pmus().front();
    const auto truth_together = pmu.truth(terms);
    const auto truth_single = pmu.truth(alone);
    const Picoseconds begin = pmufab::testing::now();
    const Mark begin_together = truth_together->mark(begin);
    const Mark begin_single = truth_single->mark(begin);
    work(operations);
    driver.enable(false);
    const Picoseconds end = pmufab::testing::now();
    const std::uint64_t expected = truth_together->count({begin_together, truth_together->mark(end)});
    const std::uint64_t expected_single = truth_single->count({begin_single, truth_single->mark(end)});
    EXPECT_EQ(driver.close(together), expected) << truth_together->text();
    EXPECT_EQ(driver.close(single), expected_single) << truth_single->text();
    return expected;
  }
  /// check_event(); where traffic does not see to it that the count is not zero, what is rare gets more traffic, too.
  /// @param may_be_zero  the rules, or the mesh, do not let it happen for sure
  void check_event_happens(cmn::NodeType type, unsigned id, unsigned filter, unsigned filter2, std::uint32_t word,
                           unsigned operations, bool may_be_zero) {
    constexpr unsigned kMuchMore = 40;
    std::uint64_t count = check_event(type, id, filter, filter2, word, operations);
    if (count == 0 && !may_be_zero) count = check_event(type, id, filter, filter2, word, kMuchMore * operations);
    EXPECT_TRUE(count != 0 || may_be_zero)
        << fmt::format("{} {:#x}, filter {}, {}: a check of nothing", node_type_name(type), id, filter, filter2);
  }
  [[nodiscard]] std::string findings() const {
    std::string text;
    for (const Finding& finding : board.findings().list()) text += finding.kind + ": " + finding.text + "\n";
    return text;
  }

  cmn::Topology topology;
  cmn::Mesh mesh;
  pmufab::testing::Initiator cpu{"cpu"};
  pmufab::testing::CmnDriver driver{cpu};
  cmn::Nodes nodes;
  Scoreboard board;
  CmnJudge& judge;
  std::vector<std::unique_ptr<RandomOperations>> sources;
  unsigned turn = 0;  // of the node that is counted alone
};

}  // namespace pmufab::scoreboard::test
