// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/scenario/fabrics/fabric_kind.h"

namespace pmufab::toy {

/// The toy as scenarios know it: `kind: toy` and `toy` of a platform, `toy_traffic` of a scenario.
[[nodiscard]] const scenario::FabricKind& toy_kind();

}  // namespace pmufab::toy
