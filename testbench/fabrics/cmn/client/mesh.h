// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "testbench/host/register_access/register_access.h"

namespace pmufab::cmn_client {

/// Where a mesh is.
struct MeshPlace {
  std::uint64_t base = 0;  ///< PERIPHBASE
  std::uint64_t root = 0;  ///< offset of the CFG node; not 0 on CMN-600 alone
  /// The DTC domain of each crosspoint, by its logical id, where registers do not tell it. Empty: they do, or nothing
  /// does.
  std::vector<unsigned> domains{};
};

/// Part numbers, as a CFG node tells them.
namespace parts {
inline constexpr unsigned kCmn600 = 0x434;
inline constexpr unsigned kCmn600Ae = 0x438;
inline constexpr unsigned kCmn650 = 0x436;
inline constexpr unsigned kCi700 = 0x43a;
inline constexpr unsigned kCmn700 = 0x43c;
inline constexpr unsigned kS3 = 0x43e;
}  // namespace parts

/// Types of nodes, as node_info tells them.
namespace node_types {
inline constexpr unsigned kDvm = 0x1;
inline constexpr unsigned kCfg = 0x2;
inline constexpr unsigned kDtc = 0x3;
inline constexpr unsigned kHnI = 0x4;
inline constexpr unsigned kHnF = 0x5;
inline constexpr unsigned kXp = 0x6;
inline constexpr unsigned kSbsx = 0x7;
inline constexpr unsigned kRnI = 0xa;
inline constexpr unsigned kRnD = 0xd;
inline constexpr unsigned kMtsx = 0x10;
inline constexpr unsigned kHnP = 0x11;
inline constexpr unsigned kCxra = 0x100;
inline constexpr unsigned kCxha = 0x101;
inline constexpr unsigned kCcra = 0x103;
inline constexpr unsigned kCcha = 0x104;
inline constexpr unsigned kCcla = 0x105;
inline constexpr unsigned kCclaRnI = 0x106;
inline constexpr unsigned kHnS = 0x200;
}  // namespace node_types

/// A debug and trace monitor: four local counters and four watchpoints.
struct Dtm {
  std::uint64_t base;              ///< address of its registers
  std::optional<unsigned> domain;  ///< number of its DTC; nothing: registers do not tell
};

/// A crosspoint.
struct Crosspoint {
  std::uint16_t id;
  std::uint64_t event_select;  ///< address
  unsigned first_dtm;          ///< number of its first DTM
  unsigned dtms;
};

inline constexpr unsigned kMostDtcs = 4;
inline constexpr unsigned kMostPorts = 6;    ///< of a crosspoint
inline constexpr unsigned kPortsPerDtm = 2;  ///< where crosspoints have several

/// What makes events of one type at a device port. An HN-P and a CCLA_RNI are two such.
struct EventNode {
  unsigned type;  ///< whose event numbers it has: that of an RN-I for an RN-D
  std::uint16_t id;
  std::uint64_t event_select;  ///< address
  unsigned dtm;                ///< number of the DTM that counts its events
  unsigned position;           ///< nodes of the same DTM and position share four signals: device + 4 * port of the DTM
};

/// A debug and trace controller: eight global counters and the cycle counter.
struct Dtc {
  std::uint64_t control;  ///< address of dtc_ctl
  std::uint64_t base;     ///< address of the PMU's registers
};

/// A mesh as software finds it.
struct Mesh {
  unsigned part = 0;
  unsigned revision = 0;
  bool multiple_dtm = false;  ///< crosspoints have a DTM for every two ports
  std::vector<Dtm> dtms;
  std::vector<Crosspoint> crosspoints;
  std::vector<EventNode> nodes;
  std::vector<Dtc> dtcs;  ///< by domain

  [[nodiscard]] bool is_cmn600() const noexcept { return part == parts::kCmn600; }
  /// @return true if a crosspoint's event select has four slots of 16 bits, not of 8
  [[nodiscard]] bool has_wide_select() const noexcept { return part == parts::kCmn700 || part == parts::kS3; }
  /// @return true if it is a CMN S3 r2p0 or later, whose events and filters are different
  [[nodiscard]] bool is_s3_r2() const noexcept { return part == parts::kS3 && revision >= 3; }
};

/// Find what a mesh has, by its registers: node information, child pointers, and what is connected to ports. Writes
/// nothing. Touches no node that is external or isolated.
/// @param access  needs read32 and read64
/// @throws std::runtime_error if there is no mesh, or one that software must leave alone or does not know
[[nodiscard]] Mesh find_mesh(const RegisterAccess& access, const MeshPlace& place);

}  // namespace pmufab::cmn_client
