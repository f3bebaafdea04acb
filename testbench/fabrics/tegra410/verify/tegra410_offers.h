// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "testbench/fabrics/common/fabric_generator.h"
#include "testbench/fabrics/tegra410/verify/tegra410_machine.h"

namespace pmufab::verify::tegra410 {

/// What perf sessions may do with the PMUs of a machine.
[[nodiscard]] std::vector<PmuOffer> offers_of(const std::shared_ptr<const Machine>& machine);

}  // namespace pmufab::verify::tegra410
