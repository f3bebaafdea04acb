// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "models/cmn/description/product.h"
#include "testbench/fabrics/common/pmu_facts.h"

namespace pmufab::coverage {

/// @return the kind of the PMUs of a product's meshes: "arm_cmn_* (CMN-700)"
[[nodiscard]] std::string kind_of_mesh(cmn::Product product);
/// What is known of the PMUs of CMN meshes.
[[nodiscard]] const FactsRoom& cmn_facts();

}  // namespace pmufab::coverage
