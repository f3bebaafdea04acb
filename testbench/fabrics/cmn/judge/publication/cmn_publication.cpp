// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/judge/publication/cmn_publication.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "testbench/fabrics/cmn/judge/cmn_meaning.h"
#include "testbench/fabrics/cmn/judge/nodes/node_events.h"
#include "testbench/fabrics/cmn/judge/publication/mesh_map.h"

namespace pmufab::scoreboard {
namespace {

using cmn::NodeType;

constexpr std::uint16_t kPart600 = 0x434;
constexpr std::uint16_t kPartCi700 = 0x43a;

// The version in which filters of HN-S were told apart, and got names of their own.
constexpr LinuxVersion kFiltersApart = 703;

// The version in which the fields of watchpoints got their present places.
constexpr LinuxVersion kPresentPlaces = 612;

constexpr std::uint64_t config_of(std::uint64_t type, std::uint64_t id, std::uint64_t filter = 0,
                                  std::uint64_t filter2 = 0) {
  return type | id << 16U | filter << 27U | filter2 << 48U;
}

std::vector<PublishedField> cmn_fields() {
  std::vector<PublishedField> fields;
  const auto add = [&](const char* name, const char* place, LinuxVersion since = 0) {
    fields.push_back({name, {{place}}, Shown::must, since});
  };
  add("type", "config:0-15");
  add("eventid", "config:16-26");
  add("occupid", "config:27-30");
  add("filter", "config:27-30", kFiltersApart);
  add("filter2", "config:48-51", kFiltersApart);
  add("bynodeid", "config:31");
  add("nodeid", "config:32-47");
  add("wp_dev_sel", "config:48-50");
  add("wp_chn_sel", "config:51-55");
  fields.push_back({"wp_grp", {{"config:56"}, {"config:56-57", kPresentPlaces}}});
  fields.push_back({"wp_exclusive", {{"config:57"}, {"config:58", kPresentPlaces}}});
  add("wp_combine", "config:27-30");
  add("wp_val", "config1:0-63");
  add("wp_mask", "config2:0-63");
  return fields;
}

/// The types of node whose events software offers.
std::set<NodeType> types_of(const CmnJudgeSpec& spec, bool closed) {
  std::set<NodeType> types;
  for (const CmnNode& node : spec.nodes) {
    if (node.closed && !closed) continue;
    types.insert(node.type);
    if (node.type == NodeType::hn_p) types.insert(NodeType::hn_i);
    if (node.type == NodeType::rn_d) types.insert(NodeType::rn_i);
    if (node.type == NodeType::ccla_rni) types.insert({NodeType::ccla, NodeType::rn_i});
  }
  return types;
}

/// The codes that have names in a product.
std::size_t codes_named(const NodeEvent& event, bool is_r2) {
  const std::size_t all = filter_codes(event.filter).size();
  constexpr std::size_t kBusyBeforeR2 = 7;
  constexpr std::size_t kOccupancyOfHnf = 5;
  constexpr std::size_t kOccupancyOfHns = 8;
  if (event.filter == NodeFilter::busy) return is_r2 ? all : kBusyBeforeR2;
  if (event.filter == NodeFilter::occupancy && event.type != NodeType::hn_s) return kOccupancyOfHnf;
  if (event.filter == NodeFilter::occupancy && !is_r2) return kOccupancyOfHns;
  return all;
}

/// Makes the list of the events of nodes.
class NodeEvents {
 public:
  NodeEvents(const CmnJudgeSpec& spec, std::vector<PublishedEvent>& events)
      : events_(events),
        release_(release_of(spec.layout, spec.revision, spec.part == kPartCi700)),
        open_(types_of(spec, false)),
        all_(types_of(spec, true)) {}

  void add() {
    for (const NodeEvent& event : all_node_events()) add(event);
  }

 private:
  void add(const NodeEvent& event) {
    const bool is_r2 = release_ == node_releases::kS3R2;
    const bool is_hn_s = event.type == NodeType::hn_s;
    const bool is_there = (event.releases & release_) != 0;
    // Older drivers offered the events of S3 r1 on S3 r2, too.
    const bool was_there = is_r2 && is_hn_s ? (event.releases & node_releases::kS3) != 0 : is_there;
    const LinuxVersion since = is_there && !was_there ? kFiltersApart : 0;
    const LinuxVersion last = was_there && !is_there ? kFiltersApart - 1 : 0;
    // An HN-F is no part of an S3: which of its events it would have there, nobody says.
    const bool is_odd = event.type == NodeType::hn_f && (release_ & node_releases::kS3All) != 0;
    if (is_hn_s && event.filter == NodeFilter::hbt_lbt && (event.id == 0x10 || event.id == 0x11)) {
      add_one(event, "", 0, 0, {was_there, is_odd, 0, kFiltersApart - 1});
      add_named(event, false, {is_there, is_odd, kFiltersApart, 0});
      return;
    }
    add_named(event, is_r2 && is_there, {is_there || was_there, is_odd, since, last});
  }

