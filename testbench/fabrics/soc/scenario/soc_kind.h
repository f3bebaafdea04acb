// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/fabrics/common/fabric_kind.h"
#include "testbench/fabrics/common/pmu_facts.h"

namespace pmufab::scenario {

/// CoreSight PMUs by description: `kind: soc`, and `sources` and `coresight_pmus` of platforms of any kind.
[[nodiscard]] const FabricKind& soc_kind();

}  // namespace pmufab::scenario

namespace pmufab::coverage {

/// The room of described CoreSight PMUs.
[[nodiscard]] const FactsRoom& soc_facts();

}  // namespace pmufab::coverage
