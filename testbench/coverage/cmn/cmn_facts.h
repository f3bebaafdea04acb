// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/coverage/pmu_facts.h"

namespace pmufab::coverage {

/// What is known of the PMUs of CMN meshes.
[[nodiscard]] const FactsRoom& cmn_facts();

}  // namespace pmufab::coverage
