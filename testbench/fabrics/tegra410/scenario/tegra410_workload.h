// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "testbench/traffic/producers/traffic_spec.h"

namespace pmufab::scenario {

/// Traffic of the sockets, kept in a Workload.
struct Tegra410Workload {
  std::vector<traffic::GeneratorSpec> generators;
};

}  // namespace pmufab::scenario
