// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "testbench/fabrics/common/random.h"
#include "testbench/run/yaml/document.h"

namespace pmufab::verify::dwc {

struct Port {
  std::string name;  ///< in traffic
  std::string pmu;   ///< perf's name for it
  unsigned lanes = 1;
  unsigned socket = 0;
  /// Which counters come to their wrap, or near it: those of lanes, or that of time-based analysis.
  bool fills_lanes = false;
};

struct Machine {
  bool has_lanes = true;  ///< the driver counts events of lanes, and takes groups
  unsigned sockets = 1;
  unsigned cpus_per_socket = 4;
  std::vector<Port> ports;
};

/// Draw a machine, and describe it: the map under the key `platform`.
/// @param kernel  "7.3.4": the driver knows its vendors
[[nodiscard]] Machine draw_machine(Random& random, std::string_view kernel, scenario::Value& platform);

/// Packets and errors on all links, and the states of most: top keys of the scenario.
[[nodiscard]] std::vector<std::pair<std::string, scenario::Value>> draw_traffic(Random& random, const Machine& machine);

}  // namespace pmufab::verify::dwc
