// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace pmufab::cmn {

/// An Arm mesh interconnect.
enum class Product : std::uint8_t { cmn600, cmn650, cmn700, ci700, s3 };

/// @return whether events and filters are those of CMN-700, as CMN S3's are.
[[nodiscard]] constexpr bool is_700_or_s3(Product product) noexcept {
  return product == Product::cmn700 || product == Product::s3;
}
/// @return "CMN-600" ... "CMN S3".
[[nodiscard]] std::string_view to_string(Product product) noexcept;

/// Which table of flit field positions watchpoints of a product use.
enum class FlitFormat : std::uint8_t { cmn600, cmn650, cmn700, s3_r0, s3_r2 };

/// Where a watchpoint's config register has its fields (arm-cmn.c, arm_cmn_wp_config).
enum class WatchpointFormat : std::uint8_t {
  cmn600,  ///< one bit of device select, one of group; exclusive at 5, combine at 6
  cmn650,  ///< device select 2 at [18:17], group at [5:4], exclusive at 8, combine at 9
  cmn700,  ///< as cmn650, and the channel number at [20:19]
};

/// What differs between products and revisions in what software sees. Offsets are bytes within a node's window.
struct ProductFacts {
  std::string_view name;
  std::uint16_t part;            ///< PID0/1 of the CFG node
  std::uint8_t revisions;        ///< codes of PID2[7:4] that exist: 0 ... revisions - 1
  std::uint8_t maximum_side;     ///< XPs in x or y
  std::uint8_t maximum_ports;    ///< device ports of an XP software can see
  std::uint8_t xp_channels;      ///< channels XP events can name: ids below this
  std::uint8_t xp_event_bits;    ///< valid bits of one XP event id
  std::uint8_t input_sel_bits;   ///< valid bits of pmu_config's input selects
  std::uint8_t unit_infos;       ///< DTM unit info registers of an XP
  bool wide_event_select;        ///< XP event select of four 16-bit slots, not four bytes
  bool relocated_info;           ///< info_global laid out as in S3 r2
  bool node_info_has_ports;      ///< node_info of an XP tells its number of ports
  std::uint32_t node_window;     ///< bytes
  std::uint32_t dtm_base;        ///< XP: event select and first DTM
  std::uint32_t device_base;     ///< other nodes: event select
  std::uint32_t dtc_base;        ///< DTC: counters and control of the PMU
  std::uint32_t unit_info;       ///< XP: DTM unit info of the first DTM; 0: none
  std::uint32_t connect_info_2;  ///< XP: connect info of port 2
  WatchpointFormat watchpoint;
  FlitFormat flit;
};

/// @param revision  as in PID2[7:4], for example 3 for CMN-700 r3p0
/// @return the facts, also for revisions that do not exist (those of the last that does).
[[nodiscard]] const ProductFacts& facts_of(Product product, unsigned revision) noexcept;

inline constexpr std::uint32_t kDtcControl = 0xa00;  ///< DTC, from the start of its window, on every product
inline constexpr std::uint32_t kSecureAccess = 0x980;
inline constexpr std::uint32_t kDtmStride = 0x200;          ///< between the registers of an XP's DTMs
inline constexpr std::uint32_t kSecondEventSelect = 0x008;  ///< HN-P, CCLA: from the first event select
inline constexpr unsigned kLocalCounters = 4;               ///< of a DTM
inline constexpr unsigned kWatchpoints = 4;                 ///< of a DTM
inline constexpr unsigned kGlobalCounters = 8;              ///< of a DTC
inline constexpr unsigned kMaximumDtcs = 4;
inline constexpr unsigned kMaximumDtmsOfXp = 3;  ///< one for two ports
inline constexpr unsigned kEventSlots = 4;       ///< of an event select register

}  // namespace pmufab::cmn
