// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/map/map_writers.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <sstream>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace pmufab::cli {
namespace {

using cmn::DeviceType;
using cmn::NodeType;

constexpr unsigned kShownDevices = 2;  // of a port; the driver's map has no room for more
constexpr std::size_t kHead = 5;       // characters before the first '|' of a line, or before '+'

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// One column of one row of the driver's map, unchanged.
struct Cell {
  std::string xp;
  std::string domain;
  std::map<unsigned, std::string> devices;                           // by port
  std::map<std::pair<unsigned, unsigned>, std::string> logical_ids;  // by port and device
};

/// The driver's map, taken apart.
class DriverMap {
 public:
  explicit DriverMap(const std::string& text) {
    std::istringstream stream(text);
    unsigned number = 0;
    for (std::string line; std::getline(stream, line);) {
      ++number;
      if (!read(line)) errors_.push_back(fmt::format("line {} of the driver's map makes no sense: '{}'", number, line));
    }
  }
  [[nodiscard]] const std::vector<std::string>& errors() const noexcept { return errors_; }
  [[nodiscard]] const Cell* find(unsigned x, unsigned y) const {
    const auto cell = cells_.find({x, y});
    return cell == cells_.end() ? nullptr : &cell->second;
  }
  [[nodiscard]] std::size_t cells() const noexcept { return cells_.size(); }

 private:
  bool read(const std::string& line) {
    if (line.size() <= kHead) return false;
    const std::string head = line.substr(0, kHead);
    if (line[kHead] != '|') return line[kHead] == '+' || head == std::string(kHead, ' ');  // a rule, or the columns
    const std::string name = trimmed(head);
    const bool number =
        !name.empty() && std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c) != 0; });
    if (!name.empty() && (!number || name.size() > 2)) return false;
    const auto value = static_cast<unsigned>(number ? std::stoul(name) : 0);
    if (number && head[0] != ' ') {
      row_ = value;
      port_.reset();
    } else if (number && head[2] != ' ') {
      port_ = value;
    }
    if (!row_) return false;
    std::istringstream stream(line.substr(kHead + 1));
    unsigned x = 0;
    for (std::string text; std::getline(stream, text, '|'); ++x) put(cells_[{x, *row_}], head, value, trimmed(text));
    return true;
  }

  void put(Cell& cell, const std::string& head, unsigned value, const std::string& text) const {
    if (head[0] != ' ') {
      cell.xp = text;
    } else if (head[2] != ' ') {
      cell.devices[value] = text;
    } else if (head[kHead - 1] != ' ') {
      if (port_) cell.logical_ids[{*port_, value}] = text;
    } else if (text.starts_with("DTC")) {
      cell.domain = text;
    }
  }

  std::optional<unsigned> row_;
  std::optional<unsigned> port_;
  std::map<std::pair<unsigned, unsigned>, Cell> cells_;  // by x and y
  std::vector<std::string> errors_;
};

/// @return a device's name in the driver's map. For requesters and memories it has the issue of CHI they speak, and
/// whether they have their own address map.
std::string driver_name(DeviceType type) {
  switch (type) {
    case DeviceType::none:
      return "";
    case DeviceType::rn_f_chia:
      return "RN-F_A";
    case DeviceType::rn_f_chia_esam:
      return "RN-F_A_E";
    case DeviceType::rn_f_chib:
      return "RN-F_B";
    case DeviceType::rn_f_chib_esam:
      return "RN-F_B_E";
    case DeviceType::rn_f_chic:
      return "RN-F_C";
    case DeviceType::rn_f_chic_esam:
      return "RN-F_C_E";
    case DeviceType::rn_f_chid:
      return "RN-F_D";
    case DeviceType::rn_f_chid_esam:
      return "RN-F_D_E";
    case DeviceType::rn_f_chie:
      return "RN-F_E";
    case DeviceType::rn_f_chie_esam:
      return "RN-F_E_E";
    case DeviceType::rn_f_chif:
      return "RN-F_F";
    case DeviceType::rn_f_chif_esam:
      return "RN-F_F_E";
    case DeviceType::sn_f_chid:
      return "SN-F_D";
    case DeviceType::sn_f_chie:
      return "SN-F_E";
    case DeviceType::sn_f_chif:
      return "SN-F_F";
    default:
      return std::string(cmn::to_string(type));
  }
}

