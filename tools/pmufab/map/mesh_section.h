// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "testbench/run/results/results.h"
#include "testbench/run/session/scenario_spec.h"

namespace pmufab::cli {

/// @return the meshes of a run as pmufab map draws them, for a page; "" if its platform has none
[[nodiscard]] std::string mesh_section(const scenario::ScenarioSpec& spec, const scenario::RunResult& run);

}  // namespace pmufab::cli
