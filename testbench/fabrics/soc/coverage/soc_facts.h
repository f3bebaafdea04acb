// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/fabrics/common/pmu_facts.h"

namespace pmufab::coverage {

/// The room of described CoreSight PMUs.
[[nodiscard]] const FactsRoom& soc_facts();

}  // namespace pmufab::coverage
