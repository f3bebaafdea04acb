// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "models/cmn/wire/product.h"
#include "models/cmn/wire/types.h"

namespace pmufab::cmn {

/// The node type in node_info (arm-cmn.c, enum cmn_node_type).
enum class NodeType : std::uint16_t {
  dvm = 0x1,
  cfg = 0x2,
  dtc = 0x3,
  hn_i = 0x4,
  hn_f = 0x5,
  xp = 0x6,
  sbsx = 0x7,
  mpam_s = 0x8,
  mpam_ns = 0x9,
  rn_i = 0xa,
  rn_d = 0xd,
  rn_sam = 0xf,
  mtsx = 0x10,
  hn_p = 0x11,
  cxra = 0x100,
  cxha = 0x101,
  cxla = 0x102,
  ccra = 0x103,
  ccha = 0x104,
  ccla = 0x105,
  ccla_rni = 0x106,
  hn_s = 0x200,
  hns_mpam_s = 0x201,
  hns_mpam_ns = 0x202,
  apb = 0x1000,
};

/// @return "hnf", "rnd", ..., as instances are named; "node" for a type that does not exist.
[[nodiscard]] std::string_view to_string(NodeType type) noexcept;
/// @return true if the driver knows this type as a node below an XP.
[[nodiscard]] bool is_known(NodeType type) noexcept;

/// The device type in a port's connect info (arm-cmn.c, arm_cmn_device_type).
enum class DeviceType : std::uint8_t {
  none = 0x00,
  rn_i = 0x01,
  rn_d = 0x02,
  rn_f_chib = 0x04,
  rn_f_chib_esam = 0x05,
  rn_f_chia = 0x06,
  rn_f_chia_esam = 0x07,
  hn_t = 0x08,
  hn_i = 0x09,
  hn_d = 0x0a,
  hn_p = 0x0b,
  sn_f_chic = 0x0c,
  sbsx = 0x0d,
  hn_f = 0x0e,
  sn_f_chie = 0x0f,
  sn_f_chid = 0x10,
  cxha = 0x11,
  cxra = 0x12,
  cxrh = 0x13,
  rn_f_chid = 0x14,
  rn_f_chid_esam = 0x15,
  rn_f_chic = 0x16,
  rn_f_chic_esam = 0x17,
  rn_f_chie = 0x18,
  rn_f_chie_esam = 0x19,
  hn_s = 0x1a,
  lcn = 0x1b,
  mtsx = 0x1c,
  hn_v = 0x1d,
  ccg = 0x1e,
  ccg_smp = 0x1f,
  rn_f_chif = 0x20,
  rn_f_chif_esam = 0x21,
  sn_f_chif = 0x22,
};

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
  bool cal = false;         ///< component aggregation layer: several devices share the port
  std::vector<Node> nodes;  ///< empty for RN-F and SN-F
  unsigned devices = 1;     ///< devices behind the port; more if nodes need more. For RN-F behind a CAL: no nodes
};

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
  unsigned dtcs = 1;                    ///< debug/trace controllers: 1 ... 4
  std::vector<Crosspoint> crosspoints;  ///< y * columns + x
  SoftwareLimits limits = kLinux72Limits;
  Deviations deviations{};
};

}  // namespace pmufab::cmn
