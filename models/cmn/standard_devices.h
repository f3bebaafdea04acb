// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "models/cmn/description/topology.h"

namespace pmufab::cmn {

/// @return a device port as a product usually has it, with the nodes of the device, for "RN-F", "RN-I", "RN-D", "HN-F",
///         "HN-S", "HN-I", "HN-D", "HN-T", "HN-P", "SN-F", "SBSX", "MTSX", "CXRH", "CCG", "CCG-RNI", or "-" for none.
///         The suffix "x2", "x3" or "x4" puts that many devices behind a CAL. Before a name, "external " or "isolated "
///         closes the nodes of the device to software. Empty for any other name.
[[nodiscard]] std::optional<Port> standard_port(Product product, std::string_view name);

/// @return the names that standard_port() accepts, without "-" and suffixes.
[[nodiscard]] std::vector<std::string_view> standard_port_names();

}  // namespace pmufab::cmn
