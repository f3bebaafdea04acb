// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/judge/nodes/node_events.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

#include "testbench/fabrics/cmn/judge/nodes/node_event_rows.h"

namespace pmufab::scoreboard {

using cmn::NodeType;

namespace {

using node_event_rows::kRows;

constexpr std::array<FilterCode, 12> kOccupancy{{{"all", 0},
                                                 {"read", 1},
                                                 {"write", 2},
                                                 {"atomic", 3},
                                                 {"stash", 4},
                                                 {"rxsnp", 5},
                                                 {"lbt", 6},
                                                 {"hbt", 7},
                                                 {"rnf", 8},
                                                 {"rni", 9},
                                                 {"ccglcn", 10},
                                                 {"ccgrn", 11}}};
constexpr std::array<FilterCode, 3> kDvmOccupancy{{{"all", 0}, {"dvmop", 1}, {"dvmsync", 2}}};
constexpr std::array<FilterCode, 4> kClasses{{{"class0", 0}, {"class1", 1}, {"class2", 2}, {"class3", 3}}};
constexpr std::array<FilterCode, 3> kHbtLbt{{{"all", 0}, {"hbt", 1}, {"lbt", 2}}};
constexpr std::array<FilterCode, 3> kSnHome{{{"all", 0}, {"sn", 1}, {"home", 2}}};
constexpr std::array<FilterCode, 3> kVirtualChannels{{{"vc0", 0}, {"vc1", 1}, {"vc2", 2}}};
constexpr std::array<FilterCode, 7> kEnhanced{
    {{"all", 0}, {"hbt", 1}, {"lbt", 2}, {"rnf", 3}, {"rni", 4}, {"ccglcn", 5}, {"ccgrn", 6}}};
constexpr std::array<FilterCode, 7> kEvictStates{
    {{"all", 0}, {"eu", 1}, {"en", 2}, {"su", 3}, {"sn", 4}, {"mu", 5}, {"mn", 6}}};

constexpr std::array<FilterCode, 12> kBusy{{{"all", 0},
                                            {"group0_read", 1},
                                            {"group0_write", 2},
                                            {"group1_read", 3},
                                            {"group1_write", 4},
                                            {"read", 5},
                                            {"write", 6},
                                            {"ccg_read", 9},
                                            {"ccg_write", 10},
                                            {"lbt_read", 11},
                                            {"lbt_write", 12},
                                            {"lbt", 13}}};

std::span<const FilterCode> codes_of(NodeFilter filter) {
  switch (filter) {
    case NodeFilter::none:
      break;
    case NodeFilter::occupancy:
      return kOccupancy;
    case NodeFilter::dvm_occupancy:
      return kDvmOccupancy;
    case NodeFilter::qos_class:
      return kClasses;
    case NodeFilter::hbt_lbt:
    case NodeFilter::evict_state:
      return kHbtLbt;
    case NodeFilter::sn_home:
      return kSnHome;
    case NodeFilter::virtual_channel:
      return kVirtualChannels;
    case NodeFilter::enhanced:
      return kEnhanced;
    case NodeFilter::busy:
      return kBusy;
  }
  return {};
}

std::optional<unsigned> code_named(std::span<const FilterCode> codes, std::string_view name) {
  const auto found =
      std::find_if(codes.begin(), codes.end(), [&](const FilterCode& code) { return code.name == name; });
  return found == codes.end() ? std::nullopt : std::optional(found->code);
}

struct Prefix {
  NodeType type;
  std::string_view text;
};
constexpr std::array<Prefix, 13> kPrefixes{{{NodeType::hn_f, "hnf_"},
                                            {NodeType::hn_s, "hns_"},
                                            {NodeType::hn_i, "hni_"},
                                            {NodeType::hn_p, "hnp_"},
                                            {NodeType::sbsx, "sbsx_"},
                                            {NodeType::rn_i, "rnid_"},
                                            {NodeType::mtsx, "mtsx_"},
                                            {NodeType::dvm, "dn_"},
                                            {NodeType::cxra, "cxra_"},
                                            {NodeType::cxha, "cxha_"},
                                            {NodeType::ccra, "ccra_"},
                                            {NodeType::ccha, "ccha_"},
                                            {NodeType::ccla, "ccla_"}}};

/// All that decode events in the same way. A name has one meaning in them.
NodeReleases releases_of(WatchpointLayout product) {
  using namespace node_releases;
  switch (product) {
    case WatchpointLayout::cmn600:
      return k600;
    case WatchpointLayout::cmn650:
      return k650;
    case WatchpointLayout::cmn700:
      return k700 | kCi700;
    case WatchpointLayout::s3:
      return kS3;
    case WatchpointLayout::s3_r2:
      break;
  }
  return kS3R2;
}

bool is_there(const NodeEvent& row, WatchpointLayout product) {
  return row.never.empty() && (row.releases & releases_of(product)) != 0;
}

/// @return the event if the text after its root selects a filter code.
std::optional<NodeEventChoice> chosen(const NodeEvent& event, std::string_view rest) {
  NodeEventChoice choice{event.type, event.id};
  // Before 7.3 the driver had names without a suffix for events with a filter: they mean all.
  if (rest.empty()) return choice;
  if (event.filter == NodeFilter::none || !rest.starts_with('_')) return std::nullopt;
  rest.remove_prefix(1);
  if (event.filter == NodeFilter::evict_state) {
    const std::size_t split = rest.find('_');
    if (split == std::string_view::npos) return std::nullopt;
    const std::optional<unsigned> state = code_named(kEvictStates, rest.substr(split + 1));
    if (!state) return std::nullopt;
    choice.filter2 = *state;
    rest = rest.substr(0, split);
  }
  const std::optional<unsigned> code = code_named(codes_of(event.filter), rest);
  if (!code) return std::nullopt;
  choice.filter = *code;
  return choice;
}

}  // namespace

std::span<const NodeEvent> all_node_events() { return kRows; }

NodeReleases release_of(WatchpointLayout product, unsigned revision, bool is_ci) {
  using namespace node_releases;
  switch (product) {
    case WatchpointLayout::cmn600: {
      constexpr unsigned kR1p2Code = 2;
      if (revision < kR1p2Code) return k600R0;
      return revision == kR1p2Code ? k600R1p2 : k600R1p3;
    }
    case WatchpointLayout::cmn650: {
      constexpr unsigned kR2p0Code = 3;  // r1p2 came later
      return revision == kR2p0Code ? k650R2 : k650R0;
    }
    case WatchpointLayout::cmn700:
      if (is_ci) return kCi700;
      if (revision == 0) return k700R0;
      return revision == 1 ? k700R1 : k700R2;
    case WatchpointLayout::s3:
      return kS3;
    case WatchpointLayout::s3_r2:
      break;
  }
  return kS3R2;
}

std::span<const FilterCode> filter_codes(NodeFilter filter) { return codes_of(filter); }

std::span<const FilterCode> evict_state_codes() { return kEvictStates; }

std::optional<NodeEventChoice> find_node_event(std::string_view name, WatchpointLayout product) {
  const auto* const prefix = std::find_if(kPrefixes.begin(), kPrefixes.end(),
                                          [&](const Prefix& known) { return name.starts_with(known.text); });
  if (prefix == kPrefixes.end()) return std::nullopt;
  name.remove_prefix(prefix->text.size());
  for (const NodeEvent& row : kRows) {
    if (row.type != prefix->type || !is_there(row, product) || !name.starts_with(row.root)) continue;
    if (const auto choice = chosen(row, name.substr(row.root.size()))) return choice;
  }
  return std::nullopt;
}

std::optional<NodeEventChoice> find_node_event(std::uint64_t type, std::uint64_t id, unsigned filter, unsigned filter2,
                                               WatchpointLayout product) {
  constexpr std::uint64_t kRnD = 0xd;  // software treats RN-D as RN-I
  const auto of_type = static_cast<NodeType>(type == kRnD ? static_cast<std::uint64_t>(NodeType::rn_i) : type);
  for (const NodeEvent& row : kRows) {
    if (row.type != of_type || row.id != id || !is_there(row, product)) continue;
    NodeEventChoice choice{of_type, row.id};
    if (row.filter != NodeFilter::none) choice.filter = filter;
    if (row.filter == NodeFilter::evict_state) choice.filter2 = filter2;
    return choice;
  }
  return std::nullopt;
}

std::optional<std::string_view> why_never(NodeType type, unsigned id, NodeReleases release) {
  using namespace node_releases;
  if (type == NodeType::rn_d) type = NodeType::rn_i;
  if (type != NodeType::hn_f) {
    for (const NodeReleases product : {k600, k650, k700}) {
      if ((release & product) != 0) release = product;
    }
  }
  for (const NodeEvent& row : kRows) {
    if (row.type == type && row.id == id && (row.releases & release) != 0) return row.never;
  }
  return std::nullopt;
}

NodeFilter node_filter(NodeType type, unsigned id, WatchpointLayout product) {
  const auto* const found = std::find_if(std::begin(kRows), std::end(kRows), [&](const NodeEvent& row) {
    return row.type == type && row.id == id && is_there(row, product);
  });
  return found == std::end(kRows) ? NodeFilter::none : found->filter;
}

std::vector<NodeEvent> node_events(WatchpointLayout product) {
  std::vector<NodeEvent> events;
  for (const NodeEvent& row : kRows) {
    if (is_there(row, product)) events.push_back(row);
  }
  return events;
}

std::string_view node_type_name(NodeType type) {
  if (type == NodeType::rn_d) type = NodeType::rn_i;
  const auto* const found =
      std::find_if(kPrefixes.begin(), kPrefixes.end(), [&](const Prefix& known) { return known.type == type; });
  if (found == kPrefixes.end()) return "node";
  return found->text.substr(0, found->text.size() - 1);
}

}  // namespace pmufab::scoreboard
