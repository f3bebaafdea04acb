// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "models/cmn/wire/topology.h"

namespace pmufab::cmn {

/// @return a device port as a product usually has it, with the nodes that belong to the device, for "RN-F", "RN-I",
/// "RN-D",
///         "HN-F", "HN-S", "HN-I", "HN-D", "HN-T", "HN-P", "SN-F", "SBSX", "MTSX", "CXRH", "CCG", "CCG-RNI", or "-" for
///         none; "x2", "x3" or "x4" at the end make it so many devices behind a CAL. Nothing for any other name.
[[nodiscard]] std::optional<Port> standard_port(Product product, std::string_view name);

/// @return the names standard_port() knows, without "-" and multiples.
[[nodiscard]] std::vector<std::string_view> standard_port_names();

}  // namespace pmufab::cmn
