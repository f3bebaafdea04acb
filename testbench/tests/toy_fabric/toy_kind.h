// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/fabrics/common/fabric_kind.h"

namespace pmufab::toy {

/// The toy for scenarios: `kind: toy` and `toy` in a platform, `toy_traffic` in a scenario.
[[nodiscard]] const scenario::FabricKind& toy_kind();

}  // namespace pmufab::toy
