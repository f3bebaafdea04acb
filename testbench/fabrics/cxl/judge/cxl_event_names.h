// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace pmufab::scoreboard {

/// An event with the CXL specification's own vendor id.
struct CxlEventId {
  std::uint16_t group = 0;
  unsigned bit = 0;
  bool operator==(const CxlEventId&) const = default;
};

/// @return the event that the kernel's cxl_pmu driver means by a name (Linux 7.3, which has all earlier names).
[[nodiscard]] std::optional<CxlEventId> cxl_event_of_name(std::string_view name);
/// @return the name; empty if there is none.
[[nodiscard]] std::string_view cxl_event_name(CxlEventId event);
/// Call `action` for every event that has a name.
void for_each_cxl_event(const std::function<void(CxlEventId, std::string_view)>& action);
/// @return the mask of the events of a group that can happen (docs/cxl-messages.md, section 1).
[[nodiscard]] std::uint32_t cxl_supported_events(std::uint16_t group);

}  // namespace pmufab::scoreboard
