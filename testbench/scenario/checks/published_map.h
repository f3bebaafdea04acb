// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "testbench/scoreboard/core/publication.h"

namespace pmufab::scenario {

/// Compare the map of a mesh that arm-cmn draws in debugfs with the mesh: rows and columns, the number and the DTC of each
/// crosspoint, its devices, and the logical ids of their nodes.
/// @param text  that the driver shows
/// @return what is wrong first; nothing: all is right
[[nodiscard]] std::optional<std::string> compare_map(const scoreboard::PublishedMap& expected, const std::string& text);

}  // namespace pmufab::scenario
