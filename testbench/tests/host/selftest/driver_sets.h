// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <vector>

#include "testbench/host/driver_host.h"

namespace pmufab::driver_host::testing {

/// @return the driver sets with the drivers of this folder, one for each kernel.
inline const std::vector<DriverSet>& selftest_driver_sets() {
  static const std::vector<DriverSet> sets = [] {
    try {
      return find_driver_sets(PMUFAB_SELFTEST_DRIVERS_DIR);
    } catch (const std::runtime_error&) {
      return std::vector<DriverSet>();  // the test of the real drivers reports why
    }
  }();
  return sets;
}

}  // namespace pmufab::driver_host::testing
