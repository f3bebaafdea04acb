// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "models/cmn/wire/mesh_observer.h"
#include "testbench/fabrics/cmn/judge/cmn_node_ids.h"
#include "testbench/fabrics/cmn/judge/nodes/node_events.h"
#include "testbench/fabrics/cmn/judge/nodes/reference_node.h"
#include "testbench/judge/exact_clock.h"
#include "testbench/judge/pmu_judge.h"
#include "testbench/judge/queue.h"

namespace pmufab::scoreboard {

class ReferenceGateway;

/// The reference nodes of a mesh. Passes them, in order, what arrives and what they send.
///
/// A flit transmitted down a port in cycle c arrives in cycle c + link_delay + 1. It is passed on when that cycle has
/// begun, before anything else of that cycle and of later ones.
class ReferenceNodes final : public ReferenceSurroundings {
 public:
  /// @param spec  it and chronicle must outlive the nodes
  ReferenceNodes(const CmnJudgeSpec& spec, Chronicle& chronicle);
  ~ReferenceNodes() override;

  [[nodiscard]] bool watches(std::uint16_t node_id) const {
    return node_id < by_id_.size() && !by_id_[node_id].empty();
  }

  /// The mesh's cycle at this instant begins.
  void begin_cycle(Picoseconds when);
  /// A flit leaves the mesh for its target node.
  void transmitted(Picoseconds when, cmn::Channel channel, const cmn::FlitFields& fields);
  /// A flit enters the mesh.
  void uploaded(Picoseconds when, cmn::Channel channel, const cmn::FlitFields& fields);
  void held(Picoseconds when, std::uint16_t node_id, cmn::Channel channel);
  /// A gateway sends or takes a CXS flit.
  void link_flit(Picoseconds when, std::uint16_t node_id, bool sent, const cmn::LinkFlit& flit);
  /// Set the gateway of another mesh to which a gateway, linked by the specification, is linked.
  void link(std::uint16_t gateway, ReferenceNodes& other, std::uint16_t other_gateway);
  /// Process everything before `when`, including cycles that begin at `when` and have begun already.
  void advance_before(Picoseconds when);
  void finish(Picoseconds when);

  /// @return the number of cycles that began before `when`
  [[nodiscard]] cmn::Cycle cycles_before(Picoseconds when) const {
    if (when != asked_) {
      asked_ = when;
      before_asked_ = clock_.edges_in(0, when);
    }
    return before_asked_;
  }
  /// @return the sources with events of a type, at one node id or at all software sees.
  [[nodiscard]] std::vector<const NodeCounts*> sources(cmn::NodeType type, std::optional<std::uint16_t> node) const;

  /// An event happened `amount` times at once at the source of that type of a node.
  /// @param event  its codes are those of all occurrences
  void fire(std::uint16_t node, const NodeEventChoice& event, std::uint64_t amount);

  // Calls by nodes.
  [[nodiscard]] const CmnJudgeSpec& spec() const override { return spec_; }
  [[nodiscard]] const CmnAddresses& addresses() const override { return addresses_; }
  [[nodiscard]] Picoseconds time_of(cmn::Cycle cycle) const override { return clock_.time_of(cycle); }
  [[nodiscard]] cmn::Cycle cycle_from(Picoseconds when) const override { return cycles_before(when); }
  void wake_at(cmn::Cycle when, unsigned node) override {
    wakes_.emplace_back(std::max(when, done_), node);
    std::push_heap(wakes_.begin(), wakes_.end(), std::greater<>());
  }
  [[nodiscard]] cmn::DeviceType device_at(std::uint16_t node_id) const override;
  void fail(const std::string& kind, const std::string& text) override;

 private:
  /// Most ids have one node, which needs no memory of its own.
  using NodesOfId = boost::container::small_vector<ReferenceNode*, 1>;
  struct Arrival {
    cmn::Cycle due;
    cmn::Channel channel;
    cmn::FlitFields fields;
  };
  void make(const CmnNode& node);
  void make_gateway(const CmnNode& node);
  template <typename Node, typename... Arguments>
  void add(const CmnNode& node, Arguments&&... arguments);
  [[nodiscard]] bool has_work() const { return !arrivals_.empty() || !wakes_.empty(); }
  /// Let memory bring what a watched node will read when a flit arrives.
  void prepare(cmn::Channel channel, const cmn::FlitFields& fields, bool leaves_mesh);
  /// Process all cycles before `end`.
  void advance(cmn::Cycle end);
  void work(cmn::Cycle now);
  void wake(cmn::Cycle now);

  const CmnJudgeSpec& spec_;
  Chronicle& chronicle_;
  CmnNodeIds ids_;
  CmnAddresses addresses_;
  ExactClock clock_;
  mutable Picoseconds asked_ = 0;        // when cycles_before() was asked for last: many calls come at one instant
  mutable cmn::Cycle before_asked_ = 0;  // its answer
  std::vector<std::unique_ptr<ReferenceNode>> nodes_;
  std::vector<NodesOfId> by_id_;                         // nodes with a node id
  std::map<std::uint16_t, ReferenceGateway*> gateways_;  // by node id
  Queue<Arrival> arrivals_;                              // in order of `due`
  std::vector<std::pair<cmn::Cycle, unsigned>> wakes_;   // a heap: the earliest first, and which node
  std::vector<unsigned> woken_;                          // nodes of one cycle, kept for its memory
  cmn::Cycle done_ = 0;                                  // cycles before this one are processed
};

}  // namespace pmufab::scoreboard
