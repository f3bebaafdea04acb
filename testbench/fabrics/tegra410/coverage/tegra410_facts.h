// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/fabrics/common/pmu_facts.h"

namespace pmufab::coverage {

/// What is known of the PMUs of Tegra410 sockets.
[[nodiscard]] const FactsRoom& tegra410_facts();

}  // namespace pmufab::coverage
