// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "models/cmn/description/topology.h"
#include "testbench/perf/pmu_catalog.h"

namespace pmufab::scenario {

/// Refuse an event of a mesh's nodes that its product and revision do not have, and one whose cause no model makes
/// happen: its count would say nothing.
/// @param mesh  number of the mesh, whose PMU is arm_cmn_<mesh>; events of other PMUs pass
/// @throws EventError with the reason and what to count instead
void check_modelled(const perf::ResolvedEvent& event, std::size_t mesh, const cmn::Topology& topology);

/// @return what may help with an event the driver refused: which nodes there are, if it names one there is not; else
/// "".
[[nodiscard]] std::string hint_of_nodes(const perf::ResolvedEvent& event, std::size_t mesh,
                                        const cmn::Topology& topology);

}  // namespace pmufab::scenario
