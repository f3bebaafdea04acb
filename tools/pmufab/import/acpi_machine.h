// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tools/pmufab/import/machine.h"

namespace pmufab::cli {

/// @param paths    of binary ACPI tables, or of folders with such
/// @param scratch  a folder for files of iasl
/// @return what the tables tell: PMUs of the APMT, processors of the PPTT, devices of DSDT and SSDTs
/// @throws scenario::InputError if a table is not right, or if iasl is needed and not there
[[nodiscard]] FoundMachine machine_from_acpi(const std::vector<std::string>& paths,
                                             const std::filesystem::path& scratch);

}  // namespace pmufab::cli
