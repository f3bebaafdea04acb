// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/cmn/description/layout.h"
#include "models/cmn/description/topology.h"
#include "models/cmn/mesh.h"
#include "models/cmn/nodes/gateway/gateway.h"
#include "models/cmn/nodes/nodes.h"
#include "models/cmn/nodes/requester/operation_source.h"
#include "models/cmn/standard_devices.h"
#include "testbench/fabrics/cmn/judge/cmn_judge.h"
#include "testbench/fabrics/cmn/judge/nodes/node_events.h"
#include "testbench/fabrics/cmn/tests/model/pmu/cmn_driver.h"
#include "testbench/judge/scoreboard.h"
#include "testbench/support/initiator.h"
#include "testbench/support/simulation_test.h"

namespace pmufab::scoreboard::test {

/// The names of the devices at port 0 and port 1 of a crosspoint.
using Tile = std::pair<const char*, const char*>;

inline cmn::Topology topology_of(cmn::Product product, unsigned revision, unsigned columns,
                                 const std::vector<Tile>& tiles) {
  cmn::Topology topology;
  topology.product = product;
  topology.revision = revision;
  topology.columns = columns;
  topology.rows = static_cast<unsigned>(tiles.size()) / columns;
  topology.base = 0;
  for (const auto& [first, second] : tiles)
    topology.crosspoints.push_back(
        {.ports = {*cmn::standard_port(product, first), *cmn::standard_port(product, second)}, .nodes = {}});
  return topology;
}

/// The judge's view of a mesh, as scenarios make it.
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
  const auto axi = [](const cmn::AxiParameters& parameters) {
    return ReferenceAxiParameters{parameters.ar_period, parameters.aw_period, parameters.w_period,
                                  parameters.read_latency, parameters.write_latency};
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

/// The high word of a home's event select: the places of its filters, before CMN S3 r2 and since.
inline std::uint32_t filter_word(NodeFilter filter, unsigned code, unsigned second, WatchpointLayout layout) {
  static const std::map<NodeFilter, std::pair<unsigned, unsigned>> places = {
      {NodeFilter::occupancy, {0, 0}},  {NodeFilter::qos_class, {3, 4}},  {NodeFilter::hbt_lbt, {5, 6}},
      {NodeFilter::sn_home, {7, 8}},    {NodeFilter::busy, {10, 10}},     {NodeFilter::virtual_channel, {14, 14}},
      {NodeFilter::enhanced, {16, 16}}, {NodeFilter::evict_state, {6, 6}}};
  const auto place = places.find(filter);
  if (place == places.end()) return 0;
  const auto [before, since] = place->second;
  return code << (layout == WatchpointLayout::s3_r2 ? since : before) | second << 20U;
}

/// Numbers of codes of an event's filter, and of its second one.
inline std::pair<unsigned, unsigned> codes_of(NodeFilter filter, bool hn_s, bool r2) {
  if (filter == NodeFilter::none || filter == NodeFilter::dvm_occupancy) return {1, 1};
  if (filter == NodeFilter::occupancy) return {r2 ? 12U : hn_s ? 8U : 5U, 1};
  if (filter == NodeFilter::qos_class) return {4, 1};
  if (filter == NodeFilter::enhanced || filter == NodeFilter::busy) return {7, 1};
  return {3, filter == NodeFilter::evict_state ? 7 : 1};
}

inline bool among(unsigned number, std::initializer_list<unsigned> numbers) {
  return std::ranges::find(numbers, number) != numbers.end();
}

/// What a requester can do.
inline std::vector<cmn::OperationKind> kinds_of(const cmn::Nodes::Requester& requester, bool with_dvm) {
  std::vector<cmn::OperationKind> kinds;
  for (unsigned kind = 0; kind < cmn::kOperationKinds; ++kind) {
    const auto one = static_cast<cmn::OperationKind>(kind);
    const bool is_dvm = one == cmn::OperationKind::dvm_operation || one == cmn::OperationKind::dvm_sync;
    if (requester.model->can(one) && (with_dvm || !is_dvm)) kinds.push_back(one);
  }
  return kinds;
}

/// Gives a requester random operations, while there are any.
class RandomOperations final : public cmn::OperationSource {
 public:
  using Draw = std::function<cmn::Operation(std::mt19937& random)>;
  static std::uint64_t pick(std::mt19937& random, std::uint64_t below) {
    return std::uniform_int_distribution<std::uint64_t>(0, below - 1)(random);
  }
  /// An operation with all that is not its address at random.
  static cmn::Operation any(std::mt19937& random, cmn::OperationKind kind) {
    cmn::Operation operation;
    operation.kind = kind;
    operation.qos = static_cast<std::uint8_t>(pick(random, 16));
    operation.allocate = pick(random, 2) != 0;
    operation.size = static_cast<std::uint8_t>(pick(random, 7));
    operation.lpid = static_cast<std::uint8_t>(pick(random, 32));
    operation.variant = static_cast<std::uint8_t>(pick(random, 8));
    return operation;
  }

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

/// A mesh with all its nodes and its judge.
struct NodesRig {
  /// @param links   of its first gateways, which link() joins to another mesh's
  /// @param number  of the mesh
  NodesRig(cmn::Topology mesh_topology, const cmn::NodeParameters& nodes_parameters, WatchpointLayout product,
           const cmn::MeshOptions& options = {}, const std::vector<cmn::LinkParameters>& links = {},
           unsigned number = 0)
      : topology((cmn::check(mesh_topology), std::move(mesh_topology))),
        mesh(fmt::format("cmn{}", number).c_str(), topology, options),
        cpu(fmt::format("cpu{}", number).c_str()),
        nodes(mesh, nodes_parameters),
        judge(board.add(std::make_unique<CmnJudge>(
            linked(judge_spec(topology, options, nodes_parameters, product), mesh.layout(), links),
            board.chronicle()))) {
    cpu.socket.bind(mesh.config_space().socket);
    mesh.set_observer(&judge);
    const std::vector<std::uint16_t> ids = cmn::gateways_of(mesh.layout());
    for (std::size_t i = 0; i < links.size(); ++i)
      gateways.push_back(std::make_unique<cmn::Gateway>(mesh, ids.at(i), links[i]));
  }
  /// Join the gateways of two meshes, the first with the first, and so on.
  static void link(NodesRig& one, NodesRig& other) {
    std::vector<std::uint16_t> ids = cmn::gateways_of(one.mesh.layout());
    std::vector<std::uint16_t> other_ids = cmn::gateways_of(other.mesh.layout());
    ids.resize(one.gateways.size());
    other_ids.resize(one.gateways.size());
    one.nodes.link(ids, other.nodes.addresses());
    other.nodes.link(other_ids, one.nodes.addresses());
    for (std::size_t i = 0; i < one.gateways.size(); ++i) {
      cmn::Gateway::connect(*one.gateways[i], *other.gateways.at(i));
      CmnJudge::link(one.judge, ids[i], other.judge, other_ids.at(i));
    }
    one.peer = &other;
    other.peer = &one;
  }
  static CmnJudgeSpec linked(CmnJudgeSpec spec, const cmn::Layout& layout,
                             const std::vector<cmn::LinkParameters>& links) {
    const std::vector<std::uint16_t> ids = cmn::gateways_of(layout);
    for (std::size_t i = 0; i < links.size(); ++i) {
      const cmn::LinkParameters& parameters = links[i];
      spec.links.push_back({ids.at(i), parameters.latency, parameters.cycles_per_flit, parameters.flit_bytes,
                            parameters.link_credits, parameters.rht_entries, parameters.reqtrk_entries,
                            parameters.write_buffers, parameters.node_latency});
    }
    return spec;
  }
  /// Let each requester draw its operations at random.
  void feed(double rate, const std::function<RandomOperations::Draw(const cmn::Nodes::Requester&)>& draw) {
    for (const cmn::Nodes::Requester& requester : nodes.requesters()) {
      sources.push_back(
          std::make_unique<RandomOperations>(static_cast<unsigned>(sources.size() + 1), rate, draw(requester)));
      requester.model->set_source(sources.back().get());
    }
  }
  /// This many more operations of each requester, including the other mesh's. Then run until all is at rest.
  void work(unsigned operations) {
    give(operations);
    if (peer != nullptr) peer->give(operations);
    const Picoseconds step = 1'000'000;
    for (int i = 0; i < 1000; ++i) {
      pmufab::testing::advance(step);
      if (is_idle() && (peer == nullptr || peer->is_idle())) return;
    }
    ADD_FAILURE() << "the mesh does not come to rest: " << nodes.pending() << " transactions are left";
  }
  void give(unsigned operations) {
    for (std::size_t i = 0; i < sources.size(); ++i) {
      sources[i]->left += operations;
      nodes.requesters()[i].model->ask(0);
    }
  }
  [[nodiscard]] bool is_idle() const {
    bool idle = nodes.pending() == 0;
    for (const auto& source : sources) idle = idle && source->left == 0;
    for (const auto& gateway : gateways) idle = idle && gateway->pending() == 0;
    return idle;
  }
  /// An event that is counted, as by software, at all nodes of a type and at a single one.
  struct Check {
    pmufab::testing::CmnDriver::Event together;
    pmufab::testing::CmnDriver::Event single;
    std::unique_ptr<EventTruth> truth_together;
    std::unique_ptr<EventTruth> truth_single;
    Mark begin_together;
    Mark begin_single;
  };
  /// Start counting. The PMU is off, and is switched on.
  /// @param word  the high half of the event selects
  Check begin_check(cmn::NodeType type, unsigned id, unsigned filter, unsigned filter2, std::uint32_t word) {
    const auto number = static_cast<unsigned>(type);
    const std::vector<unsigned> all = driver.find(number);
    const unsigned chosen = all.at(turn++ % all.size());
    const EventTerms terms{{"type", number}, {"eventid", id}, {"filter", filter}, {"filter2", filter2}};
    EventTerms alone = terms;
    alone.insert(alone.end(), {{"bynodeid", 1}, {"nodeid", driver.nodes()[chosen].id}});
    Check check;
    check.together = driver.open(all, id, word);
    check.single = driver.open({chosen}, id, word);
    driver.enable(true);
    PmuJudge& pmu = *judge.pmus().front();
    check.truth_together = pmu.truth(terms);
    check.truth_single = pmu.truth(alone);
    const Picoseconds begin = pmufab::testing::now();
    check.begin_together = check.truth_together->mark(begin);
    check.begin_single = check.truth_single->mark(begin);
    return check;
  }
  /// Stop, and compare. @return what was counted
  std::uint64_t end_check(Check& check) {
    driver.enable(false);
    const Picoseconds end = pmufab::testing::now();
    const std::uint64_t expected = check.truth_together->count({check.begin_together, check.truth_together->mark(end)});
    const std::uint64_t expected_single =
        check.truth_single->count({check.begin_single, check.truth_single->mark(end)});
    EXPECT_EQ(driver.close(check.together), expected) << check.truth_together->text();
    EXPECT_EQ(driver.close(check.single), expected_single) << check.truth_single->text();
    return expected;
  }
  /// Count an event while requesters are busy, and compare. @return the count
  std::uint64_t check_event(cmn::NodeType type, unsigned id, unsigned filter, unsigned filter2, std::uint32_t word,
                            unsigned operations) {
    Check check = begin_check(type, id, filter, filter2, word);
    work(operations);
    return end_check(check);
  }
  /// check_event(). If traffic does not ensure a count above zero, rare events get more traffic.
  /// @param may_be_zero  the rules or the mesh do not guarantee that the event happens
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
  pmufab::testing::Initiator cpu;
  pmufab::testing::CmnDriver driver{cpu};
  cmn::Nodes nodes;
  Scoreboard board;
  CmnJudge& judge;
  std::vector<std::unique_ptr<cmn::Gateway>> gateways;
  NodesRig* peer = nullptr;
  std::vector<std::unique_ptr<RandomOperations>> sources;
  unsigned turn = 0;  // of the node whose event is counted by itself
};

}  // namespace pmufab::scoreboard::test
