// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/fabrics/common/fabric_kind.h"

namespace pmufab::scenario {

[[nodiscard]] const FabricKind& cmn_kind();

}  // namespace pmufab::scenario
