// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace pmufab::scoreboard {

/// What arm-cmn's map of a mesh in debugfs must show.
struct MeshMap {
  struct Port {
    std::string device;  ///< "HN-F"; empty: none
    /// By device: the logical ids of its nodes, of which the map shows one. None: it may show anything.
    std::array<std::set<unsigned>, 2> ids{};
    bool operator==(const Port&) const = default;
  };
  struct Crosspoint {
    std::string domain;           ///< number of its DTC
    bool may_be_unknown = false;  ///< software cannot tell the domain
    std::vector<Port> ports;      ///< those beyond have no device
  };
  unsigned columns = 0;
  std::vector<Crosspoint> crosspoints;  ///< y * columns + x
};

/// Compare the map of a mesh that arm-cmn draws with the mesh: rows and columns, the number and the DTC of each
/// crosspoint, its devices, and the logical ids of their nodes.
/// @param text  that the driver shows
/// @return what is wrong first; nothing: all is right
[[nodiscard]] std::optional<std::string> compare_map(const MeshMap& expected, const std::string& text);

}  // namespace pmufab::scoreboard
