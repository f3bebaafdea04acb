// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "tlm/clock/clock_domain.h"

/// What the CXL judge sees of the wires, in its own types. The code that connects it to a link translates.
namespace pmufab::scoreboard {

/// Classes of messages (CXL 3.1, chapter 3), those that travel from the host to the device first.
enum class CxlClass : std::uint8_t {
  m2s_req,
  m2s_rwd,
  m2s_birsp,
  h2d_req,
  h2d_rsp,
  h2d_data,
  s2m_bisnp,
  s2m_ndr,
  s2m_drs,
  d2h_req,
  d2h_rsp,
  d2h_data
};
inline constexpr unsigned kCxlClasses = 12;

/// @return true if messages of the class leave the upper end of a link.
constexpr bool travels_down(CxlClass which) noexcept { return which < CxlClass::s2m_bisnp; }

[[nodiscard]] std::string_view to_string(CxlClass which) noexcept;

/// MetaValue of a request, or MetaField No-Op.
enum class CxlMeta : std::uint8_t { none, invalid, shared, any };

/// One message on a wire.
struct CxlMessage {
  CxlClass which = CxlClass::m2s_req;
  std::uint8_t opcode = 0;    ///< as the specification numbers it; 0 for D2H Data, 1 for H2D Data
  std::uint64_t address = 0;  ///< of a line, host physical; for an answer, that of the request or snoop
  std::uint16_t tag = 0;      ///< for M2S Req and RwD, and for the NDR and DRS that answer them
  CxlMeta meta = CxlMeta::none;
  std::uint8_t lines = 1;  ///< for block snoops and their answers
  bool tee = false;

  bool operator==(const CxlMessage&) const = default;
};

/// The two ends of a link.
enum class CxlEnd : std::uint8_t { upper, lower };

/// Event groups of messages, under the vendor id of CXL.
/// @{
inline constexpr std::uint16_t kCxlVendor = 0x1e98;
inline constexpr std::uint16_t kClockTicksGroup = 0x0000;
inline constexpr std::uint16_t kDevLoadGroup = 0x30;
inline constexpr std::uint16_t kM2sResidencyGroup = 0x31;
inline constexpr std::uint16_t kDdrGroup = 0x8000;
inline constexpr std::uint16_t kQueueOccupancyGroup = 0x8001;
inline constexpr std::uint16_t kQueueResidencyGroup = 0x8002;
inline constexpr std::uint16_t kRetryGroup = 0x8003;
inline constexpr std::uint16_t kThrottleGroup = 0x8004;
/// @return true if events of the group come from memory, not from messages.
constexpr bool is_of_memory(std::uint16_t group) noexcept {
  return group == kDevLoadGroup || group == kM2sResidencyGroup || (group >= kDdrGroup && group <= kThrottleGroup);
}
/// @return true if events of the group have a place, to which filter 1 applies.
constexpr bool has_ddr_location(std::uint16_t group) noexcept { return group >= kDdrGroup && group <= kRetryGroup; }
constexpr std::uint16_t group_of(CxlClass which) noexcept {
  constexpr std::array<std::uint16_t, kCxlClasses> kGroups{0x20, 0x21, 0x22, 0x12, 0x13, 0x14,
                                                           0x23, 0x24, 0x25, 0x10, 0x11, 0x14};
  return kGroups[static_cast<std::size_t>(which)];
}
/// @return true if messages of the group have an address that HDM decoders can claim.
constexpr bool has_hdm_address(std::uint16_t group) noexcept { return group >= 0x20 && group <= 0x25; }
/// @}

}  // namespace pmufab::scoreboard
