// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "testbench/host/driver_sets.h"

namespace pmufab::driver_host {

/// @return the driver files that a library was built from, in link order, with their SHA-256. No driver is started, so
///         none is in use, and none has a PMU. @throws DriverSetError if it cannot be loaded
[[nodiscard]] std::vector<DriverFile> files_in(const std::filesystem::path& library);

}  // namespace pmufab::driver_host