  struct Presence {
    bool is_there;
    bool is_odd;
    LinuxVersion since;
    LinuxVersion last;
  };

  void add_named(const NodeEvent& event, bool is_r2, Presence presence) {
    if (event.filter == NodeFilter::none) {
      add_one(event, "", 0, 0, presence);
      return;
    }
    const std::size_t before_r2 = codes_named(event, false);
    std::size_t number = 0;
    for (const FilterCode& code : filter_codes(event.filter).first(codes_named(event, is_r2))) {
      if (number++ == before_r2) presence.since = kFiltersApart;
      if (event.filter != NodeFilter::evict_state) {
        add_one(event, fmt::format("_{}", code.name), code.code, 0, presence);
        continue;
      }
      for (const FilterCode& state : evict_state_codes())
        add_one(event, fmt::format("_{}_{}", code.name, state.name), code.code, state.code, presence);
    }
  }

  void add_one(const NodeEvent& event, std::string_view suffix, unsigned filter, unsigned filter2,
               const Presence& presence) {
    PublishedEvent published;
    const std::string_view type = node_type_name(event.type);
    published.name = fmt::format("{}_{}{}", type, event.root, suffix);
    published.words[0] = config_of(static_cast<std::uint64_t>(event.type), event.id, filter, filter2);
    // Its name was another one before.
    const bool is_renamed = event.type == NodeType::ccha && event.root == "db_alloc";
    published.since = is_renamed ? kPresentPlaces : presence.since;
    published.last = presence.last;
    if (!all_.contains(event.type)) {
      published.shown = Shown::never;
      published.missing = fmt::format("the mesh has no node of type {}", type);
    } else if (!presence.is_there) {
      published.shown = presence.is_odd ? Shown::may : Shown::never;
      published.missing = "this product and revision do not have it";
    } else if (presence.is_odd || !open_.contains(event.type)) {
      published.shown = Shown::may;
    }
    events_.push_back(std::move(published));
  }

