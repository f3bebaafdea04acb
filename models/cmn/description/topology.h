// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "models/cmn/description/product.h"
#include "models/cmn/wire/node_types.h"
#include "models/cmn/wire/types.h"
#include "tlm/spec/spec_error.h"

namespace pmufab::cmn {

/// @return "hnf", "rnd", ..., as instances are named; "node" for a type that does not exist.
[[nodiscard]] std::string_view to_string(NodeType type) noexcept;
/// @return true if the driver knows this type as a node below an XP.
[[nodiscard]] bool is_known(NodeType type) noexcept;

/// @return "RN-F", "HN-D", ...
[[nodiscard]] std::string_view to_string(DeviceType type) noexcept;
[[nodiscard]] bool is_rn_f(DeviceType type) noexcept;
[[nodiscard]] bool is_sn_f(DeviceType type) noexcept;

/// A node with a register window.
struct Node {
  NodeType type;
  unsigned device = 0;  ///< device number behind the port: 0 ... 3 (more than one with a CAL, or by construction)
  std::optional<std::uint16_t> logical_id{};  ///< absent: the next of its type, in order of XP, port and list
  bool external = false;                      ///< child pointer bit 31: software must not touch it
  bool isolated = false;                      ///< child pointer bit 30
};

/// A device port of an XP.
struct Port {
  DeviceType device = DeviceType::none;
  bool cal = false;           ///< component aggregation layer: several devices share the port
  std::vector<Node> nodes;    ///< empty for RN-F and SN-F
  unsigned devices = 1;       ///< devices behind the port; more if nodes need more. For RN-F behind a CAL: no nodes
  unsigned first_device = 0;  ///< number of the first of them
};

/// @return the number after that of the last device behind a port: 0 if nothing is connected.
[[nodiscard]] unsigned device_end(const Port& port) noexcept;
/// @return the number of devices behind a port: 0 if nothing is connected.
[[nodiscard]] unsigned device_count(const Port& port) noexcept;

/// A crosspoint.
struct Crosspoint {
  unsigned dtc_domain = 0;
  std::vector<Port> ports;
  std::vector<Node> nodes;  ///< nodes without a port, for example APB
};

/// Number of sub-channels of a channel: 1 or 2. With 2, the events of the second (RSP2, ...) exist.
struct VirtualChannels {
  unsigned req = 1;
  unsigned rsp = 1;
  unsigned snp = 1;
  unsigned dat = 1;
};

/// The sizes of a driver's fixed arrays. A larger mesh would corrupt the kernel's memory, so it is refused.
struct SoftwareLimits {
  unsigned side;        ///< CMN_MAX_DIMENSION
  unsigned dtms;        ///< CMN_MAX_DTMS
  unsigned logical_id;  ///< CMN_MAX_NODES_PER_EVENT
  unsigned nodes;       ///< of one type, as events group types
  bool operator==(const SoftwareLimits&) const = default;
};
inline constexpr SoftwareLimits kLinux72Limits{12, 188, 144, 144};
inline constexpr SoftwareLimits kLinux73Limits{14, 248, 196, 196};

/// Deliberately wrong hardware, to test how software reacts.
struct Deviations {
  struct XpLogicalId {
    unsigned xp;
    std::uint16_t logical_id;
  };
  struct ChildPointer {
    unsigned xp;
    std::uint64_t value;
  };
  std::optional<std::uint16_t> part_number;  ///< for example 0x438
  std::optional<std::uint8_t> revision;      ///< PID2[7:4]
  std::optional<std::uint16_t> root_type;    ///< node type of the CFG node
  std::optional<std::uint32_t> unit_info;    ///< other offset of the DTM unit info; 0: absent, reads 0
  bool device_isolation = false;             ///< info_global bit 44
  std::uint64_t info_global = 0;             ///< invert these bits of info_global
  std::uint64_t info_global_1 = 0;           ///< invert these bits of info_global_1
  bool any_dtc_order = false;                ///< Graviton5: DTCs in places where software takes one for another
  bool any_node = false;                     ///< nodes of unknown types, or in the wrong place
  bool any_logical_id = false;               ///< logical ids that repeat or exceed the limit
  bool any_size = false;                     ///< sides beyond the limits, up to kMaximumSide
  std::vector<XpLogicalId> xp_logical_ids;   ///< other than y * columns + x
  std::vector<ChildPointer> child_pointers;  ///< appended to an XP's real ones
};

/// A vendor's changes to a product.
enum class Variant : std::uint8_t {
  standard,
  /// CMN S3 of Graviton5 (arm-cmn.c, arm_cmn_graviton5_dtc_domain): 10 x 14 XPs in quadrants of 5 x 7, each with a DTC;
  /// unit info reads 0, and so do the logical ids of all DTCs.
  graviton5,
};

/// A mesh as plain data. check() refuses those that cannot be built.
struct Topology {
  Product product = Product::cmn700;
  Variant variant = Variant::standard;
  unsigned revision = 0;  ///< PID2[7:4]
  unsigned columns = 1;
  unsigned rows = 1;
  bool multiple_dtm = false;  ///< one DTM per two ports instead of one per XP
  VirtualChannels channels{};
  std::uint64_t frequency_hz = 2'000'000'000;
  std::uint64_t base = 0x5000'0000;     ///< PERIPHBASE
  std::optional<std::uint32_t> root;    ///< of CMN-600: offset of CFG. Absent: after the nodes below XPs
  unsigned dtcs = 1;                    ///< debug/trace controllers: 1 ... 4
  std::vector<Crosspoint> crosspoints;  ///< y * columns + x
  SoftwareLimits limits = kLinux72Limits;
  Deviations deviations{};
};

/// @return software must not drive this mesh: devices can be isolated, an access to one may hang, and before CMN S3 r2p0
///         software cannot tell which ones are (arm-cmn's reason to give up).
[[nodiscard]] bool must_be_left_alone(const Topology& topology) noexcept;

/// @throws SpecError for the first thing that makes the mesh impossible, or dangerous to the driver's memory. Whatever
///         Topology::deviations allows is not checked.
void check(const Topology& topology);

}  // namespace pmufab::cmn
