// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/judge/cmn_judge.h"

#include <algorithm>
#include <stdexcept>

#include "testbench/fabrics/cmn/judge/cmn_routes.h"
#include "testbench/fabrics/cmn/judge/cmn_truths.h"
#include "testbench/fabrics/cmn/judge/cmn_wires.h"

namespace pmufab::scoreboard {

using cmn::Channel;
using cmn::FlitEvent;
using cmn::Interface;

namespace {

CmnJudgeSpec valid(CmnJudgeSpec spec) {
  if (spec.columns == 0 || spec.rows == 0) throw std::invalid_argument("columns, rows: a mesh has crosspoints");
  if (spec.ports_in_use.size() != std::size_t{spec.columns} * spec.rows)
    throw std::invalid_argument("ports_in_use: one number for each crosspoint");
  return spec;
}

/// @name What is seen on the wires
/// @{
struct SeenUpload {
  Picoseconds when;
  std::uint32_t flit;
  std::uint8_t xp;  // a mesh has at most 14 x 14
  std::uint8_t port;
  Channel channel;
  cmn::FlitFields fields;
};
struct SeenHold {
  Picoseconds when;
  std::uint16_t node_id;
  Channel channel;
};
struct SeenLinkFlit {
  Picoseconds when;
  std::uint16_t node_id;
  bool sent;
  cmn::LinkFlit flit;
};
/// @}

}  // namespace

struct CmnJudge::State {
  State(CmnJudgeSpec s, Chronicle& c)
      : spec(valid(std::move(s))), chronicle(c), wires(spec, chronicle), routes(spec, chronicle), pmu(wires) {}

  const CmnJudgeSpec spec;
  Chronicle& chronicle;
  CmnWires wires;
  CmnRoutes routes;
  CmnPmuJudge pmu;
  std::vector<CmnFlitListener*> listeners;

  void begin(const Picoseconds& when) {
    chronicle.see(when);
    wires.nodes.begin_cycle(when);
  }
  void upload(const SeenUpload& seen) {
    const Picoseconds when = seen.when;
    chronicle.see(when);
    chronicle.last_traffic = std::max(chronicle.last_traffic, when);
    routes.uploaded(when, seen.xp, seen.port, seen.channel, seen.flit, seen.fields);
    wires.see_flit(true, seen.xp, port_interface(seen.port), seen.channel, seen.fields);
    wires.nodes.uploaded(when, seen.channel, seen.fields);
    for (CmnFlitListener* const listener : listeners)
      listener->on_flit(when, seen.xp, seen.port, false, seen.channel, seen.fields);
  }
  void cycle(const Picoseconds& when, std::span<const cmn::MeshPulse> pulses) {
    chronicle.see(when);
    for (const cmn::MeshPulse& pulse : pulses) ++wires.count(pulse.event, pulse.xp, pulse.interface, pulse.channel);
    routes.cycle(when, pulses, [&](const cmn::MeshPulse& pulse, const cmn::FlitFields& fields) {
      leave(when, pulse.xp, pulse.interface, pulse.channel, fields);
    });
  }
  void hold(const SeenHold& seen) {
    chronicle.see(seen.when);
    wires.nodes.held(seen.when, seen.node_id, seen.channel);
  }
  void link_flit(const SeenLinkFlit& seen) {
    chronicle.see(seen.when);
    wires.nodes.link_flit(seen.when, seen.node_id, seen.sent, seen.flit);
  }
  void leave(Picoseconds when, unsigned xp, Interface interface, Channel channel, const cmn::FlitFields& fields) {
    wires.see_flit(false, xp, interface, channel, fields);
    wires.nodes.transmitted(when, channel, fields);
    const unsigned port = static_cast<unsigned>(interface) - static_cast<unsigned>(Interface::port0);
    for (CmnFlitListener* const listener : listeners) listener->on_flit(when, xp, port, true, channel, fields);
  }
};

CmnJudge::CmnJudge(CmnJudgeSpec spec, Chronicle& chronicle)
    : state_(std::make_unique<State>(std::move(spec), chronicle)) {}

CmnJudge::~CmnJudge() = default;

void CmnJudge::on_begin(Picoseconds when) { state_->chronicle.backlog.add<&State::begin>(*state_, when); }

void CmnJudge::on_upload(Picoseconds when, unsigned xp, unsigned port, Channel channel, std::uint32_t flit,
                         const cmn::FlitFields& fields) {
  state_->chronicle.backlog.add<&State::upload>(
      *state_, SeenUpload{when, flit, static_cast<std::uint8_t>(xp), static_cast<std::uint8_t>(port), channel, fields});
}

void CmnJudge::on_cycle(Picoseconds when, std::span<const cmn::MeshPulse> pulses) {
  state_->chronicle.backlog.add<&State::cycle>(*state_, when, pulses);
}

void CmnJudge::on_hold(Picoseconds when, std::uint16_t node_id, Channel channel) {
  state_->chronicle.backlog.add<&State::hold>(*state_, SeenHold{when, node_id, channel});
}

void CmnJudge::on_link_flit(Picoseconds when, std::uint16_t node_id, bool sent, const cmn::LinkFlit& flit) {
  state_->chronicle.backlog.add<&State::link_flit>(*state_, SeenLinkFlit{when, node_id, sent, flit});
}

void CmnJudge::link(CmnJudge& one, std::uint16_t gateway, CmnJudge& other, std::uint16_t other_gateway) {
  one.state_->wires.nodes.link(gateway, other.state_->wires.nodes, other_gateway);
}

std::vector<PmuJudge*> CmnJudge::pmus() { return {&state_->pmu}; }

void CmnJudge::add(CmnFlitListener& listener) { state_->listeners.push_back(&listener); }
void CmnJudge::remove(const CmnFlitListener& listener) { std::erase(state_->listeners, &listener); }

std::vector<std::uint16_t> CmnJudge::homes() const {
  std::vector<std::uint16_t> homes;
  for (const cmn::NodeType type : {cmn::NodeType::hn_f, cmn::NodeType::hn_s}) {
    for (const NodeCounts* const home : state_->wires.nodes.sources(type, std::nullopt))
      homes.push_back(home->node_id());
  }
  return homes;
}

std::uint64_t CmnJudge::home_events(std::uint16_t node_id, unsigned event, Picoseconds when) {
  ReferenceNodes& nodes = state_->wires.nodes;
  nodes.advance_before(when);
  std::uint64_t sum = 0;
  for (const cmn::NodeType type : {cmn::NodeType::hn_f, cmn::NodeType::hn_s}) {
    for (const NodeCounts* const home : nodes.sources(type, node_id))
      sum += home->total(event, 0, 0, nodes.cycles_before(when));
  }
  return sum;
}

void CmnJudge::finish() {
  state_->routes.finish();
  state_->wires.nodes.finish(state_->chronicle.last_seen);
}

std::uint64_t CmnJudge::count(FlitEvent event, unsigned xp, Interface interface, Channel channel) const {
  const CmnWires& wires = state_->wires;
  return wires.count(event, xp, interface, channel);
}

}  // namespace pmufab::scoreboard
