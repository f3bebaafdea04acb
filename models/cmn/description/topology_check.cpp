// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/description/topology.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/cmn/description/layout.h"

namespace pmufab::cmn {

namespace {

constexpr unsigned kPortsInNodeIds = 4;  // two bits; a mesh of one XP has three (arm_cmn_discover)
constexpr unsigned kChildPointers = 32;  // child pointers of an XP: 0x100 ... 0x1f8

template <typename... Args>
[[noreturn]] void refuse(std::string field, fmt::format_string<Args...> reason, Args&&... args) {
  throw SpecError(std::move(field), fmt::format(reason, std::forward<Args>(args)...));
}

void check_size(const Topology& topology, const ProductFacts& facts) {
  const unsigned side =
      topology.deviations.any_size ? kMaximumSide : std::min<unsigned>(facts.maximum_side, topology.limits.side);
  const auto check_side = [&](const char* field, unsigned value) {
    if (value == 0 || value > side) {
      refuse(field, "{} XPs are not possible; {} with this driver takes 1 to {}", value, facts.name, side);
    }
  };
  check_side("columns", topology.columns);
  check_side("rows", topology.rows);
  if (std::max(topology.columns, topology.rows) == 2) {
    refuse(topology.columns == 2 ? "columns" : "rows",
           "with a larger side of 2 drivers and tools disagree about the width of node ids; make it 1x1 or one side at "
           "least 3");
  }
  if (topology.crosspoints.size() != std::size_t{topology.columns} * topology.rows) {
    refuse("crosspoints", "{} are given for a mesh of {}x{}; give one for each place, row by row",
           topology.crosspoints.size(), topology.columns, topology.rows);
  }
}

void check_globals(const Topology& topology, const ProductFacts& facts) {
  if (topology.revision >= facts.revisions) {
    refuse("revision", "{} has revision codes 0 to {}, not {}", facts.name, facts.revisions - 1, topology.revision);
  }
  if (topology.multiple_dtm && topology.product == Product::cmn600) {
    refuse("multiple_dtm", "CMN-600 has one DTM per XP; set it to false");
  }
  const auto check_channel = [&](const char* field, unsigned number, unsigned most) {
    if (number < 1 || number > most) refuse(field, "{} is not possible on {}; use 1 to {}", number, facts.name, most);
  };
  // A second REQ or SNP channel needs event ids that the part can encode. A CMN-600 cannot tell of any second channel.
  const unsigned second = topology.product == Product::cmn700 || topology.product == Product::s3 ? 2 : 1;
  check_channel("channels.req", topology.channels.req, second);
  check_channel("channels.snp", topology.channels.snp, second);
  const unsigned sub_channels = topology.product == Product::cmn600 ? 1 : 2;
  check_channel("channels.rsp", topology.channels.rsp, sub_channels);
  check_channel("channels.dat", topology.channels.dat, sub_channels);
  if (topology.frequency_hz == 0 || topology.frequency_hz > 1'000'000'000'000) {
    refuse("frequency_hz", "{} is outside 1 Hz to 1 THz", topology.frequency_hz);
  }
  if (topology.base % facts.node_window != 0) {
    refuse("base", "{:#x} is not a multiple of a node's window of {:#x} bytes", topology.base, facts.node_window);
  }
  if (topology.dtcs < 1 || topology.dtcs > kMaximumDtcs) {
    refuse("dtcs", "{} are not possible; every mesh has 1 to {}, the first in its HN-D and others in HN-Ts",
           topology.dtcs, kMaximumDtcs);
  }
}

bool is_mpam(NodeType type) { return type == NodeType::mpam_s || type == NodeType::mpam_ns; }
bool is_hns_mpam(NodeType type) { return type == NodeType::hns_mpam_s || type == NodeType::hns_mpam_ns; }

/// @return true if a device of this kind can have such a node.
bool belongs(DeviceType device, NodeType node) {
  if (is_rn_f(device)) return node == NodeType::rn_sam;
  switch (device) {
    case DeviceType::rn_i:
      return node == NodeType::rn_i || node == NodeType::rn_sam;
    case DeviceType::rn_d:
      return node == NodeType::rn_d || node == NodeType::rn_sam;
    case DeviceType::hn_d:
    case DeviceType::hn_t:
      return node == NodeType::dvm || node == NodeType::dtc || node == NodeType::hn_i;
    case DeviceType::hn_i:
    case DeviceType::hn_v:
      return node == NodeType::hn_i;
    case DeviceType::hn_p:
      return node == NodeType::hn_p;
    case DeviceType::sbsx:
      return node == NodeType::sbsx;
    case DeviceType::mtsx:
      return node == NodeType::mtsx;
    case DeviceType::hn_f:
      return node == NodeType::hn_f || is_mpam(node);
    case DeviceType::hn_s:
    case DeviceType::lcn:
      return node == NodeType::hn_s || is_hns_mpam(node);
    case DeviceType::cxha:
    case DeviceType::cxra:
    case DeviceType::cxrh:
      return node == NodeType::cxra || node == NodeType::cxha || node == NodeType::cxla || node == NodeType::rn_sam;
    case DeviceType::ccg:
    case DeviceType::ccg_smp:
      return node == NodeType::ccra || node == NodeType::ccha || node == NodeType::ccla || node == NodeType::ccla_rni ||
             node == NodeType::rn_sam;
    default:
      return false;
  }
}

/// @return true if the product has devices of this kind.
bool exists(Product product, DeviceType device) {
  const bool newer = product == Product::cmn700 || product == Product::s3;
  switch (device) {
    case DeviceType::cxha:
    case DeviceType::cxra:
    case DeviceType::cxrh:
      return product == Product::cmn600 || product == Product::cmn650;
    case DeviceType::hn_s:
    case DeviceType::lcn:
    case DeviceType::hn_v:
    case DeviceType::ccg:
    case DeviceType::ccg_smp:
      return newer;
    case DeviceType::hn_p:
      return product != Product::cmn600;
    case DeviceType::mtsx:
      return newer || product == Product::ci700;
    case DeviceType::rn_f_chif:
    case DeviceType::rn_f_chif_esam:
    case DeviceType::sn_f_chif:
      return product == Product::s3;
    case DeviceType::rn_f_chie:
    case DeviceType::rn_f_chie_esam:
    case DeviceType::sn_f_chie:
      return newer || product == Product::ci700;
    default:
      return to_string(device) != "unknown device";
  }
}

void check_node(const Topology& topology, const std::string& field, const Node& node) {
  if (topology.deviations.any_node) return;
  if (!is_known(node.type)) {
    refuse(field + ".type",
           "{:#x} cannot be below an XP: the driver refuses it; deviations.any_node allows it for tests",
           static_cast<unsigned>(node.type));
  }
}

void check_port(const Topology& topology, const std::string& field, const Port& port, unsigned devices) {
  const ProductFacts& facts = facts_of(topology.product, topology.revision);
  if (!topology.deviations.any_node && !exists(topology.product, port.device)) {
    refuse(field + ".device", "{} has no {} ({:#x})", facts.name, to_string(port.device),
           static_cast<unsigned>(port.device));
  }
  if (port.device == DeviceType::none && !port.nodes.empty()) {
    refuse(field + ".device", "there are {} nodes behind the port; say which device brings them", port.nodes.size());
  }
  if (port.devices < 1 || port.devices > devices) {
    refuse(field + ".devices", "{} are not possible; node ids at this XP can tell 1 to {} apart", port.devices,
           devices);
  }
  if (port.first_device + port.devices > devices) {
    refuse(field + ".devices", "there is no device {}; node ids at this XP can name devices 0 to {}",
           port.first_device + port.devices - 1, devices - 1);
  }
  std::set<std::pair<unsigned, NodeType>> places;
  for (unsigned i = 0; i < port.nodes.size(); ++i) {
    const Node& node = port.nodes[i];
    const std::string node_field = fmt::format("{}.nodes[{}]", field, i);
    check_node(topology, node_field, node);
    if (node.device >= devices) {
      refuse(node_field + ".device", "{} is not possible; node ids at this XP can name devices 0 to {}", node.device,
             devices - 1);
    }
    if (topology.deviations.any_node) continue;
    if (!belongs(port.device, node.type)) {
      refuse(node_field + ".type", "a {} brings no node {}; deviations.any_node allows it for tests",
             to_string(port.device), to_string(node.type));
    }
    if (!places.emplace(node.device, node.type).second) {
      refuse(node_field + ".device", "device {} of the port has a node {} already; give this one another number",
             node.device, to_string(node.type));
    }
  }
}

void check_crosspoint(const Topology& topology, const ProductFacts& facts, unsigned xp) {
  const Crosspoint& crosspoint = topology.crosspoints[xp];
  const std::string field = fmt::format("crosspoints[{}]", xp);
  if (crosspoint.dtc_domain >= topology.dtcs) {
    refuse(field + ".dtc_domain", "{} does not exist; there are {} DTCs", crosspoint.dtc_domain, topology.dtcs);
  }
  if (crosspoint.ports.size() > facts.maximum_ports) {
    refuse(field + ".ports", "{} are too many; an XP of {} has {} that software can see", crosspoint.ports.size(),
           facts.name, facts.maximum_ports);
  }
  if (crosspoint.ports.size() > kPortsInNodeIds && topology.crosspoints.size() > 1) {
    refuse(field + ".ports", "node ids have room for {} ports of an XP, and these are {}; only a mesh of one XP has 6",
           kPortsInNodeIds, crosspoint.ports.size());
  }
  if (crosspoint.ports.size() > 2 && used_ports(crosspoint) <= 2) {
    refuse(field + ".ports",
           "none of the ports from 2 up has a device: software would read node ids here as those of an XP with two "
           "ports; leave them out or connect one");
  }
  const unsigned devices = 1U << device_bits(topology, crosspoint);
  std::size_t children = crosspoint.nodes.size();
  for (unsigned port = 0; port < crosspoint.ports.size(); ++port) {
    check_port(topology, fmt::format("{}.ports[{}]", field, port), crosspoint.ports[port], devices);
    children += crosspoint.ports[port].nodes.size();
  }
  for (unsigned i = 0; i < crosspoint.nodes.size(); ++i) {
    const Node& node = crosspoint.nodes[i];
    const std::string node_field = fmt::format("{}.nodes[{}]", field, i);
    check_node(topology, node_field, node);
    if (topology.deviations.any_node) continue;
    if (node.type != NodeType::apb && node.type != NodeType::rn_sam && !is_mpam(node.type) && !is_hns_mpam(node.type)) {
      refuse(node_field + ".type", "a node {} belongs behind a port", to_string(node.type));
    }
  }
  for (const Deviations::ChildPointer& pointer : topology.deviations.child_pointers) children += pointer.xp == xp;
  if (children > kChildPointers) {
    refuse(field, "{} nodes are too many; an XP has room for {} child pointers", children, kChildPointers);
  }
}

void check_dtms(const Topology& topology) {
  unsigned dtms = 0;
  for (const Crosspoint& crosspoint : topology.crosspoints) dtms += dtms_of(topology, crosspoint);
  const auto xps = static_cast<unsigned>(topology.crosspoints.size());
  const unsigned room = topology.multiple_dtm ? 2 * xps + 1 : xps;
  if (dtms > std::min(room, topology.limits.dtms)) {
    refuse("multiple_dtm",
           "the ports in use make {} DTMs; the driver has room for {}: connect fewer ports above 1, or set it to false",
           dtms, std::min(room, topology.limits.dtms));
  }
}

void check_dtcs(const Topology& topology) {
  std::vector<unsigned> found(topology.dtcs, 0);
  for (unsigned xp = 0; xp < topology.crosspoints.size(); ++xp) {
    const Crosspoint& crosspoint = topology.crosspoints[xp];
    for (unsigned p = 0; p < crosspoint.ports.size(); ++p) {
      const Port& port = crosspoint.ports[p];
      const std::string field = fmt::format("crosspoints[{}].ports[{}]", xp, p);
      bool has_dtc = false;
      for (unsigned i = 0; i < port.nodes.size(); ++i) {
        const Node& node = port.nodes[i];
        if (node.type != NodeType::dtc) continue;
        has_dtc = true;
        ++found[crosspoint.dtc_domain];
        if (node.external || node.isolated) {
          refuse(fmt::format("{}.nodes[{}]", field, i), "a DTC cannot be external or isolated: software needs it");
        }
        if (node.logical_id && *node.logical_id != crosspoint.dtc_domain && !topology.deviations.any_logical_id) {
          refuse(fmt::format("{}.nodes[{}].logical_id", field, i),
                 "{} is not the XP's domain, {}; leave it out: the driver takes a DTC's logical id for its domain",
                 *node.logical_id, crosspoint.dtc_domain);
        }
        if (topology.deviations.any_node) continue;
        if ((port.device == DeviceType::hn_d) != (crosspoint.dtc_domain == 0)) {
          refuse(field + ".device", "DTC 0 is in the HN-D and every other in an HN-T; this is DTC {} in an {}",
                 crosspoint.dtc_domain, to_string(port.device));
        }
      }
      if (port.device == DeviceType::hn_d && !has_dtc) {
        refuse(field + ".nodes", "an HN-D holds DTC 0; add a node dtc, or make it an HN-T or HN-I");
      }
    }
  }
  for (unsigned domain = 0; domain < topology.dtcs; ++domain) {
    if (found[domain] != 1) {
      refuse("dtcs", "domain {} has {} DTC nodes; put one behind an {} in that domain", domain, found[domain],
             domain == 0 ? "HN-D" : "HN-T");
    }
  }
}

void check_node_counts(const Topology& topology, const Layout& layout) {
  std::map<NodeType, unsigned> counts;
  for (const EventSource& source : layout.sources())
    ++counts[source.events == NodeType::rn_d ? NodeType::rn_i : source.events];
  for (const auto& [type, count] : counts) {
    if (count > topology.limits.nodes) {
      refuse("crosspoints", "{} nodes count events of {}; the driver has room for {}", count, to_string(type),
             topology.limits.nodes);
    }
  }
}

/// The places of XPs and DTCs that software expects in a Graviton5 (arm-cmn.c, arm_cmn_discover): it numbers DTCs in
/// the order of their XPs.
void check_graviton5(const Topology& topology, const Layout& layout) {
  constexpr unsigned kColumns = 10;
  constexpr unsigned kRows = 14;
  if (topology.variant != Variant::graviton5) return;
  if (topology.columns != kColumns) refuse("columns", "a Graviton5 has {}, not {}", kColumns, topology.columns);
  if (topology.rows != kRows) refuse("rows", "a Graviton5 has {}, not {}", kRows, topology.rows);
  if (topology.dtcs != kMaximumDtcs) refuse("dtcs", "a Graviton5 has one in each quadrant, {}", kMaximumDtcs);
  for (unsigned xp = 0; xp < topology.crosspoints.size(); ++xp) {
    const unsigned quadrant = xp % kColumns / (kColumns / 2) + 2 * (xp / kColumns / (kRows / 2));
    const unsigned domain = topology.crosspoints[xp].dtc_domain;
    if (domain != quadrant)
      refuse(fmt::format("crosspoints[{}].dtc_domain", xp), "is {}, but the XP is in quadrant {}", domain, quadrant);
  }
  if (topology.deviations.any_dtc_order) return;
  for (unsigned dtc = 1; dtc < topology.dtcs; ++dtc) {
    const unsigned xp = layout.nodes()[layout.dtc_node(dtc)].xp;
    const unsigned before = layout.nodes()[layout.dtc_node(dtc - 1)].xp;
    if (xp < before) {
      refuse(
          fmt::format("crosspoints[{}]", xp),
          "the DTC of quadrant {} is at a lower XP than that of quadrant {}, and software would confuse them; put it "
          "above XP {}",
          dtc, dtc - 1, before);
    }
  }
}

void check_logical_ids(const Topology& topology, const Layout& layout) {
  if (topology.deviations.any_logical_id) return;
  std::set<std::pair<NodeType, unsigned>> seen;
  for (unsigned index = Layout::node_of_xp(layout.xps()); index < layout.nodes().size(); ++index) {
    const NodePlace& node = layout.nodes()[index];
    const std::string field = fmt::format("crosspoints[{}]", node.xp);
    if (node.logical_id > topology.limits.logical_id) {
      refuse(field, "logical id {} of a node {} is above {}, where the driver gives up", node.logical_id,
             to_string(node.type), topology.limits.logical_id);
    }
    if (node.type == NodeType::dtc && topology.variant == Variant::graviton5) continue;  // all 0
    if (!seen.emplace(node.type, node.logical_id).second) {
      refuse(field, "logical id {} of a node {} is taken; leave it out to get the next free one", node.logical_id,
             to_string(node.type));
    }
  }
}

/// Windows are in the range of a child pointer, and do not overlap.
void check_root(const Topology& topology, const ProductFacts& facts, const Layout& layout) {
  constexpr std::uint32_t kSpace = 0x1000'0000;
  if (!topology.root) return;
  if (topology.product != Product::cmn600) refuse("root", "{} has its CFG node at offset 0; leave it out", facts.name);
  const auto others = static_cast<std::uint32_t>(layout.nodes().size()) - 1 - layout.xps();
  const std::uint32_t first = others * facts.node_window;
  const std::uint32_t last = kSpace - (1 + layout.xps()) * facts.node_window;
  if (*topology.root % facts.node_window != 0 || *topology.root < first || *topology.root > last) {
    refuse("root", "{:#x} is not possible; use a multiple of {:#x}, {:#x} to {:#x}", *topology.root, facts.node_window,
           first, last);
  }
}

}  // namespace

void check(const Topology& topology) {
  const ProductFacts& facts = facts_of(topology.product, topology.revision);
  if (topology.variant == Variant::graviton5 && topology.product != Product::s3)
    refuse("variant", "Graviton5 has a CMN S3; make that the product");
  check_size(topology, facts);
  check_globals(topology, facts);
  for (unsigned xp = 0; xp < topology.crosspoints.size(); ++xp) check_crosspoint(topology, facts, xp);
  for (const Deviations::XpLogicalId& wrong : topology.deviations.xp_logical_ids) {
    if (wrong.xp >= topology.crosspoints.size()) refuse("deviations.xp_logical_ids", "there is no XP {}", wrong.xp);
  }
  check_dtms(topology);
  check_dtcs(topology);
  const Layout layout(topology);
  check_root(topology, facts, layout);
  check_graviton5(topology, layout);
  check_logical_ids(topology, layout);
  check_node_counts(topology, layout);
}

}  // namespace pmufab::cmn
