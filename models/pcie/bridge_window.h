// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/pcie/configuration_space.h"

namespace pmufab::pcie {

/// Firmware's part: write the prefetchable memory window of a port. Repeat it after each conventional reset.
/// @param base, size  whole megabytes; size 0 closes the window
void assign_prefetchable_window(ConfigurationSpace& space, std::uint64_t base, std::uint64_t size) noexcept;

}  // namespace pmufab::pcie
