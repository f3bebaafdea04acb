// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "testbench/run/results/results.h"

namespace pmufab::scenario {

/// A picture of a counter over the time of its measure, as markup: what the driver's readings add up to, each
/// impossible reading with what was possible, and both counts at the end. Nothing is drawn between them that no result
/// has.
/// @return "" if the counter was not read on the way
[[nodiscard]] std::string time_line(const MeasureResult& measure, std::size_t counter);

}  // namespace pmufab::scenario
