// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/platform/platform_spec.h"

namespace pmufab::platform {

/// A PCI segment of DesignWare root ports: they are on its root bus, each with an empty bus below.
struct DwcSegment {
  std::uint16_t number = 0;
  std::uint64_t ecam_base = 0;  ///< configuration space of bus 0, even if first_bus is another
  std::uint8_t first_bus = 0;
  std::uint8_t last_bus = 0;
  unsigned socket = 0;
  std::vector<unsigned> ports;  ///< indices in PlatformSpec::dwc, in their order
};

/// @return the segments, in the order in which the list of root ports first names them.
[[nodiscard]] std::vector<DwcSegment> dwc_segments(const PlatformSpec& spec);

/// @return the address of a root port's configuration space. @param port  index in PlatformSpec::dwc
[[nodiscard]] std::uint64_t dwc_configuration(const PlatformSpec& spec, unsigned port);

/// @return what Linux calls the PMU of a root port: "dwc_rootport_13018".
[[nodiscard]] std::string dwc_perf_name(const dwc::RootPortDescription& port);

/// @throws SpecError for the first thing in PlatformSpec::dwc that is impossible
void check_dwc(const PlatformSpec& spec);

}  // namespace pmufab::platform