  std::vector<PublishedEvent>& events_;
  NodeReleases release_;
  std::set<NodeType> open_;  // of which software sees a node
  std::set<NodeType> all_;   // of which there is a node
};

constexpr std::size_t kInterfacesNamed = 8;  // east, west, north, south and four ports
constexpr std::array<std::string_view, 3> kXpEvents{"txflit_valid", "txflit_stall", "partial_dat_flit"};

/// @return true if some crosspoint has a device there.
bool is_used(const CmnJudgeSpec& spec, std::size_t port) {
  return std::any_of(spec.devices.begin(), spec.devices.end(), [&](const std::vector<cmn::DeviceType>& ports) {
    return port < ports.size() && ports[port] != cmn::DeviceType::none;
  });
}

bool has_channel(const CmnJudgeSpec& spec, cmn::Channel channel) {
  switch (channel) {
    case cmn::Channel::pub:
      return spec.part != kPart600;
    case cmn::Channel::rsp2:
      return spec.response_channels > 1;
    case cmn::Channel::dat2:
      return spec.data_channels > 1;
    case cmn::Channel::req2:
      return spec.request_channels > 1;
    case cmn::Channel::snp2:
      return spec.snoop_channels > 1;
    default:
      return true;
  }
}

void add_crosspoint_events(const CmnJudgeSpec& spec, std::vector<PublishedEvent>& events) {
  constexpr std::size_t kFirstPort = 4;  // among the interfaces
  constexpr std::size_t kPartial = 2;
  for (std::size_t interface = 0; interface < kInterfacesNamed; ++interface) {
    for (std::size_t number = 0; number < cmn::kChannels; ++number) {
      const auto channel = static_cast<cmn::Channel>(number);
      const bool is_data = channel == cmn::Channel::dat || channel == cmn::Channel::dat2;
      for (std::size_t event = 0; event < kXpEvents.size(); ++event) {
        PublishedEvent published;
        published.name = fmt::format("mxp_{}_{}_{}", xp_interface_name(static_cast<cmn::Interface>(interface)),
                                     xp_channel_name(channel), kXpEvents[event]);
        published.words[0] =
            config_of(static_cast<std::uint64_t>(NodeType::xp), number << 5U | interface << 2U | (event + 1));
        if (interface >= kFirstPort && !is_used(spec, interface - kFirstPort)) {
          published.shown = Shown::never;
          published.missing = fmt::format("no crosspoint has a device at port {}", interface - kFirstPort);
        } else if (!has_channel(spec, channel)) {
          published.shown = Shown::never;
          published.missing = fmt::format("the mesh has no channel {}", xp_channel_name(channel));
        } else if (event == kPartial && (interface < kFirstPort || !is_data)) {
          published.shown = Shown::may;
        }
        // Before, drivers read the numbers of an S3's channels where r2 has them no more.
        if (spec.layout == WatchpointLayout::s3_r2 && channel >= cmn::Channel::rsp2) {
          PublishedEvent before = published;
          before.shown = Shown::may;
          before.last = kFiltersApart - 1;
          events.push_back(std::move(before));
          published.since = kFiltersApart;
        }
        events.push_back(std::move(published));
      }
    }
  }
}

/// Names in the map. Those of requesters and memory end in the letter of the CHI issue that they speak, and in _E with an
/// address map of their own.
std::string_view device_label(cmn::DeviceType device) {
  constexpr std::array<std::string_view, 0x23> kLabels{
      "",     "RN-I", "RN-D",   "????",     "RN-F_B", "RN-F_B_E", "RN-F_A",   "RN-F_A_E", "HN-T",
      "HN-I", "HN-D", "HN-P",   "SN-F",     "SBSX",   "HN-F",     "SN-F_E",   "SN-F_D",   "CXHA",
      "CXRA", "CXRH", "RN-F_D", "RN-F_D_E", "RN-F_C", "RN-F_C_E", "RN-F_E",   "RN-F_E_E", "HN-S",
      "LCN",  "MTSX", "HN-V",   "CCG",      "????",   "RN-F_F",   "RN-F_F_E", "SN-F_F"};
  return kLabels.at(static_cast<std::size_t>(device));
}

/// Nodes that belong to a device, and are not what it is there for: the map does not show them.
bool is_extra(NodeType type) {
  constexpr std::array kExtras{NodeType::dvm,     NodeType::cfg,  NodeType::dtc,        NodeType::xp,
                               NodeType::mpam_s,  NodeType::apb,  NodeType::hns_mpam_s, NodeType::hns_mpam_ns,
                               NodeType::mpam_ns, NodeType::cxla, NodeType::rn_sam};
  return std::find(kExtras.begin(), kExtras.end(), type) != kExtras.end();
}

MeshMap map_of(const CmnJudgeSpec& spec) {
  MeshMap map;
  map.columns = spec.columns;
  for (std::size_t xp = 0; xp < spec.devices.size(); ++xp) {
    MeshMap::Crosspoint& crosspoint = map.crosspoints.emplace_back();
    crosspoint.domain = fmt::format("{}", spec.domains.at(xp));
    crosspoint.may_be_unknown = spec.part == kPart600;  // it has no register that tells
    for (const cmn::DeviceType device : spec.devices[xp])
      crosspoint.ports.emplace_back().device = std::string(device_label(device));
  }
  for (const CmnNode& node : spec.nodes) {
    if (is_extra(node.type) || node.closed || node.xp >= map.crosspoints.size()) continue;
    std::vector<MeshMap::Port>& ports = map.crosspoints[node.xp].ports;
    if (node.port < ports.size() && node.device < ports[node.port].ids.size())
      ports[node.port].ids.at(node.device).insert(node.logical_id);
  }
  return map;
}

PublishedDrawing drawing_of(const CmnJudgeSpec& spec) {
  // Nothing is known of the crosspoints of a mesh whose nodes are not judged.
  if (spec.devices.empty() || spec.domains.size() != spec.devices.size()) return {};
  const std::string number = spec.pmu.substr(spec.pmu.find_last_of('_') + 1);
  return {number == "0" ? "arm-cmn/map" : "arm-cmn/map_" + number,
          [map = map_of(spec)](const std::string& text) { return compare_map(map, text); }};
}

}  // namespace

Publication cmn_publication(const CmnJudgeSpec& spec) {
  constexpr std::uint64_t kDtc = 0x3;
  constexpr std::uint64_t kWatchpoint = 0x7770;
  Publication publication;
  publication.fields = cmn_fields();
  publication.events = {{"dtc_cycles", {config_of(kDtc, 0)}},
                        {"watchpoint_up", {config_of(kWatchpoint, 0)}},
                        {"watchpoint_down", {config_of(kWatchpoint, 2)}}};
  NodeEvents(spec, publication.events).add();
  add_crosspoint_events(spec, publication.events);
  publication.files = {{"identifier", fmt::format("{:03x}{:02x}", spec.part, spec.revision), kPresentPlaces}};
  publication.drawing = drawing_of(spec);
  if (spec.left_alone)
    publication.left_alone =
        "its devices can be isolated, and before CMN S3 r2p0 software cannot tell which, so an access may hang";
  return publication;
}

}  // namespace pmufab::scoreboard
