// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "testbench/judge/events/event_truth.h"

namespace pmufab::scoreboard {

/// Events of inbound PCIe traffic; the value is the number perf's `event=` term takes.
enum class PcieEvent : std::uint8_t { rd_bytes, wr_bytes, rd_req, wr_req, rd_cum_outs };
inline constexpr std::size_t kPcieEvents = 5;

/// The destination of a device's request, seen from the socket of its root complex; the value is the bit number in
/// config2.
enum class PcieDestination : std::uint8_t { loc_cmem, loc_gmem, loc_pcie_p2p, loc_pcie_cxl, rem };
inline constexpr std::size_t kPcieDestinations = 5;
inline constexpr std::uint32_t kAllPcieDestinations = 0x1f;
inline constexpr std::uint32_t kAllRootPorts = 0xff;

[[nodiscard]] std::string_view to_string(PcieEvent event) noexcept;              ///< "rd_bytes"
[[nodiscard]] std::string_view to_string(PcieDestination destination) noexcept;  ///< "loc_cmem"
/// @param destinations  a bit each
/// @return "loc_cmem+rem"
[[nodiscard]] std::string destinations_text(std::uint32_t destinations);
/// @return "01:02.0"
[[nodiscard]] std::string bdf_text(std::uint16_t bdf);

/// The devices an event counts: one by its requester id, or all below some root ports.
struct PcieSource {
  std::uint32_t root_ports = kAllRootPorts;
  std::optional<std::uint16_t> bdf{};  ///< if set: this device, whatever its port

  [[nodiscard]] bool holds(unsigned root_port, std::uint16_t requester) const noexcept {
    return bdf ? *bdf == requester : (root_ports >> root_port & 1U) != 0;
  }
};

/// What a PCIE PMU must count for a user's event text.
struct PcieMeaning {
  enum class Kind : std::uint8_t { traffic, cycles, nothing };
  Kind kind = Kind::nothing;
  PcieEvent event = PcieEvent::rd_bytes;  ///< traffic only
  PcieSource source;
  std::uint32_t destinations = kAllPcieDestinations;
  std::string text;  ///< for reports: "rd_req, root ports 0b11 -> loc_cmem"
};

/// The kernel document's meaning of a PCIE event text: a name of its list or `event=` number (an unknown number counts
/// nothing), src_rp_mask, src_bdf and src_bdf_en, dst_*; `config`, `config1` and `config2` are taken raw.
/// - No source term, or all 0: all root ports, or the leader's device if the leader of the group names one.
/// - src_bdf without src_bdf_en selects no device, and without other source terms no root port either (inferred).
/// - Root ports together with a device exclude each other: the event counts nothing.
/// - No destination: all destinations.
///
/// @param leader  leader of the event's group; nullptr if the event is its own leader
/// @throws std::invalid_argument for a term the PMU does not have, a value too big for it, or no event
[[nodiscard]] PcieMeaning pcie_meaning(const EventTerms& terms, const EventTerms* leader = nullptr);

}  // namespace pmufab::scoreboard
