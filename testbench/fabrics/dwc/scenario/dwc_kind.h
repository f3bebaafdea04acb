// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/fabrics/common/fabric_kind.h"

namespace pmufab::scenario {

/// PCIe root ports with DesignWare controllers: `kind: dwc`, and `dwc_root_ports` of platforms of any kind.
[[nodiscard]] const FabricKind& dwc_kind();

}  // namespace pmufab::scenario
