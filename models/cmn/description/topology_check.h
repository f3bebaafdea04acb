// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/cmn/description/topology.h"
#include "tlm/spec/spec_error.h"

namespace pmufab::cmn {

/// @throws SpecError for the first thing that makes the mesh impossible, or dangerous to the driver's memory. Whatever
///         Topology::deviations allows is not checked.
void check(const Topology& topology);

}  // namespace pmufab::cmn
