// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/tegra410/address_map.h"
#include "models/tegra410/pcie/pcie_parameters.h"

namespace pmufab::platform {

struct PlatformSpec;

/// A base address register and the address firmware gives it.
struct PlacedBar {
  unsigned device = 0;     ///< index in PcieRootPort::devices
  std::uint64_t base = 0;  ///< a multiple of its size
};

/// @return the root complexes of a platform, as given or by default; none without Tegra410 sockets.
[[nodiscard]] std::vector<tegra410::PcieRootComplex> root_complexes_of(const PlatformSpec& spec);

/// @return base address of BAR 0 of each device below a root port: the largest first, without gaps.
[[nodiscard]] std::vector<PlacedBar> bars_of(const tegra410::PcieRootComplex& complex,
                                             const tegra410::PcieRootPort& port);

/// @return the BARs below each root port, as one range of class `bar` for each port that has any.
[[nodiscard]] std::vector<tegra410::MemoryRange> bar_ranges_of(const PlatformSpec& spec);

/// @return the base of the configuration space of bus 0 of a root complex's segment.
[[nodiscard]] std::uint64_t ecam_base_of(const tegra410::PcieRootComplex& complex);

/// @return the last bus of a root port's range: the one before the next root bus of its root complex, or 255.
[[nodiscard]] std::uint8_t last_bus_of(const tegra410::PcieRootComplex& complex, const tegra410::PcieRootPort& port);

/// @throws SpecError for the first thing that makes the root complexes impossible; fields begin with "tegra410.pcie."
void check_pcie(const PlatformSpec& spec);

}  // namespace pmufab::platform
