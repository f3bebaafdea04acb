// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "tools/pmufab/import/machine.h"

namespace pmufab::cli {

/// @param path     of a device tree: source, a blob, or a folder
/// @param scratch  a folder for files of dtc
/// @return what it tells: CPUs, CoreSight PMUs (arm,coresight-pmu.yaml of Linux) and CMN meshes (arm,cmn.yaml)
/// @throws scenario::InputError if it cannot be read, or if dtc is not there
[[nodiscard]] FoundMachine machine_from_tree(const std::string& path, const std::filesystem::path& scratch);

}  // namespace pmufab::cli
