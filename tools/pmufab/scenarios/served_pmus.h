// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "testbench/fabrics/common/fabric_generator.h"
#include "testbench/run/session/scenario_spec.h"

/// Which driver serves which PMUs, before anything runs. A kind of PMU is known by how its names begin: "arm_cmn" of
/// arm_cmn_0 (scenario::PmuDriver). The module of a driver of described PMUs stands for these.
namespace pmufab::cli {

using PmuKinds = std::vector<std::string_view>;

/// Add an item, unless the list has it.
void add_once(std::vector<std::string_view>& list, std::string_view item);

/// @param driver  a kernel module ("arm_cmn", "arm-cmn") or one of its files ("arm-cmn.c", with or without folders;
///                "hdm.c+mbox.c")
/// @return the kernel modules that it is, or is of, and that fabrics have PMUs for; empty: there is none
[[nodiscard]] std::vector<std::string_view> modules_called(const std::string& driver);

/// @param given  as for modules_called(), or the name of a PMU or its beginning: "arm_cmn_0", "nvidia_ucf_pmu"
/// @return the kinds of PMUs that the driver serves, or that have such a name, each once
/// @throws scenario::InputError for what is neither
[[nodiscard]] PmuKinds pmus_served_by(const std::string& given);

/// @return the kinds of PMUs that a scenario drives: those that it measures. All of its platform, if it measures none,
///         or loads drivers again to refuse or interrupt them. None, if reference software counts in place of drivers
[[nodiscard]] PmuKinds driven_pmus(const scenario::ScenarioSpec& spec);

/// @return the kernel modules that serve one of these, each once
[[nodiscard]] std::vector<std::string_view> modules_serving(const PmuKinds& pmus);

/// @return what makes random cases for one of these kernel modules: its fabrics, and the shipped platforms of described
///         PMUs that it drives. They live as long as the process
[[nodiscard]] std::vector<const verify::FabricGenerator*> generators_serving(
    const std::vector<std::string_view>& modules);

/// @return whether both have one
[[nodiscard]] bool have_common(const PmuKinds& one, const PmuKinds& other);

/// @return every kernel module that fabrics have PMUs for, each once: for messages
[[nodiscard]] std::vector<std::string> known_modules();

}  // namespace pmufab::cli
