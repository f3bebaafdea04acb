// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/client/mesh.h"

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace pmufab::cmn_client {
namespace {

// Registers by their offset in a node's window: technical reference manuals, and Linux's arm-cmn.c.
constexpr std::uint64_t kNodeInfo = 0x0000;
constexpr std::uint64_t kConnectInfo = 0x0008;  // of a crosspoint: one register for each port
constexpr std::uint64_t kPeripheralId01 = 0x0008;
constexpr std::uint64_t kPeripheralId23 = 0x0010;
constexpr std::uint64_t kChildInfo = 0x0080;
constexpr std::uint64_t kInfoGlobal = 0x0900;
constexpr std::uint64_t kUnitInfo = 0x0960;
constexpr std::uint64_t kUnitInfoBefore700 = 0x0910;
constexpr std::uint64_t kDtcControl = 0x0a00;
constexpr std::uint64_t kPmuBase = 0x2000;
constexpr std::uint64_t kPmuBaseOfS3 = 0xd900;
constexpr std::uint64_t kDtmBaseOfS3R1 = 0xa000;
constexpr std::uint64_t kSecondSelect = 0x8;  // HN-P, CCLA: from the first event select
constexpr std::uint64_t kDtmStride = 0x200;

constexpr std::uint64_t kChildOffset = 0x3fff'ffff;
constexpr std::uint64_t kIsolated = std::uint64_t{1} << 30;
constexpr std::uint64_t kExternal = std::uint64_t{1} << 31;
constexpr std::uint64_t kDeviceIsolation = std::uint64_t{1} << 44;
constexpr std::uint64_t kMultipleDtm = std::uint64_t{1} << 63;
constexpr std::uint64_t kMultipleDtmOfS3R2 = std::uint64_t{1} << 59;

constexpr unsigned bits(std::uint64_t value, unsigned high, unsigned low) {
  return static_cast<unsigned>(value >> low & ((std::uint64_t{2} << (high - low)) - 1));
}

/// What node_info says.
struct NodeInfo {
  unsigned type;
  std::uint16_t id;
  unsigned logical_id;
};

class Search {
 public:
  Search(const RegisterAccess& access, const MeshPlace& place) : access_(access), place_(place) {}

  Mesh run() {
    look_at_root();
    const std::vector<std::uint64_t> crosspoints = children(place_.base + place_.root);
    for (const std::uint64_t pointer : crosspoints)
      look_at_crosspoint(place_.base + (pointer & kChildOffset), crosspoints.size());
    if (dtcs_.empty() || dtcs_.size() > kMostDtcs) throw std::runtime_error("the mesh has no DTC, or too many");
    std::sort(dtcs_.begin(), dtcs_.end(), [](const FoundDtc& one, const FoundDtc& other) {
      return std::tie(one.logical_id, one.crosspoint) < std::tie(other.logical_id, other.crosspoint);
    });
    for (const FoundDtc& dtc : dtcs_) mesh_.dtcs.push_back({dtc.window + kDtcControl, dtc.window + pmu_offset(false)});
    for (const Dtm& dtm : mesh_.dtms) {
      if (dtm.domain && *dtm.domain >= mesh_.dtcs.size()) throw std::runtime_error("a crosspoint names no DTC");
    }
    return std::move(mesh_);
  }

 private:
  struct FoundDtc {
    unsigned logical_id;
    unsigned crosspoint;  // its logical id
    std::uint64_t window;
  };
  /// Bits of port and device in ids of nodes at a crosspoint.
  struct IdFormat {
    unsigned port_bits;
    unsigned device_bits;
  };

  [[nodiscard]] NodeInfo info(std::uint64_t window) const {
    const std::uint64_t value = access_.read64(window + kNodeInfo);
    return {bits(value, 15, 0), static_cast<std::uint16_t>(bits(value, 31, 16)), bits(value, 47, 32)};
  }

  [[nodiscard]] std::vector<std::uint64_t> children(std::uint64_t window) const {
    const std::uint64_t list = access_.read64(window + kChildInfo);
    std::vector<std::uint64_t> pointers(bits(list, 15, 0));
    for (std::size_t i = 0; i < pointers.size(); ++i)
      pointers[i] = access_.read64(window + bits(list, 31, 16) + sizeof(std::uint64_t) * i);
    return pointers;
  }

  void look_at_root() {
    const std::uint64_t window = place_.base + place_.root;
    if (info(window).type != node_types::kCfg) throw std::runtime_error("no root of a mesh here");
    const std::uint64_t id = access_.read64(window + kPeripheralId01);
    mesh_.part = bits(id, 7, 0) | bits(id, 35, 32) << 8;
    if (mesh_.part == parts::kCmn600Ae) mesh_.part = parts::kCmn600;
    constexpr std::array kKnown{parts::kCmn600, parts::kCmn650, parts::kCi700, parts::kCmn700, parts::kS3};
    if (std::find(kKnown.begin(), kKnown.end(), mesh_.part) == kKnown.end())
      throw std::runtime_error("a mesh of an unknown product");
    mesh_.revision = bits(access_.read32(window + kPeripheralId23), 7, 4);
    const std::uint64_t global = access_.read64(window + kInfoGlobal);
    mesh_.multiple_dtm = (global & (mesh_.is_s3_r2() ? kMultipleDtmOfS3R2 : kMultipleDtm)) != 0;
    // Devices may be isolated, and nothing tells which: an access to one may never end.
    if (mesh_.part == parts::kS3 && !mesh_.is_s3_r2() && (global & kDeviceIsolation) != 0)
      throw std::runtime_error("devices of the mesh may be isolated, and it does not tell which");
  }

  [[nodiscard]] std::uint64_t pmu_offset(bool is_crosspoint) const {
    if (mesh_.part != parts::kS3) return kPmuBase;
    return is_crosspoint && mesh_.revision >= 2 ? kDtmBaseOfS3R1 : kPmuBaseOfS3;
  }

  /// @return a bit for each port with a device
  [[nodiscard]] unsigned ports_in_use(std::uint64_t window) const {
    // The others have registers of something else in their place.
    const bool has_two = mesh_.part == parts::kCmn600 || mesh_.part == parts::kCmn650;
    unsigned used = 0;
    for (unsigned port = 0; port < (has_two ? 2 : kMostPorts); ++port) {
      const std::uint64_t shift = mesh_.part == parts::kCi700 && port >= 2 ? 0x10 : 0;
      if (access_.read32(window + kConnectInfo + sizeof(std::uint64_t) * port + shift) != 0) used |= 1U << port;
    }
    return used;
  }

  [[nodiscard]] std::optional<unsigned> domain_of(std::uint64_t window, unsigned logical_id) const {
    if (!place_.domains.empty()) return place_.domains.at(logical_id);
    if (mesh_.is_cmn600()) return std::nullopt;
    const bool is_before_700 = mesh_.part == parts::kCmn650 || mesh_.part == parts::kCi700;
    return bits(access_.read32(window + (is_before_700 ? kUnitInfoBefore700 : kUnitInfo)), 1, 0);
  }

  void look_at_crosspoint(std::uint64_t window, std::size_t crosspoints) {
    const NodeInfo node = info(window);
    if (node.type != node_types::kXp) throw std::runtime_error("a child of the root is no crosspoint");
    const unsigned ports = ports_in_use(window);
    const bool has_many = ports >> 2 != 0;
    const IdFormat format = crosspoints == 1 ? IdFormat{3, 2} : has_many ? IdFormat{2, 1} : IdFormat{1, 2};
    unsigned dtms = 1;
    if (mesh_.multiple_dtm && has_many) dtms = ports >> 4 != 0 ? 3 : 2;
    const std::uint64_t base = window + pmu_offset(true);
    const std::optional<unsigned> domain = domain_of(window, node.logical_id);
    const auto first = static_cast<unsigned>(mesh_.dtms.size());
    for (unsigned dtm = 0; dtm < dtms; ++dtm) mesh_.dtms.push_back({base + kDtmStride * dtm, domain});
    mesh_.crosspoints.push_back({node.id, base, first, dtms});
    for (const std::uint64_t pointer : children(window)) {
      if ((pointer & (kExternal | kIsolated)) != 0) continue;
      if (pointer == 0 && !mesh_.is_cmn600()) continue;  // some parts count more children than they have
      look_at_child(place_.base + (pointer & kChildOffset), format, node.logical_id);
    }
  }

  void look_at_child(std::uint64_t window, const IdFormat& format, unsigned crosspoint) {
    const NodeInfo node = info(window);
    if (node.type == node_types::kDtc) {
      dtcs_.push_back({node.logical_id, crosspoint, window});
      return;
    }
    const unsigned device = bits(node.id, format.device_bits - 1, 0);
    const unsigned port = bits(node.id, format.device_bits + format.port_bits - 1, format.device_bits);
    const Crosspoint& here = mesh_.crosspoints.back();
    const unsigned dtm = mesh_.multiple_dtm ? port / kPortsPerDtm : 0;
    if (dtm >= here.dtms) throw std::runtime_error("a node is at a port that its crosspoint does not have");
    const unsigned position = device + 4 * (mesh_.multiple_dtm ? port % kPortsPerDtm : port);
    const auto add = [&](unsigned type, std::uint64_t offset) {
      mesh_.nodes.push_back({type, node.id, window + pmu_offset(false) + offset, here.first_dtm + dtm, position});
    };
    using namespace node_types;
    switch (node.type) {
      case kRnD:  // counts what an RN-I does
        return add(kRnI, 0);
      case kHnP:
        add(kHnP, kSecondSelect);
        return add(kHnI, 0);
      case kCclaRnI:
        add(kCcla, kSecondSelect);
        return add(kRnI, 0);
      case kCcla:
        return add(kCcla, kSecondSelect);
      case kDvm:
      case kHnI:
      case kHnF:
      case kHnS:
      case kSbsx:
      case kRnI:
      case kMtsx:
      case kCxra:
      case kCxha:
      case kCcra:
      case kCcha:
        return add(node.type, 0);
      default:  // has no events
        return;
    }
  }

  const RegisterAccess& access_;
  const MeshPlace& place_;
  Mesh mesh_;
  std::vector<FoundDtc> dtcs_;
};

}  // namespace

Mesh find_mesh(const RegisterAccess& access, const MeshPlace& place) { return Search(access, place).run(); }

}  // namespace pmufab::cmn_client
