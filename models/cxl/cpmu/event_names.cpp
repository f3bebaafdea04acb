// SPDX-License-Identifier: Apache-2.0
#include "models/cxl/cpmu/event_names.h"

#include <algorithm>

#include <fmt/format.h>

#include "models/cxl/cpmu/event_group.h"
#include "models/cxl/wire/event_names.h"

namespace pmufab::cxl {
std::string event_name(std::uint16_t vendor, std::uint16_t group, unsigned bit) {
  if (vendor == kCxlVendor) {
    const auto* const found = std::find_if(kEventNames.begin(), kEventNames.end(), [&](const EventName& known) {
      return known.group == group && known.bit == bit;
    });
    if (found != kEventNames.end()) return std::string(found->name);
  }
  return fmt::format("vendor {:#06x} group {:#06x} event {}", vendor, group, bit);
}

}  // namespace pmufab::cxl
