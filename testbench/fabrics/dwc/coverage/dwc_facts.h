// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/fabrics/common/pmu_facts.h"

namespace pmufab::coverage {

/// The PMUs of root ports with DesignWare controllers.
[[nodiscard]] const FactsRoom& dwc_facts();

}  // namespace pmufab::coverage
