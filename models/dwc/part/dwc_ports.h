// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/dwc/wire/description.h"
#include "models/platform/platform_spec.h"

namespace pmufab::platform {

/// A PCI host bridge of DesignWare root ports: they are on its root bus, each with an empty bus below. Host bridges of
/// one segment share its configuration space.
struct DwcBridge {
  std::uint16_t segment = 0;
  std::uint64_t ecam_base = 0;  ///< configuration space of bus 0 of the segment, even if first_bus is another
  std::uint8_t first_bus = 0;
  std::uint8_t last_bus = 0;
  unsigned socket = 0;
  std::vector<unsigned> ports;  ///< indices in DwcSpec::ports, in their order
};

/// @return the host bridges, in the order in which the list of root ports first names their root buses.
[[nodiscard]] std::vector<DwcBridge> dwc_bridges(const PlatformSpec& spec);

/// @return the address of a root port's configuration space. @param port  index in DwcSpec::ports
[[nodiscard]] std::uint64_t dwc_configuration(const PlatformSpec& spec, unsigned port);

/// @return what Linux calls the PMU of a root port: "dwc_rootport_13018".
[[nodiscard]] std::string dwc_perf_name(const dwc::RootPortDescription& port);

/// @throws SpecError for the first thing in DwcSpec::ports that is impossible
void check_dwc(const PlatformSpec& spec);

/// The PCIe root ports with DesignWare controllers of a platform.
struct DwcSpec final : PartSpec {
  std::vector<dwc::RootPortDescription> ports{};

  void check(const PlatformSpec& platform) const override { check_dwc(platform); }
  [[nodiscard]] PartClaims claims(const PlatformSpec& platform) const override;
  void make(const PlatformSpec& platform, PlatformParts& parts) const override;
};

namespace default_map {
inline constexpr std::uint64_t kDwcEcam = 0x18'0000'0000;  ///< the same of the segments of DesignWare root ports
inline constexpr unsigned kDwcSegments = 64;
}  // namespace default_map

}  // namespace pmufab::platform
