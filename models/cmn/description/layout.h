// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "models/cmn/description/topology.h"

namespace pmufab::cmn {

/// For nodes without a port.
inline constexpr std::uint8_t kNoPort = 0xff;

/// A node with its place in the mesh and in the configuration space.
struct NodePlace {
  NodeType type;
  std::uint16_t node_id;     ///< as in node_info
  std::uint16_t logical_id;  ///< as in node_info
  std::uint32_t offset;      ///< of the window, relative to PERIPHBASE
  std::uint8_t xp;           ///< index of its XP
  std::uint8_t port;         ///< kNoPort if it has none
  std::uint8_t device;
  bool external;
  bool isolated;

  /// @return true if software may not touch the window.
  [[nodiscard]] bool is_closed() const noexcept { return external || isolated; }
};

/// One event select register of a node that is not an XP. HN-P and CCLA_RNI have two.
struct EventSource {
  std::uint16_t node;  ///< index of the node
  NodeType events;     ///< type whose event ids it uses: hn_i and hn_p for HN-P, rn_i and ccla for CCLA_RNI
  bool second;         ///< it is the second register, at +8
};

/// The layout of a mesh: node ids, logical ids, windows, child pointers, DTMs. Computed from a Topology.
///
/// Node 0 is CFG. Nodes 1 ... XPs are the XPs in order of their index. The others follow in order of XP, port and place
/// in the topology's lists.
class Layout {
 public:
  explicit Layout(const Topology& topology);

  [[nodiscard]] std::span<const NodePlace> nodes() const noexcept { return nodes_; }
  [[nodiscard]] unsigned xps() const noexcept { return xps_; }
  [[nodiscard]] const NodePlace& root() const noexcept { return nodes_.front(); }
  [[nodiscard]] const NodePlace& xp(unsigned index) const { return nodes_.at(1U + index); }
  [[nodiscard]] static unsigned node_of_xp(unsigned xp) noexcept { return 1 + xp; }
  /// Indices of the nodes below an XP, as child pointers list them: [first, last).
  struct Range {
    unsigned first;
    unsigned last;
  };
  [[nodiscard]] Range children(unsigned xp) const { return children_.at(xp); }

  /// @return the size of the configuration space in bytes, a power of two.
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  [[nodiscard]] std::uint32_t root_offset() const noexcept { return root().offset; }

  [[nodiscard]] unsigned dtms() const noexcept { return static_cast<unsigned>(dtm_xps_.size()); }
  [[nodiscard]] unsigned dtms_of(unsigned xp) const { return first_dtms_.at(xp + 1) - first_dtms_.at(xp); }
  [[nodiscard]] unsigned first_dtm(unsigned xp) const { return first_dtms_.at(xp); }
  [[nodiscard]] unsigned xp_of_dtm(unsigned dtm) const { return dtm_xps_.at(dtm); }
  /// @return the DTM that counts events of a port.
  [[nodiscard]] unsigned dtm_of(unsigned xp, unsigned port) const {
    return first_dtm(xp) + (multiple_dtm_ ? port / 2 : 0);
  }

  /// @return the index of the DTC node of a domain.
  [[nodiscard]] unsigned dtc_node(unsigned domain) const { return dtc_nodes_.at(domain); }

  [[nodiscard]] std::span<const EventSource> sources() const noexcept { return sources_; }
  /// Indices of the event sources of an XP's nodes: [first, last).
  [[nodiscard]] Range sources_of(unsigned xp) const { return {first_sources_.at(xp), first_sources_.at(xp + 1)}; }

  /// @return "xp3", "hnf5", "dtc0", "cfg": unique if logical ids are unique.
  [[nodiscard]] std::string name(unsigned node) const;

 private:
  void place_xps(const Topology& topology);
  void place_children(const Topology& topology);
  void place_root(const Topology& topology);
  void assign_logical_ids(const Topology& topology);
  void place_windows(const Topology& topology);
  void list_sources();

  unsigned xps_;
  bool multiple_dtm_;
  std::uint32_t size_ = 0;
  std::vector<NodePlace> nodes_;
  std::vector<Range> children_;
  std::vector<std::uint16_t> first_dtms_;
  std::vector<std::uint8_t> dtm_xps_;
  std::vector<unsigned> dtc_nodes_;
  std::vector<EventSource> sources_;
  std::vector<unsigned> first_sources_;
};

/// Widths of fields in node ids: arm-cmn.c, arm_cmn_xyidbits and arm_cmn_discover.
/// @{
[[nodiscard]] unsigned coordinate_bits(unsigned columns, unsigned rows) noexcept;
/// @return one more than the highest port with a device; 0 if there is none.
[[nodiscard]] unsigned used_ports(const Crosspoint& crosspoint) noexcept;
/// @return bits of the device number in ids of nodes at this XP.
[[nodiscard]] unsigned device_bits(const Topology& topology, const Crosspoint& crosspoint) noexcept;
/// @return the number of DTMs of an XP.
[[nodiscard]] unsigned dtms_of(const Topology& topology, const Crosspoint& crosspoint) noexcept;
/// @}

}  // namespace pmufab::cmn
