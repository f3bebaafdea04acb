// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "testbench/fabrics/common/random.h"
#include "testbench/fabrics/cxl/verify/cxl_machine.h"
#include "testbench/run/yaml/document.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::verify {

/// @return a list for `cxl_traffic`: operations of hosts, devices and their caches that reach every decoder.
/// @param until  when the last operations begin; nothing: never
[[nodiscard]] scenario::Value cxl_workload(Random& random, CxlMachine& machine, std::optional<Picoseconds> until);

}  // namespace pmufab::verify
