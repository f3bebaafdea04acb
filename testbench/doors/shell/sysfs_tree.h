// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "models/platform/platform_spec.h"
#include "testbench/host/pci_access/pci_access.h"
#include "testbench/perf/types.h"
#include "tlm/firmware/firmware_description.h"

namespace pmufab::shell {

/// Write the /sys of a platform as programs see it, whole: PMUs as their drivers publish them, CPUs and NUMA nodes, PCI
/// functions, CXL devices, debugfs. As in Linux, `bus` has links to what is in `devices`.
/// @param proc     folder for the files of /proc that tell of CPUs, and say who may count
/// @param debugfs  path and text of each file below /sys/kernel/debug
/// @param spec     says how much memory nodes have, and what the mailboxes of CXL devices take
/// @throws std::system_error, std::filesystem::filesystem_error
void write_sysfs(const std::filesystem::path& root, const std::filesystem::path& proc,
                 const std::vector<perf::Pmu>& pmus, const platform::FirmwareDescription& firmware,
                 const std::vector<pci_access::FoundFunction>& functions,
                 const std::vector<std::pair<std::string, std::string>>& debugfs, const platform::PlatformSpec& spec);

}  // namespace pmufab::shell
