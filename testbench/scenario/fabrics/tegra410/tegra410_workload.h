// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "testbench/traffic/tegra410/traffic_spec.h"

namespace pmufab::scenario {

/// Traffic of the sockets, kept in a Workload.
struct Tegra410Workload {
  std::vector<traffic::GeneratorSpec> generators;
};

}  // namespace pmufab::scenario
