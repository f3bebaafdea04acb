// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "models/cmn/description/layout.h"
#include "models/cmn/description/topology.h"

namespace pmufab::cmn {

/// The role of a device in the mesh.
enum class DeviceKind : std::uint8_t {
  rn_f,
  rn_i,
  rn_d,
  home,     ///< HN-F or HN-S
  io_home,  ///< HN-I, HN-D, HN-T, HN-P: a device with an HN-I or HN-P node
  sn_f,
  sbsx,
  mtsx,
  gateway,  ///< CXRH, CCG and similar
  none,     ///< takes no part in transactions
};
inline constexpr unsigned kDeviceKinds = 9;  ///< `none` not counted

/// A device behind a port: it has its own node id.
struct DevicePlace {
  std::uint16_t node_id = 0;
  std::uint8_t xp = 0;
  std::uint8_t port = 0;
  std::uint8_t device = 0;  ///< number behind the port
  DeviceKind kind = DeviceKind::none;
  DeviceType type = DeviceType::none;
  std::vector<unsigned> nodes{};  ///< indices in Layout::nodes() of the nodes with its id, without closed ones
};

/// Bits 47:44 of an address: they select the kind of node.
enum class Region : std::uint8_t { sn_f = 0, sbsx = 1, mtsx = 2, io = 4, remote = 8 };

/// Maps addresses of a mesh to nodes (docs/cmn-nodes.md, section 2). It copies what it needs and keeps no reference.
///
/// External and isolated nodes belong to others: a device that has only such nodes takes no part.
class SystemAddressMap {
 public:
  static constexpr unsigned kRegionShift = 44;
  static constexpr std::uint64_t kRemote = std::uint64_t{8} << kRegionShift;
  static constexpr std::uint64_t kPage = 4096;  ///< consecutive bytes of I/O addresses per I/O home

  /// @param topology  must pass check()
  SystemAddressMap(const Topology& topology, const Layout& layout);

  /// @return the devices in order of XP, port and number, including those of kind none.
  [[nodiscard]] std::span<const DevicePlace> devices() const noexcept { return devices_; }
  /// @return node ids of a kind: homes in order of logical id, others of XP, port and number.
  [[nodiscard]] std::span<const std::uint16_t> nodes(DeviceKind kind) const noexcept {
    return by_kind_[static_cast<unsigned>(kind)];
  }
  [[nodiscard]] unsigned homes() const noexcept { return static_cast<unsigned>(nodes(DeviceKind::home).size()); }
  /// @return node ids of devices with a DVM node, in order of XP, port and number.
  [[nodiscard]] std::span<const std::uint16_t> dvm_nodes() const noexcept { return dvm_nodes_; }

  /// Set the gateways that lead to the other mesh, in order of XP, port and number, and the regions of that mesh.
  /// Without this, its addresses map to no node.
  void link(std::span<const std::uint16_t> gateways, const SystemAddressMap& other);
  /// @return true if RN-Fs send requests for the other mesh's memory to a home. This is so where homes are HN-S.
  [[nodiscard]] bool has_local_homes() const noexcept { return has_local_homes_; }
  /// @return node id of the gateway for a line of the other mesh.
  /// @throws std::invalid_argument if there is none, or the other mesh has no memory there
  [[nodiscard]] std::uint16_t gateway_of(std::uint64_t address) const;
  /// @return node id that takes a requester's requests for a line: its home, or the gateway to the other mesh.
  /// @param is_rn_f  the requester may use a home that acts for the other mesh's
  /// @throws std::invalid_argument if there is none
  [[nodiscard]] std::uint16_t target_of(std::uint64_t address, bool is_rn_f) const {
    return is_remote(address) && !(is_rn_f && has_local_homes_) ? gateway_of(address) : home_of(address);
  }

  /// @return bits 47:44, or bit 47 alone for the other mesh. The result may be no enumerator: then no node takes the
  ///         address.
  [[nodiscard]] static constexpr Region region_of(std::uint64_t address) noexcept {
    return is_remote(address) ? Region::remote : static_cast<Region>(address >> kRegionShift & 7U);
  }
  /// @return true if the address belongs to the other mesh.
  [[nodiscard]] static constexpr bool is_remote(std::uint64_t address) noexcept { return (address & kRemote) != 0; }
  /// @return true if the address belongs to a home (not an I/O home) in either mesh.
  [[nodiscard]] static constexpr bool is_memory(std::uint64_t address) noexcept {
    return (address >> kRegionShift & 7U) <= static_cast<unsigned>(Region::mtsx);
  }
  /// @return true if the mesh has a node for addresses of a region.
  [[nodiscard]] bool has(Region region) const noexcept;
  /// @throws std::invalid_argument if an address in [base, base + size) maps to no node; the message says why
  void check_range(std::uint64_t base, std::uint64_t size) const;

  /// @return index of the home of a line, in any region.
  /// @pre homes() is not 0
  [[nodiscard]] unsigned home_index_of(std::uint64_t address) const noexcept {
    return static_cast<unsigned>((address & ~kRemote) / 64 % homes());
  }
  /// @return node id of the home of a line, or of the local one that acts for the other mesh's.
  /// @throws std::invalid_argument if the mesh has none, or no memory there
  [[nodiscard]] std::uint16_t home_of(std::uint64_t address) const;
  /// @return node id of the memory node that a home uses for one of its addresses.
  /// @throws std::invalid_argument if there is none
  [[nodiscard]] std::uint16_t memory_node(unsigned home_index, std::uint64_t address) const;
  /// @return node id of the I/O home of an address of region 4.
  /// @throws std::invalid_argument if there is none
  [[nodiscard]] std::uint16_t io_node(std::uint64_t address) const;

 private:
  [[nodiscard]] std::span<const std::uint16_t> memory_nodes(std::uint64_t address) const noexcept;

  std::vector<DevicePlace> devices_;
  std::array<std::vector<std::uint16_t>, kDeviceKinds> by_kind_;
  std::vector<std::uint16_t> dvm_nodes_;
  bool has_local_homes_ = false;
  std::vector<std::uint16_t> gateways_;  // the linked ones
  std::array<bool, 3> remote_memory_{};  // regions the other mesh has
};

}  // namespace pmufab::cmn
