// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/cmn/wire/topology.h"
#include "tlm/spec/spec_error.h"

namespace pmufab::cmn {

/// @throws SpecError for the first thing that makes the mesh impossible, or a danger to the driver's memory.
///         What Topology::deviations allows is not looked at.
void check(const Topology& topology);

}  // namespace pmufab::cmn
