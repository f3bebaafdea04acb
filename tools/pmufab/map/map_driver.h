// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "models/cmn/description/layout.h"
#include "models/cmn/description/topology.h"

namespace pmufab::cli {

/// Result of comparing a mesh with the map that its driver shows in debugfs.
struct MapComparison {
  std::vector<std::string> differences;  ///< empty: driver and model agree
  std::vector<std::string> unknown;      ///< what this driver has no name for, so that there is nothing to compare
};

/// Read the map of arm-cmn.c (arm_cmn_map_show) and compare it with the mesh: the number and DTC domain of each XP, the
/// device at each port, and for devices 0 and 1 the logical id of the node with events. The expected map is computed
/// from the topology alone.
[[nodiscard]] MapComparison compare_with_driver(const cmn::Topology& topology, const cmn::Layout& layout,
                                                const std::string& driver_map);

}  // namespace pmufab::cli
