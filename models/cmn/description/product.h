// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace pmufab::cmn {

/// An Arm mesh interconnect.
enum class Product : std::uint8_t { cmn600, cmn650, cmn700, ci700, s3 };

/// @return true if events and filters are those of CMN-700 and CMN S3.
[[nodiscard]] constexpr bool is_700_or_s3(Product product) noexcept {
  return product == Product::cmn700 || product == Product::s3;
}
/// @return "CMN-600" ... "CMN S3".
[[nodiscard]] std::string_view to_string(Product product) noexcept;

/// Which table of flit field positions watchpoints of a product use.
enum class FlitFormat : std::uint8_t { cmn600, cmn650, cmn700, s3_r0, s3_r2 };

/// The layout of a watchpoint's config register (arm-cmn.c, arm_cmn_wp_config).
enum class WatchpointFormat : std::uint8_t {
  cmn600,  ///< one bit of device select, one of group; exclusive at 5, combine at 6
  cmn650,  ///< device select 2 at [18:17], group at [5:4], exclusive at 8, combine at 9
  cmn700,  ///< as cmn650, with the channel number at [20:19]
};

/// Where a mesh tells its DTMs and virtual channels: por_info_global at 0x900 and por_info_global_1 at 0x908.
enum class InfoLayout : std::uint8_t {
  cmn600,  ///< nowhere: bits 63:50 and the second register are reserved
  common,  ///< CMN-650, CI-700, CMN-700, S3 r0 and r1
  s3_r2
};

/// Differences between products and revisions that software sees. Offsets are bytes within a node's window.
struct ProductFacts {
  std::string_view name;
  std::uint16_t part;            ///< PID0/1 of the CFG node
  std::uint8_t revisions;        ///< number of valid PID2[7:4] codes: 0 ... revisions - 1
  std::uint8_t maximum_side;     ///< largest number of XPs in x or y
  std::uint8_t maximum_ports;    ///< device ports per XP that software can see
  std::uint8_t xp_channels;      ///< XP events name channels with ids below this
  std::uint8_t xp_event_bits;    ///< valid bits of an XP event id
  std::uint8_t input_sel_bits;   ///< valid bits of pmu_config's input selects
  std::uint8_t unit_infos;       ///< DTM unit info registers per XP
  std::uint8_t port_infos;       ///< XP: ports 0, 1, ... that have a port info; its place is not public for others
  std::uint8_t port_info_step;   ///< bytes between the port infos of two ports
  bool wide_event_select;        ///< an XP's event select has four 16-bit slots, not four bytes
  InfoLayout info;               ///< of info_global and info_global_1
  bool node_info_has_ports;      ///< an XP's node_info holds its number of ports
  std::uint32_t node_window;     ///< bytes
  std::uint32_t dtm_base;        ///< XP: event select and first DTM
  std::uint32_t device_base;     ///< other nodes: event select
  std::uint32_t dtc_base;        ///< DTC: counters and control of the PMU
  std::uint32_t unit_info;       ///< XP: DTM unit info of the first DTM; 0: absent
  std::uint32_t connect_info_2;  ///< XP: connect info of port 2
  WatchpointFormat watchpoint;
  FlitFormat flit;
};

/// @param revision  as in PID2[7:4], for example 3 for CMN-700 r3p0
/// @return the facts; for a revision that does not exist, those of the last one.
[[nodiscard]] const ProductFacts& facts_of(Product product, unsigned revision) noexcept;

inline constexpr std::uint32_t kDtcControl = 0xa00;  ///< in a DTC's window, on every product
inline constexpr std::uint32_t kSecureAccess = 0x980;
inline constexpr std::uint32_t kPortInfo = 0x900;           ///< in an XP's window, on every product: port 0
inline constexpr std::uint32_t kDtmStride = 0x200;          ///< between the registers of an XP's DTMs
inline constexpr std::uint32_t kSecondEventSelect = 0x008;  ///< HN-P, CCLA: offset from the first event select
inline constexpr unsigned kLocalCounters = 4;               ///< per DTM
inline constexpr unsigned kWatchpoints = 4;                 ///< per DTM
inline constexpr unsigned kGlobalCounters = 8;              ///< per DTC
inline constexpr unsigned kMaximumDtcs = 4;
inline constexpr unsigned kEventSlots = 4;  ///< per event select register

}  // namespace pmufab::cmn
