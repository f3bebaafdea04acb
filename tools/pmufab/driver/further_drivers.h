// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "testbench/host/driver_sets.h"

namespace pmufab::cli {

/// Build drivers that platforms need and that driver sets lack, as far as their kernels have them. Each such set follows
/// the one that it was made of. What was built is kept in the cache.
/// @param modules  of each platform
void add_further_drivers(std::vector<driver_host::DriverSet>& sets,
                         const std::vector<std::vector<std::string_view>>& modules);

}  // namespace pmufab::cli
