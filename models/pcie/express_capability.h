// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/pcie/configuration_space.h"
#include "models/pcie/function.h"

namespace pmufab::pcie {

/// Add the PCI Express capability (id 0x10, version 2), as a trained link of that speed and width shows it.
/// @return its offset
/// @throws SpecError for an impossible link
unsigned add_express_capability(ConfigurationSpace& space, PortType type, const LinkParameters& link,
                                bool function_level_reset);

/// Firmware's part: write the prefetchable memory window of a port. Repeat it after each conventional reset.
/// @param base, size  whole megabytes; size 0 closes the window
void assign_prefetchable_window(ConfigurationSpace& space, std::uint64_t base, std::uint64_t size) noexcept;

}  // namespace pmufab::pcie
