// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "models/platform/platform_spec.h"
#include "models/soc/wire/description.h"
#include "tlm/firmware/firmware_description.h"

namespace pmufab::platform {

/// A PCI Express function that described PMUs need, on its socket.
struct PciPlace {
  soc::PciFunctionDescription description;  ///< with the segment of its socket
  unsigned socket = 0;
  std::optional<std::size_t> pmu{};  ///< index in SocSpec::pmus; nothing: a driver looks for it
  unsigned root_bus = 0;             ///< that leads to it
  bool has_siblings = false;         ///< its device has further functions
};

/// @return the functions of all described PMUs, each once.
[[nodiscard]] std::vector<PciPlace> pci_places(const PlatformSpec& spec);

/// @return the host bridges that lead to them: one for each root bus.
[[nodiscard]] std::vector<PciSegment> pci_bridges(const PlatformSpec& spec);

/// @throws SpecError for the first thing that makes their places impossible
void check_pci_places(const PlatformSpec& spec);

/// Add their segments, and the configuration space of these.
void claim_pci(const PlatformSpec& spec, PartClaims& claims);

namespace default_map {
inline constexpr std::uint64_t kSocEcam = 0x1c'0000'0000;  ///< configuration space of segments of described PMUs
inline constexpr unsigned kSocSegments = 64;
}  // namespace default_map

}  // namespace pmufab::platform
