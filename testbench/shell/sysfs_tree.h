// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "testbench/pci_access/pci_access.h"
#include "testbench/perf/types.h"
#include "tlm/firmware/firmware_description.h"

namespace pmufab::shell {

/// Write the part of /sys that shows a platform to perf and lspci: PMUs as their drivers publish them, CPUs and NUMA
/// nodes, PCI functions, debugfs; and below it the file of /proc that says who may count.
/// @param debugfs  path and text of each file below /sys/kernel/debug
/// @throws std::system_error, std::filesystem::filesystem_error
void write_sysfs(const std::filesystem::path& root, const std::vector<perf::Pmu>& pmus,
                 const std::vector<platform::Cpu>& cpus, const std::vector<pci_access::FoundFunction>& functions,
                 const std::vector<std::pair<std::string, std::string>>& debugfs);

}  // namespace pmufab::shell