/// @return what the driver shows for the device with this node id: the first by type and logical id of the nodes it
/// keeps, without DVM and DTC (arm_cmn_show_logid, and the order arm_cmn_init_dtcs sorts by).
std::string shown_logical_id(const cmn::Layout& layout, unsigned xp, unsigned node_id) {
  std::optional<std::pair<unsigned, unsigned>> first;  // type, logical id
  const cmn::Layout::Range children = layout.children(xp);
  for (unsigned index = children.first; index < children.last; ++index) {
    const cmn::NodePlace& node = layout.nodes()[index];
    if (node.node_id != node_id || node.is_closed()) continue;
    auto type = static_cast<unsigned>(node.type);
    switch (node.type) {
      case NodeType::dvm:
      case NodeType::dtc:
      case NodeType::mpam_s:
      case NodeType::mpam_ns:
      case NodeType::rn_sam:
      case NodeType::cxla:
      case NodeType::hns_mpam_s:
      case NodeType::hns_mpam_ns:
      case NodeType::apb:
        continue;
      case NodeType::hn_p:  // the driver splits it into this type and itself
        type = static_cast<unsigned>(NodeType::hn_i);
        break;
      case NodeType::ccla_rni:
        type = static_cast<unsigned>(NodeType::rn_i);
        break;
      default:
        break;
    }
    const std::pair<unsigned, unsigned> key{type, node.logical_id};
    if (!first || key < *first) first = key;
  }
  return first ? fmt::format("#{}", first->second) : "";
}

/// Collects differences.
class Comparer {
 public:
  Comparer(const cmn::Topology& topology, const cmn::Layout& layout, const DriverMap& map)
      : topology_(topology), layout_(layout), map_(map) {}

  MapComparison compare() {
    result_.differences = map_.errors();
    const std::size_t shown = map_.cells();
    if (shown != topology_.crosspoints.size())
      result_.differences.push_back(
          fmt::format("the driver shows {} crosspoints, the mesh has {}", shown, topology_.crosspoints.size()));
    for (unsigned xp = 0; xp < layout_.xps(); ++xp) {
      const Cell* const cell = map_.find(xp % topology_.columns, xp / topology_.columns);
      if (cell == nullptr) {
        result_.differences.push_back(fmt::format("XP {}: the driver shows nothing at its place", xp));
      } else {
        compare(xp, *cell);
      }
    }
    if (without_domain_ > 0)
      result_.unknown.push_back(
          fmt::format("the driver cannot tell the DTC domain of {} crosspoints", without_domain_));
    if (ghosts_ > 0)
      result_.unknown.push_back(fmt::format(
          "the driver shows {} logical ids at ports that do not exist; they belong to other nodes", ghosts_));
    return std::move(result_);
  }

 private:
  void compare(unsigned xp, const Cell& cell) {
    const cmn::Crosspoint& crosspoint = topology_.crosspoints[xp];
    const std::string place = fmt::format("XP {}", xp);
    check(place, cell.xp, fmt::format("XP #{}", xp));
    if (cell.domain == "DTC ??") {
      ++without_domain_;
    } else {
      check(place, cell.domain, fmt::format("DTC {}", crosspoint.dtc_domain));
    }
    unsigned ports = static_cast<unsigned>(crosspoint.ports.size());
    if (!cell.devices.empty()) ports = std::max(ports, cell.devices.rbegin()->first + 1);
    for (unsigned port = 0; port < ports; ++port) {
      const DeviceType type = port < crosspoint.ports.size() ? crosspoint.ports[port].device : DeviceType::none;
      const std::string at = fmt::format("{} port {}", place, port);
      const auto device = cell.devices.find(port);
      check(at, device == cell.devices.end() ? "" : device->second, driver_name(type), "????");
      for (unsigned number = 0; number < kShownDevices; ++number) {
        const auto found = cell.logical_ids.find({port, number});
        const std::string shown = found == cell.logical_ids.end() ? "" : found->second;
        if (port < cmn::used_ports(crosspoint)) {
          const unsigned id = layout_.xp(xp).node_id | port << cmn::device_bits(topology_, crosspoint) | number;
          check(fmt::format("{} device {}", at, number), shown, shown_logical_id(layout_, xp, id));
        } else if (!shown.empty()) {
          // If the ids of this XP have no bits for a port, the driver puts the port into the bits of the coordinates.
          ++ghosts_;
        }
      }
    }
  }

  /// @param blank  what the driver shows for an unknown device
  void check(const std::string& place, const std::string& driver, const std::string& mesh,
             std::string_view blank = {}) {
    if (driver == mesh) return;
    const auto name = [](const std::string& text) { return text.empty() ? "nothing" : "'" + text + "'"; };
    if (!blank.empty() && driver == blank && !mesh.empty()) {
      result_.unknown.push_back(fmt::format("{}: the driver does not know {}", place, name(mesh)));
    } else {
      result_.differences.push_back(
          fmt::format("{}: the driver shows {}, the mesh has {}", place, name(driver), name(mesh)));
    }
  }

  const cmn::Topology& topology_;
  const cmn::Layout& layout_;
  const DriverMap& map_;
  unsigned without_domain_ = 0;  // XPs whose domain has no register, as on CMN-600
  unsigned ghosts_ = 0;          // logical ids at ports an XP does not have
  MapComparison result_;
};

}  // namespace

MapComparison compare_with_driver(const cmn::Topology& topology, const cmn::Layout& layout,
                                  const std::string& driver_map) {
  const DriverMap map(driver_map);
  return Comparer(topology, layout, map).compare();
}

}  // namespace pmufab::cli
