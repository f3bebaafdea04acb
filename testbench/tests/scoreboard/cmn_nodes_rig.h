#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

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
                               const cmn::HomeParameters& home, WatchpointLayout product) {
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
  spec.home = {home.slc_sets, home.slc_ways, home.sf_sets, home.sf_ways, home.pocq_entries, home.forwarding};
  for (const cmn::Crosspoint& crosspoint : topology.crosspoints) {
    spec.ports_in_use.push_back(cmn::used_ports(crosspoint));
    std::vector<cmn::DeviceType>& devices = spec.devices.emplace_back();
    for (const cmn::Port& port : crosspoint.ports) devices.push_back(port.device);
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
        judge(board.add(std::make_unique<CmnJudge>(judge_spec(topology, options, nodes_parameters.home, product),
                                                   board.chronicle()))) {
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
};

}  // namespace pmufab::scoreboard::test
