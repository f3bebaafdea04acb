// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>

#include "tlm/firmware/firmware_description.h"

namespace pmufab::guest {

/// Where the platform's registers and wired interrupts are in the guest.
struct GuestMap {
  /// @return the guest's physical address of the first byte of a range. The range may be part of a window.
  std::function<std::uint64_t(const platform::MemoryResource& range)> address;
  std::map<std::uint32_t, std::uint32_t> interrupts;  ///< from the platform's GSIV to the guest's
  bool has_cxl_ports = false;  ///< the guest has the platform's CXL root ports, with the same numbers, and no switches
};

/// Gives each of the platform's wired interrupts an interrupt of the guest that a message to the GICv2m doorbell raises
/// (qemu_virt::kMessageDoorbell). Assignment begins at the highest numbers; PCI functions use those below the lowest.
/// @throws std::invalid_argument if there are too many
[[nodiscard]] std::map<std::uint32_t, std::uint32_t> assign_interrupts(const platform::FirmwareDescription& firmware);

/// @throws std::invalid_argument if an interrupt of the platform has no number in the guest, or an impossible one
void check_interrupts(const platform::FirmwareDescription& firmware, const GuestMap& map);

}  // namespace pmufab::guest
