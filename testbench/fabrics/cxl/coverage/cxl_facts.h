// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/fabrics/common/pmu_facts.h"

namespace pmufab::coverage {

/// What is known of the CPMUs of CXL devices.
[[nodiscard]] const FactsRoom& cxl_facts();

}  // namespace pmufab::coverage
