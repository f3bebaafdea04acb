// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cxl/judge/cxl_event_names.h"

#include "models/cxl/wire/event_names.h"
#include "testbench/fabrics/cxl/judge/wires/cxl_wires.h"

namespace pmufab::scoreboard {
std::optional<CxlEventId> cxl_event_of_name(std::string_view name) {
  for (const cxl::EventName& known : cxl::kEventNames) {
    if (known.name == name) return CxlEventId{known.group, known.bit};
  }
  return std::nullopt;
}

std::string_view cxl_event_name(CxlEventId event) {
  for (const cxl::EventName& known : cxl::kEventNames) {
    if (known.group == event.group && known.bit == event.bit) return known.name;
  }
  return {};
}

void for_each_cxl_event(const std::function<void(CxlEventId, std::string_view)>& action) {
  for (const cxl::EventName& known : cxl::kEventNames) action({known.group, known.bit}, known.name);
}

std::uint32_t cxl_supported_events(std::uint16_t group) {
  std::uint32_t mask = 0;
  for (const cxl::EventName& known : cxl::kEventNames) {
    if (known.group == group) mask |= 1U << known.bit;
  }
  if (group == kDevLoadGroup) mask = 0xf;
  if (group == kM2sResidencyGroup) mask = 0x3;
  return mask;
}

}  // namespace pmufab::scoreboard
