// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/verify/mesh_events.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "models/cmn/pmu/flit_positions.h"
#include "testbench/fabrics/cmn/scenario/judge_spec.h"

namespace pmufab::verify {

using cmn::NodeType;
using scoreboard::NodeEvent;
using scoreboard::NodeFilter;
using scoreboard::WatchpointLayout;

namespace {

constexpr unsigned kPortInterface = 4;
constexpr unsigned kValid = 1;  // events of crosspoints
constexpr unsigned kStall = 2;
constexpr unsigned kChannelShift = 5;
constexpr unsigned kInterfaceShift = 2;

/// @return the type by which events name a node's
NodeType named_type(NodeType type) { return type == NodeType::rn_d ? NodeType::rn_i : type; }

/// Which filter of its node an event uses. A DVM node's is the register field of the homes' occupancy.
NodeFilter field_of(NodeFilter filter) { return filter == NodeFilter::dvm_occupancy ? NodeFilter::occupancy : filter; }

/// Events of cache maintenance at memory nodes: homes send none there (docs/cmn-nodes.md, 4.4).
bool is_maintenance(const NodeEvent& event) {
  if (event.type == NodeType::sbsx) return event.id == 0x3 || event.id == 0x13 || event.id == 0x16;
  return event.type == NodeType::mtsx && event.id == 0x8;
}

std::span<const cmn::FlitPosition> positions_of(cmn::FlitFormat format, cmn::Channel channel) {
  switch (channel) {
    case cmn::Channel::req:
      return cmn::req_positions(format);
    case cmn::Channel::rsp:
      return cmn::rsp_positions(format);
    case cmn::Channel::snp:
      return cmn::snp_positions(format);
    default:
      return cmn::dat_positions(format);
  }
}

}  // namespace

EventMaker::EventMaker(Random& random, const MeshPlan& plan, const CmnDriver& driver, unsigned number)
    : random_(random),
      is_linked_(plan.is_linked),
      plan_(plan),
      driver_(driver),
      pmu_(fmt::format("arm_cmn_{}", number)),
      layout_(plan.topology),
      product_(scenario::watchpoint_layout(plan.topology)),
      combine_(random.pick({1U, 1U, 2U, 15U})),
      exclusives_(random.chance(75)) {
  for (const cmn::Crosspoint& crosspoint : plan.topology.crosspoints)
    used_ports_.push_back(cmn::used_ports(crosspoint));
  list_nodes();
}

void EventMaker::list_nodes() {
  std::map<NodeType, std::size_t> known;
  for (const cmn::EventSource& source : layout_.sources()) {
    const cmn::NodePlace& node = layout_.nodes()[source.node];
    const NodeType type = named_type(source.events);
    const auto [place, is_new] = known.emplace(type, types_.size());
    if (is_new) types_.push_back({type, {}});
    const unsigned dtm = layout_.dtm_of(node.xp, node.port);
    types_[place->second].places.push_back({node.node_id, plan_.topology.crosspoints[node.xp].dtc_domain, dtm, dtm});
  }
}

/// @param port  whose DTM is needed; crosspoints without that port are left out unless it is 0
std::vector<EventPlace> EventMaker::crosspoints(unsigned port) const {
  std::vector<EventPlace> places;
  for (unsigned xp = 0; xp < layout_.xps(); ++xp) {
    if (port != 0 && port >= used_ports_[xp]) continue;
    places.push_back({layout_.xp(xp).node_id, plan_.topology.crosspoints[xp].dtc_domain, layout_.dtm_of(xp, port),
                      layout_.first_dtm(xp)});
  }
  return places;
}

void EventMaker::choose_places(MeshEvent& event, std::vector<EventPlace> places, const std::string& terms,
                               bool one_only) {
  event.source = fmt::format("{}/{},bynodeid=1,nodeid={{:#x}}/", pmu_, terms);
  if (one_only || random_.chance(45)) {
    const EventPlace place = random_.pick(places);
    places.assign({place});
    event.text = fmt::format(fmt::runtime(event.source), place.node);
  } else {
    event.text = fmt::format("{}/{}/", pmu_, terms);
  }
  event.places = std::move(places);
}

MeshEvent EventMaker::cycles() const {
  MeshEvent event;
  event.text = fmt::format("{}/dtc_cycles/", pmu_);
  event.key = "cycles";
  return event;
}

unsigned EventMaker::draw_interface() {
  std::vector<unsigned> interfaces;
  const unsigned most = *std::ranges::max_element(used_ports_);
  if (plan_.is_single()) {
    // Codes 0 to 5 are ports then (cmn.md 5.4).
    return static_cast<unsigned>(random_.number(0, std::max(most, 1U) - 1));
  }
  if (plan_.topology.columns > 1) interfaces.insert(interfaces.end(), {0, 1});
  if (plan_.topology.rows > 1) interfaces.insert(interfaces.end(), {2, 3});
  // The driver has no names for ports at which no crosspoint has a device.
  for (unsigned port = 0; port < most; ++port) {
    const bool is_used = std::ranges::any_of(
        plan_.devices, [&](const auto& ports) { return port < ports.size() && ports[port] != "-"; });
    if (is_used) interfaces.push_back(kPortInterface + port);
  }
  return random_.pick(interfaces);
}

cmn::Channel EventMaker::draw_channel() {
  using cmn::Channel;
  std::vector<Channel> channels{Channel::req, Channel::rsp, Channel::snp, Channel::dat};
  const cmn::VirtualChannels& numbers = plan_.topology.channels;
  if (numbers.rsp == 2) channels.push_back(Channel::rsp2);
  if (numbers.dat == 2) channels.push_back(Channel::dat2);
  if (numbers.req == 2) channels.push_back(Channel::req2);
  if (numbers.snp == 2) channels.push_back(Channel::snp2);
  // Nothing moves on the channel of published messages by itself.
  if (plan_.topology.product != cmn::Product::cmn600 && random_.chance(12)) channels = {Channel::pub};
  return random_.pick(channels);
}

std::string EventMaker::flits_text(unsigned id) {
  const unsigned interface = id >> kInterfaceShift & 7U;
  const unsigned channel = id >> kChannelShift;
  // On a single crosspoint the names are those of other interfaces.
  if (plan_.is_single() || random_.chance(20)) return fmt::format("type=0x6,eventid={:#x}", id);
  return fmt::format("mxp_{}_{}_{}", cmn::to_string(static_cast<cmn::Interface>(interface)),
                     cmn::to_string(static_cast<cmn::Channel>(channel)),
                     (id & 3U) == kValid ? "txflit_valid" : "txflit_stall");
}

MeshEvent EventMaker::flits() {
  const unsigned interface = draw_interface();
  const cmn::Channel channel = draw_channel();
  const unsigned id = (random_.chance(65) ? kValid : kStall) | interface << kInterfaceShift |
                      static_cast<unsigned>(channel) << kChannelShift;
  MeshEvent event;
  event.kind = MeshEvent::Kind::flits;
  event.key = fmt::format("flits {:#x}", id);
  choose_places(event, crosspoints(0), flits_text(id), false);
  return event;
}

/// Some bits of fields that the flits have. What is masked may be anything.
EventMaker::Comparison EventMaker::draw_comparison(cmn::Channel channel, unsigned group, bool upload) {
  Comparison made{0, ~std::uint64_t{0}};
  const cmn::ProductFacts& facts = cmn::facts_of(plan_.topology.product, plan_.topology.revision);
  const std::uint64_t bits = cmn::flit_image_bits(facts.flit, channel, group,
                                                  upload ? cmn::FlitDirection::upload : cmn::FlitDirection::download);
  std::vector<cmn::FlitPosition> positions;
  for (const cmn::FlitPosition& position : positions_of(facts.flit, channel)) {
    if (position.group == group) positions.push_back(position);
  }
  if (random_.chance(5)) return {random_.number(0, ~std::uint64_t{0}) & bits, 1};  // nearly all
  const auto garbage = random_.chance(50) ? random_.number(0, ~std::uint64_t{0}) : 0;
  for (std::uint64_t left = positions.empty() ? 0 : random_.number(0, 3); left > 0; --left) {
    const cmn::FlitPosition& position = random_.pick(positions);
    const auto bit = static_cast<unsigned>(random_.number(position.lsb, position.msb));
    if ((bits >> bit & 1U) == 0) continue;
    made.mask &= ~(std::uint64_t{1} << bit);
    if (random_.chance(30)) made.value |= std::uint64_t{1} << bit;
  }
  made.value |= garbage & made.mask;
  if (random_.chance(5)) return {random_.chance(50) ? 1 : ~std::uint64_t{0}, ~std::uint64_t{0}};
  return made;
}

MeshEvent EventMaker::watchpoint() {
  const bool is_600 = plan_.topology.product == cmn::Product::cmn600;
  MeshEvent event;
  event.kind = MeshEvent::Kind::watchpoint;
  event.upload = random_.chance(50);
  const unsigned most = std::max(*std::ranges::max_element(used_ports_), 1U);
  const auto port = static_cast<unsigned>(random_.number(0, most - 1));
  const auto channel = static_cast<cmn::Channel>(random_.number(0, 3));
  // A CMN-600 has two groups; drivers drop further bits.
  const unsigned most_group = driver_.watchpoints_by_group ? 1 : is_600 ? 3 : 2;
  event.group = static_cast<unsigned>(random_.number(0, most_group));
  const auto compared = [&](unsigned group) { return is_600 ? group & 1U : group; };
  const bool exclusive = event.exclusive = exclusives_ && random_.chance(25);
  const Comparison comparison = draw_comparison(channel, compared(event.group), event.upload);
  std::string terms = random_.chance(80) ? (event.upload ? "watchpoint_up" : "watchpoint_down")
                                         : fmt::format("type=0x7770,eventid={}", event.upload ? 0 : 2);
  const auto with_group = [&](unsigned group, const Comparison& chosen, bool is_exclusive) {
    return fmt::format("{},wp_dev_sel={},wp_chn_sel={},wp_grp={}{}{},wp_val={:#x},wp_mask={:#x}", terms, port,
                       static_cast<unsigned>(channel), group, is_exclusive ? ",wp_exclusive=1" : "",
                       event.combined ? fmt::format(",wp_combine={}", combine_) : "", chosen.value, chosen.mask);
  };
  event.combined = driver_.combines && random_.chance(15);
  const std::string text = with_group(event.group, comparison, exclusive);
  const bool one_only = plan_.topology.multiple_dtm && port >= 2;
  choose_places(event, crosspoints(one_only ? port : 0), text, one_only);
  for (EventPlace& place : event.places) {
    if (plan_.topology.multiple_dtm) place.dtm = place.checked_dtm + port / 2;
  }
  event.key = fmt::format("watchpoint {} {} {}", event.upload, port, static_cast<unsigned>(channel));
  if (exclusive || event.combined) event.source.clear();
  if (event.combined) {
    MeshEvent first = event;
    MeshEvent second = event;
    second.group = compared(event.group) == 0 ? 1 : 0;
    const std::string other = with_group(second.group, draw_comparison(channel, second.group, event.upload), false);
    second.text.replace(second.text.find(text), text.size(), other);
    event.text = fmt::format("{{{},{}}}", first.text, second.text);
    event.pair = {std::move(first), std::move(second)};
  }
  return event;
}

/// @return the driver knows the filter that the hardware applies to the event
bool EventMaker::driver_filters(const NodeEvent& event) const {
  if (event.type == NodeType::hn_f && event.filter == NodeFilter::qos_class)
    return plan_.topology.product == cmn::Product::cmn700;
  constexpr unsigned kHazard = 0x10;
  constexpr unsigned kAtomicHazard = 0x11;
  if (event.type == NodeType::hn_s && (event.id == kHazard || event.id == kAtomicHazard)) return driver_.hazard_filters;
  return true;
}

bool EventMaker::is_offered(const NodeEvent& event) const {
  if (scoreboard::why_never(event.type, event.id, scenario::release_of(plan_.topology)) != "") return false;
  if (event.filter != NodeFilter::none && !driver_filters(event)) return false;
  return event.type != NodeType::ccla || driver_.ccla;
}

std::pair<unsigned, unsigned> EventMaker::draw_codes(const NodeEvent& event, MeshEvent& made) {
  if (event.filter == NodeFilter::none) return {0, 0};
  std::vector<unsigned> codes;
  const bool is_r2 = product_ == WatchpointLayout::s3_r2;
  const unsigned most_occupancy = event.type == NodeType::hn_f ? 4 : is_r2 ? 11 : 7;
  for (const auto& [name, code] : scoreboard::filter_codes(event.filter)) {
    if (event.filter == NodeFilter::occupancy && (code > most_occupancy || name == "rxsnp")) continue;
    codes.push_back(code);
  }
  const unsigned code = random_.pick(codes);
  if (event.filter != NodeFilter::evict_state) {
    made.filters.emplace_back(field_of(event.filter), code);
    return {code, 0};
  }
  std::vector<unsigned> states;
  for (const auto& [name, state] : scoreboard::evict_state_codes()) states.push_back(state);
  // With the state of the event before and another code, the second of its two filters is taken.
  const unsigned state = last_state_ && random_.chance(40) ? *last_state_ : random_.pick(states);
  last_state_ = state;
  made.filters.emplace_back(NodeFilter::hbt_lbt, code);
  made.filters.emplace_back(NodeFilter::evict_state, state);
  return {code, state};
}

std::string EventMaker::node_text(const NodeEvent& event, unsigned code, unsigned code2) {
  const bool has_filter = event.filter != NodeFilter::none;
  if ((event.releases & scenario::release_of(plan_.topology)) == 0 || random_.chance(25)) {
    unsigned type = static_cast<unsigned>(event.type);
    if (event.type == NodeType::rn_i && driver_.rn_d_alias && random_.chance(30))
      type = static_cast<unsigned>(NodeType::rn_d);
    std::string text = fmt::format("type={:#x},eventid={:#x}", type, event.id);
    if (has_filter) text += fmt::format(",{}={}", driver_.filter_term ? "filter" : "occupid", code);
    if (event.filter == NodeFilter::evict_state) text += fmt::format(",filter2={}", code2);
    return text;
  }
  std::string text = fmt::format("{}_{}", scoreboard::node_type_name(event.type), event.root);
  if (!has_filter) return text;
  for (const auto& [name, number] : scoreboard::filter_codes(event.filter)) {
    if (number == code) text += fmt::format("_{}", name);
  }
  if (event.filter != NodeFilter::evict_state) return text;
  for (const auto& [name, number] : scoreboard::evict_state_codes()) {
    if (number == code2) text += fmt::format("_{}", name);
  }
  return text;
}

std::optional<MeshEvent> EventMaker::node() {
  if (types_.empty()) return std::nullopt;
  const TypeNodes* chosen = &random_.pick(types_);
  // Gateways that lead nowhere count nothing.
  if (!is_linked_ && chosen->type >= NodeType::cxra && chosen->type <= NodeType::ccla) chosen = &random_.pick(types_);
  // Homes have most events.
  const auto home = std::ranges::find_if(
      types_, [](const TypeNodes& type) { return type.type == NodeType::hn_f || type.type == NodeType::hn_s; });
  if (home != types_.end() && random_.chance(25)) chosen = &*home;
  const TypeNodes& nodes = *chosen;
  std::vector<NodeEvent> events;
  std::vector<NodeEvent> filtered;
  std::vector<NodeEvent> of_two_filters;
  for (const NodeEvent& event : scoreboard::node_events(product_)) {
    if (event.type != nodes.type || !is_offered(event)) continue;
    events.push_back(event);
    if (event.filter != NodeFilter::none) filtered.push_back(event);
    if (event.filter == NodeFilter::evict_state) of_two_filters.push_back(event);
  }
  if (events.empty()) return std::nullopt;
  if (!filtered.empty() && random_.chance(40)) events = filtered;
  if (!of_two_filters.empty() && random_.chance(20)) events = of_two_filters;
  NodeEvent event = random_.pick(events);
  if (is_maintenance(event)) event = random_.pick(events);
  last_ = event;
  last_places_ = nodes.places;
  return made_of(event, nodes.places);
}

std::optional<MeshEvent> EventMaker::other_code() {
  if (!last_ || last_->filter == NodeFilter::none) return std::nullopt;
  return made_of(*last_, last_places_);
}

MeshEvent EventMaker::made_of(const NodeEvent& event, const std::vector<EventPlace>& places) {
  MeshEvent made;
  made.kind = MeshEvent::Kind::node;
  const auto [code, code2] = draw_codes(event, made);
  made.key = fmt::format("node {:#x} {:#x}", static_cast<unsigned>(event.type), event.id);
  choose_places(made, places, node_text(event, code, code2), false);
  return made;
}

MeshEvent EventMaker::make() {
  const auto kind = static_cast<unsigned>(random_.number(1, 100));
  if (kind <= 20) return watchpoint();
  if (kind <= 40) return flits();
  std::optional<MeshEvent> event = node();
  return event ? std::move(*event) : flits();
}

}  // namespace pmufab::verify
