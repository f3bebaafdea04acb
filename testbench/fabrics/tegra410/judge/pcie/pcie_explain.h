// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/fabrics/tegra410/judge/pcie/pcie_requests.h"

namespace pmufab::scoreboard {

/// @return which other count the driver's value of a PCIE event equals, in words: other root ports, another device,
///         other destinations, another event, ...
/// @param counted  the root complex's requests within the event's windows, with `outstanding` filled in
/// @param edges    of the PMU's clock within them
[[nodiscard]] std::string explain_pcie(const PcieMeaning& meaning, const std::vector<PcieLane>& counted,
                                       std::uint64_t edges, std::uint64_t driver);

}  // namespace pmufab::scoreboard
