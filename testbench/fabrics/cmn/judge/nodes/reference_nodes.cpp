// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/judge/nodes/reference_nodes.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "testbench/fabrics/cmn/judge/gateways/reference_gateway.h"
#include "testbench/fabrics/cmn/judge/homes/reference_home.h"
#include "testbench/fabrics/cmn/judge/nodes/node_events.h"
#include "testbench/fabrics/cmn/judge/nodes/reference_dvm_node.h"
#include "testbench/fabrics/cmn/judge/nodes/reference_io_home.h"
#include "testbench/fabrics/cmn/judge/nodes/reference_mtsx.h"
#include "testbench/fabrics/cmn/judge/nodes/reference_rn_i.h"
#include "testbench/fabrics/cmn/judge/nodes/reference_sbsx.h"

namespace pmufab::scoreboard {

using cmn::Channel;
using cmn::Cycle;
using cmn::FlitFields;
using cmn::NodeType;

namespace {
constexpr std::uint16_t kRawTxnId = 0xffff;  // rule 1.5

bool is_of_gateway(NodeType type) {
  using enum NodeType;
  return type == cxra || type == cxha || type == ccra || type == ccha || type == ccla || type == ccla_rni;
}

}  // namespace

ReferenceNodes::ReferenceNodes(const CmnJudgeSpec& spec, Chronicle& chronicle)
    : spec_(spec), chronicle_(chronicle), ids_(spec), addresses_(spec), clock_(spec.clock_hz) {
  for (const CmnNode& node : spec.nodes) make(node);
}

ReferenceNodes::~ReferenceNodes() = default;

template <typename Node, typename... Arguments>
void ReferenceNodes::add(const CmnNode& node, Arguments&&... arguments) {
  const auto number = static_cast<unsigned>(nodes_.size());
  nodes_.push_back(std::make_unique<Node>(node, number, *this, std::forward<Arguments>(arguments)...));
  if (node.node_id >= by_id_.size()) by_id_.resize(node.node_id + std::size_t{1});
  by_id_[node.node_id].push_back(nodes_.back().get());
}

void ReferenceNodes::make(const CmnNode& node) {
  switch (node.type) {
    case NodeType::hn_f:
    case NodeType::hn_s:
      // External and isolated homes take no part here.
      if (!node.closed) add<ReferenceHome>(node);
      break;
    case NodeType::hn_i:
    case NodeType::hn_p:
      add<ReferenceIoHome>(node);
      break;
    case NodeType::sbsx:
      add<ReferenceSbsx>(node);
      break;
    case NodeType::mtsx:
      add<ReferenceMtsx>(node);
      break;
    case NodeType::rn_i:
    case NodeType::rn_d:
      add<ReferenceRnI>(node);
      break;
    case NodeType::dvm:
      add<ReferenceDvmNode>(node);
      break;
    default:
      if (is_of_gateway(node.type)) make_gateway(node);
      break;
  }
}

void ReferenceNodes::make_gateway(const CmnNode& node) {
  if (gateways_.contains(node.node_id)) return;
  std::vector<CmnNode> parts;
  std::copy_if(spec_.nodes.begin(), spec_.nodes.end(), std::back_inserter(parts),
               [&](const CmnNode& one) { return one.node_id == node.node_id && is_of_gateway(one.type); });
  // Software may see some of its parts and not others.
  CmnNode whole = node;
  whole.closed = false;
  add<ReferenceGateway>(whole, parts);
  gateways_[node.node_id] = static_cast<ReferenceGateway*>(nodes_.back().get());
}

void ReferenceNodes::link(std::uint16_t gateway, ReferenceNodes& other, std::uint16_t other_gateway) {
  ReferenceGateway::link(*gateways_.at(gateway), *other.gateways_.at(other_gateway));
}

void ReferenceNodes::link_flit(Picoseconds when, std::uint16_t node_id, bool sent, const cmn::LinkFlit& flit) {
  const auto found = gateways_.find(node_id);
  if (found == gateways_.end()) return;
  begin_cycle(when);
  found->second->link_flit(cycles_before(when), sent, flit);
}

void ReferenceNodes::begin_cycle(Picoseconds when) {
  if (has_work()) advance(cycles_before(when) + 1);
}

void ReferenceNodes::advance_before(Picoseconds when) {
  if (has_work()) advance(cycles_before(when));
}

void ReferenceNodes::transmitted(Picoseconds when, Channel channel, const FlitFields& fields) {
  if (fields.txnid == kRawTxnId || !watches(fields.tgtid)) return;
  prepare(channel, fields, true);
  arrivals_.push_back({cycles_before(when) + spec_.link_delay + 1, cmn::channel_class(channel), fields});
}

void ReferenceNodes::prepare(Channel channel, const FlitFields& fields, bool leaves_mesh) {
  for (ReferenceNode* const node : by_id_[fields.tgtid])
    node->prepare(cmn::channel_class(channel), fields, leaves_mesh);
}

void ReferenceNodes::uploaded(Picoseconds when, Channel channel, const FlitFields& fields) {
  if (fields.txnid == kRawTxnId) return;
  if (watches(fields.tgtid)) prepare(channel, fields, false);
  if (!watches(fields.srcid)) return;
  begin_cycle(when);
  const Channel on = cmn::channel_class(channel);
  const NodesOfId& nodes = by_id_[fields.srcid];
  const bool known = std::any_of(nodes.begin(), nodes.end(),
                                 [&](ReferenceNode* node) { return node->sent(cycles_before(when), on, fields); });
  if (known) return;
  fail("node_message_unexpected",
       fmt::format("{} {:#x}: it sent {} for no reason", node_type_name(nodes.front()->node().type), fields.srcid,
                   describe_flit(on, fields)));
}

void ReferenceNodes::held(Picoseconds when, std::uint16_t node_id, Channel channel) {
  if (!watches(node_id)) return;
  begin_cycle(when);
  for (ReferenceNode* const node : by_id_[node_id]) node->held(cmn::channel_class(channel));
}

void ReferenceNodes::finish(Picoseconds when) {
  begin_cycle(when);
  for (const auto& node : nodes_) node->finish();
}

void ReferenceNodes::advance(Cycle end) {
  while (done_ < end) {
    Cycle next = end;
    if (!arrivals_.empty()) next = std::min(next, arrivals_.front().due);
    if (!wakes_.empty()) next = std::min(next, wakes_.front().first);
    if (next >= end) break;
    work(next);
    done_ = std::max(done_, next + 1);
  }
  done_ = std::max(done_, end);
}

/// Wake the nodes of one cycle, in their order, each once. What they ask for meanwhile comes after them.
void ReferenceNodes::wake(Cycle now) {
  const Cycle asked = wakes_.front().first;
  std::vector<unsigned> nodes;
  nodes.swap(woken_);  // it has memory
  nodes.clear();
  while (!wakes_.empty() && wakes_.front().first == asked) {
    const unsigned node = wakes_.front().second;
    std::pop_heap(wakes_.begin(), wakes_.end(), std::greater<>());
    wakes_.pop_back();
    if (nodes.empty() || nodes.back() != node) nodes.push_back(node);
  }
  for (const unsigned node : nodes) nodes_[node]->wake(now);
  nodes.swap(woken_);
}

void ReferenceNodes::work(Cycle now) {
  while (!wakes_.empty() && wakes_.front().first <= now) wake(now);
  for (; !arrivals_.empty() && arrivals_.front().due <= now; arrivals_.pop_front()) {
    const Arrival arrival = arrivals_.front();
    for (ReferenceNode* const node : by_id_[arrival.fields.tgtid]) node->arrive(now, arrival.channel, arrival.fields);
  }
  for (const auto& [node_id, gateway] : gateways_) gateway->settle(now);
}

std::vector<const NodeCounts*> ReferenceNodes::sources(NodeType type, std::optional<std::uint16_t> node) const {
  std::vector<const NodeCounts*> found;
  for (const auto& reference : nodes_) {
    if (reference->node().closed) continue;
    for (const NodeCounts& source : reference->sources()) {
      if (source.type() == type && (!node || source.node_id() == *node)) found.push_back(&source);
    }
  }
  return found;
}

void ReferenceNodes::fire(std::uint16_t node, const NodeEventChoice& event, std::uint64_t amount) {
  // Code 0 lets every occurrence pass, except as follows.
  NodeCounts::Codes all = 1;
  const NodeFilter filter = node_filter(event.type, event.id, spec_.layout);
  if (filter == NodeFilter::qos_class) all = 0;               // 0 is a class
  if (filter == NodeFilter::virtual_channel) all = 1U << 2U;  // 0 is a channel, 2 is all
  for (const auto& reference : nodes_) {
    if (reference->node().closed || reference->node().node_id != node) continue;
    reference->fire(event.type, event.id, all | 1U << event.filter, 1U | 1U << event.filter2, amount);
  }
}

cmn::DeviceType ReferenceNodes::device_at(std::uint16_t node_id) const {
  const std::optional<CmnPlace>& place = ids_.place(node_id);
  if (!place || place->xp >= spec_.devices.size()) return cmn::DeviceType::none;
  const auto port = static_cast<unsigned>(place->port) - static_cast<unsigned>(cmn::Interface::port0);
  const std::vector<cmn::DeviceType>& ports = spec_.devices[place->xp];
  return port < ports.size() ? ports[port] : cmn::DeviceType::none;
}

void ReferenceNodes::fail(const std::string& kind, const std::string& text) {
  chronicle_.findings.add(Finding::Severity::failure, kind, fmt::format("{}: {}", spec_.pmu, text),
                          chronicle_.last_seen);
}

}  // namespace pmufab::scoreboard
