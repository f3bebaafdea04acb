// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "models/cmn/description/layout.h"
#include "models/cmn/description/topology.h"

namespace pmufab::cli {

/// What comparing a mesh with the map its driver shows in debugfs gave.
struct MapComparison {
  std::vector<std::string> differences;  ///< empty: driver and model agree
  std::vector<std::string> unknown;      ///< what this driver has no name for, and therefore nothing to disagree about
};

/// Read the map of arm-cmn.c (arm_cmn_map_show) and hold it against the mesh: for each XP its number and DTC domain,
/// for each port the device, and for the devices 0 and 1 the logical id of the node with events. What is right is
/// computed from the topology alone.
[[nodiscard]] MapComparison compare_with_driver(const cmn::Topology& topology, const cmn::Layout& layout,
                                                const std::string& driver_map);

}  // namespace pmufab::cli
