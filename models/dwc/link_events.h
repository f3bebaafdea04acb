// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "models/dwc/wire/link.h"

namespace pmufab::dwc {

/// The amounts of data that time-based analysis knows, in the order of its reports 0x20 to 0x23.
enum class Payload : std::uint8_t { tx_pcie, rx_pcie, tx_ccix, rx_ccix };
inline constexpr unsigned kPayloads = 4;

/// An event of groups 6 (DLLPs and errors of TLPs) and 7 (TLPs), which each lane counts.
struct LinkEventCode {
  std::string_view name;
  unsigned id;                       ///< group << 8 | number
  std::optional<Payload> payload{};  ///< its data is payload of this kind
};

inline constexpr unsigned kLinkEventCodes = 29;
/// @return all events, in the order of their numbers.
[[nodiscard]] std::span<const LinkEventCode> link_events() noexcept;
/// @return the event with that number; null if there is none
[[nodiscard]] const LinkEventCode* find_link_event(unsigned id) noexcept;

/// Data of packets of which nothing else is told, under the number and name of the report that counts it: no lane counts
/// these.
/// @return all of them, in the order of Payload
[[nodiscard]] std::span<const LinkEventCode> link_payloads() noexcept;
/// @return whose data happens: of an event of a lane that carries data, or of data alone; nothing if there is none
[[nodiscard]] std::optional<Payload> payload_of(unsigned id) noexcept;

/// @return the word for a state in files: "l1_2".
[[nodiscard]] std::string_view to_string(LinkState state) noexcept;

}  // namespace pmufab::dwc
