// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tools/pmufab/review/change.h"

namespace pmufab::cli {

/// @return what the drivers know hardware by that they did not know before, in the words of their tables: ACPI identifiers,
///         device tree names, and PCI devices and vendors
[[nodiscard]] std::vector<std::string> added_devices(const std::vector<ChangedFile>& files);

}  // namespace pmufab::cli
