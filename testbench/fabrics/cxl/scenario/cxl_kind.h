// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/fabrics/common/fabric_kind.h"

namespace pmufab::scenario {

[[nodiscard]] const FabricKind& cxl_kind();

}  // namespace pmufab::scenario
