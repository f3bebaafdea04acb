// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "testbench/perf/pmu_catalog.h"

namespace pmufab::scenario {

/// @return whether a line of a kernel's log begins with the level of a warning (KERN_WARNING) or worse.
[[nodiscard]] bool is_kernel_warning(const std::string& line) noexcept;

/// Print the lines of a kernel's log that are errors or worse (KERN_ERR) to standard error. They usually say why a device
/// has no PMU.
/// @param log     driver_host::DriverHost::log()
/// @param source  whose lines they are, as the message names it
void print_kernel_errors(const std::vector<std::string>& log, const char* source = "the drivers");

/// Print what drivers published wrongly to standard error: PmuCatalog::warnings().
void print_warnings(const perf::PmuCatalog& catalog);

/// Print a sentence of failure to standard error, and in front of it all of a kernel's log if there is no error in it
/// that print_kernel_errors() would have printed.
void print_failure(const std::vector<std::string>& log, const std::string& sentence);

}  // namespace pmufab::scenario
