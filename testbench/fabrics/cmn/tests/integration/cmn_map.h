// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <iosfwd>
#include <string>
#include <vector>

#include "models/cmn/description/topology.h"

/// The map that arm-cmn draws of a mesh in debugfs ("arm-cmn/map").
namespace pmufab::integration {

/// One crosspoint of the map, as text.
struct CmnMapCell {
  std::string xp;
  std::string dtc;
  std::vector<std::string> devices;                 ///< by port
  std::vector<std::array<std::string, 2>> logical;  ///< by port and device
  bool operator==(const CmnMapCell&) const = default;
};
using CmnMap = std::vector<std::vector<CmnMapCell>>;  ///< rows from the south

std::ostream& operator<<(std::ostream& out, const CmnMapCell& cell);

/// Read the map. A row begins with its number in the first column, a port with its number in the third, a device at a
/// port in the fifth. Columns end with '|'.
[[nodiscard]] CmnMap parse_cmn_map(const std::string& text);

/// The map from the platform's file. Logical ids count nodes of a type by crosspoint and port.
/// @param domains_of_cmn600_dtcs  the driver also knows the domain of crosspoints that hold a DTC on CMN-600
[[nodiscard]] CmnMap expected_cmn_map(const cmn::Topology& topology, bool domains_of_cmn600_dtcs);

}  // namespace pmufab::integration
