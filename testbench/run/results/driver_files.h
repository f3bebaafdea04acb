// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "testbench/host/driver_sets.h"
#include "testbench/run/results/results.h"

/// Which driver file serves which PMU, in reports.
namespace pmufab::scenario {

/// @return the files that serve a PMU or are the user's, as result files and journals have them: "file", "sha256",
///         "is_own", "is_given", "is_used", "pmus"
[[nodiscard]] Json to_json(const std::vector<driver_host::DriverFile>& files);
/// @throws nlohmann::json::exception if it is not what to_json() made
[[nodiscard]] std::vector<driver_host::DriverFile> driver_files_from_json(const Json& json);

/// @param pmus  those of interest, in order; each name may come several times
/// @return a line for each file that serves some of them, and one for those that no driver serves:
///         "arm_cspmu.c (SHA-256 0123456789ab...) serves nvidia_ucf_pmu_0 and nvidia_ucf_pmu_1"
[[nodiscard]] std::vector<std::string> describe(const std::vector<driver_host::DriverFile>& files,
                                                const std::vector<std::string>& pmus);

/// @return the user's files that are expected to be used: those that the user gave or changed. If only headers were
///         changed, one file that includes them is enough: all that do, as long as none is used
[[nodiscard]] std::vector<driver_host::DriverFile> expected_files(const std::vector<driver_host::DriverFile>& files);

/// @param foreign  as below
/// @return a sentence about the user's drivers that have nothing to bind: "a.c (yours) was not used: this platform has
///         no PMU for it"; empty if there are none
[[nodiscard]] std::string describe_unused(const std::vector<driver_host::DriverFile>& files,
                                          const std::vector<std::string_view>& foreign);

/// @return true if the file has the name of one of these kernel modules' drivers: "arm-cmn.c" of "arm_cmn"
[[nodiscard]] bool is_for(const driver_host::DriverFile& file, const std::vector<std::string_view>& modules);

/// @param foreign  kernel modules for hardware that the platform does not have: their drivers have nothing to bind
/// @return "drivers": failed if another driver of the user's bound no device, with what bound the PMUs in its place;
///         otherwise what describe_unused() says, if anything
[[nodiscard]] CheckResult check_own_drivers(const std::vector<driver_host::DriverFile>& files,
                                            const std::vector<std::string_view>& foreign = {});

}  // namespace pmufab::scenario
