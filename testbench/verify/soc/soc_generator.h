// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/verify/fabric_generator.h"

namespace pmufab::verify {

/// The generator of described CoreSight PMUs.
[[nodiscard]] const FabricGenerator& soc_generator();

}  // namespace pmufab::verify
