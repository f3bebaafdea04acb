// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "testbench/host/driver_sets.h"

namespace pmufab::cli {

/// A driver of testbench/host/further-drivers.txt: of PMUs that platform files describe.
struct FurtherDriver {
  std::string module;
  std::vector<std::string> files;  ///< "drivers/perf/arm_smmuv3_pmu.c"
  std::vector<std::string> after;  ///< modules that it needs
};

/// @return all of them, in the order of the file
[[nodiscard]] const std::vector<FurtherDriver>& further_drivers();

/// Kernel modules that a platform needs, of the kernels that one of the selectors names; without selectors, of all.
struct WantedDrivers {
  std::vector<std::string_view> modules;
  std::vector<std::string> selectors;
};

/// Build drivers that platforms need and that driver sets lack, as far as their kernels have them. Each such set follows
/// the one that it was made of. What was built is kept in the cache.
/// @param selector  the kernels of which drivers are wanted at all; empty: all
void add_further_drivers(std::vector<driver_host::DriverSet>& sets, const std::vector<WantedDrivers>& wanted,
                         const std::string& selector = {});

}  // namespace pmufab::cli
