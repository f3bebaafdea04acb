// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "testbench/judge/publication.h"
#include "testbench/perf/pmu_catalog.h"

namespace pmufab::scenario {

/// Compare what a driver shows of a PMU with what it must show. Names that nobody asks for are legal, and so are several
/// names of one event. A driver that has a name which came with a version of Linux is taken to be of that version.
/// @return by folder or file ("events", "format", "identifier"), what is wrong there
[[nodiscard]] std::vector<std::pair<std::string, std::string>> compare_published(
    const scoreboard::Publication& expected, const perf::PmuCatalog::Entry& shown);

/// @return "a, b, c and 4 more", of a few names
[[nodiscard]] std::string some_of(const std::vector<std::string>& names);

}  // namespace pmufab::scenario
