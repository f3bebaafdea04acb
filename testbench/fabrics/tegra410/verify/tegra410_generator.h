// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/fabrics/common/fabric_generator.h"

namespace pmufab::verify {

[[nodiscard]] const FabricGenerator& tegra410_generator();

}  // namespace pmufab::verify
