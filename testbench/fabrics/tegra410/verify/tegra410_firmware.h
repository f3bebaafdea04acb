// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/fabrics/common/random.h"
#include "testbench/fabrics/tegra410/verify/tegra410_machine.h"
#include "testbench/run/yaml/document.h"

namespace pmufab::verify::tegra410 {

/// @return what firmware has left in some PMUs, a list for the key `firmware_writes`: counters that run and have values,
///         some of which overflow before the drivers are loaded, events, filters, and enabled interrupts
[[nodiscard]] scenario::Value draw_firmware(Random& random, const Machine& machine);

}  // namespace pmufab::verify::tegra410
