// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/fabrics/common/fabric_kind.h"

namespace pmufab::scenario {

/// Plug-ins: `kind: plugin`, and `plugin` and `plugin_parameters` of platforms of any kind.
[[nodiscard]] const FabricKind& plugin_kind();

}  // namespace pmufab::scenario
