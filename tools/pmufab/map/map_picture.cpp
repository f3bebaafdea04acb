// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/map/map_picture.h"

#include <algorithm>

#include <fmt/format.h>

#include "testbench/run/yaml/quantity.h"

namespace pmufab::cli {
namespace {

using cmn::Interface;
using scenario::Quantity;

std::string node_text(const cmn::Layout& layout, unsigned node) {
  const std::string name = layout.name(node);
  return layout.nodes()[node].is_closed() ? "(" + name + ")" : name;
}

MeshPicture::Port port_of(const cmn::Topology& topology, const cmn::Layout& layout, unsigned xp, unsigned port) {
  const cmn::Crosspoint& crosspoint = topology.crosspoints[xp];
  MeshPicture::Port picture{crosspoint.ports[port].device, {}};
  if (picture.type == cmn::DeviceType::none) return picture;
  const unsigned base = layout.xp(xp).node_id | port << cmn::device_bits(topology, crosspoint);
  const cmn::Port& connected = crosspoint.ports[port];
  for (unsigned device = connected.first_device; device < cmn::device_end(connected); ++device)
    picture.devices.push_back({device, base | device, {}});
  const cmn::Layout::Range children = layout.children(xp);
  for (unsigned node = children.first; node < children.last; ++node) {
    const cmn::NodePlace& place = layout.nodes()[node];
    if (place.port != port) continue;
    auto device = std::ranges::find_if(picture.devices,
                                       [&](const MeshPicture::Device& known) { return known.number == place.device; });
    if (device == picture.devices.end())
      device = picture.devices.insert(device, {place.device, base | place.device, {}});
    device->nodes.push_back(node_text(layout, node));
  }
  std::ranges::sort(picture.devices,
                    [](const MeshPicture::Device& a, const MeshPicture::Device& b) { return a.number < b.number; });
  return picture;
}

}  // namespace

std::string MeshPicture::Xp::dtm_text() const {
  if (dtms == 1) return fmt::format("DTM {}", first_dtm);
  return fmt::format("DTMs {}-{}", first_dtm, first_dtm + dtms - 1);
}

std::string revision_of(const scenario::Value* platform, const cmn::Topology& topology, unsigned mesh) {
  const scenario::Value* const meshes = platform == nullptr ? nullptr : platform->find("meshes");
  if (meshes != nullptr && mesh < meshes->items.size()) {
    if (const scenario::Value* const revision = meshes->items[mesh].find("revision"); revision != nullptr)
      return revision->scalar;
  }
  return fmt::format("revision code {}", topology.revision);
}

MeshPicture picture_of(const cmn::Topology& topology, const cmn::Layout& layout, unsigned index,
                       const std::string& revision) {
  MeshPicture picture;
  picture.index = index;
  picture.name = fmt::format("cmn{}", index);
  picture.title =
      fmt::format("{} {}, {} x {} crosspoints, {} DTC{}, {}, registers at {:#x}", cmn::to_string(topology.product),
                  revision, topology.columns, topology.rows, topology.dtcs, topology.dtcs == 1 ? "" : "s",
                  scenario::format_quantity(topology.frequency_hz, Quantity::frequency), topology.base);
  picture.columns = topology.columns;
  picture.rows = topology.rows;
  for (unsigned xp = 0; xp < layout.xps(); ++xp) {
    const cmn::Crosspoint& crosspoint = topology.crosspoints[xp];
    const cmn::NodePlace& place = layout.xp(xp);
    MeshPicture::Xp& shown = picture.xps.emplace_back(MeshPicture::Xp{
        xp, place.node_id, place.logical_id, crosspoint.dtc_domain, layout.first_dtm(xp), layout.dtms_of(xp), {}, {}});
    for (unsigned port = 0; port < crosspoint.ports.size(); ++port)
      shown.ports.push_back(port_of(topology, layout, xp, port));
    const cmn::Layout::Range children = layout.children(xp);
    for (unsigned node = children.first; node < children.last; ++node) {
      if (layout.nodes()[node].port == cmn::kNoPort) shown.nodes.push_back(node_text(layout, node));
    }
  }
  return picture;
}

std::vector<Link> links_of(unsigned columns, unsigned rows) {
  std::vector<Link> links;
  for (unsigned xp = 0; xp < columns * rows; ++xp) {
    const unsigned x = xp % columns;
    const unsigned y = xp / columns;
    if (x + 1 < columns) links.push_back({Interface::east, xp, xp + 1});
    if (x > 0) links.push_back({Interface::west, xp, xp - 1});
    if (y + 1 < rows) links.push_back({Interface::north, xp, xp + columns});
    if (y > 0) links.push_back({Interface::south, xp, xp - columns});
  }
  return links;
}

std::string_view direction_of(Interface interface) noexcept {
  switch (interface) {
    case Interface::east:
      return "east";
    case Interface::west:
      return "west";
    case Interface::north:
      return "north";
    case Interface::south:
      return "south";
    default:
      return "down";
  }
}

}  // namespace pmufab::cli
