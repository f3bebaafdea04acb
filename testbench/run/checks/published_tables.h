// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "testbench/judge/publication.h"
#include "testbench/perf/pmu_catalog.h"

namespace pmufab::scenario {

/// Compare what a driver shows of a PMU with what it must show. Names that nobody asks for are legal, and so are several
/// names of one event. A driver that has a name which came with a version of Linux is taken to be of that version, but of
/// none after that of its kernel: it may have parts of later versions, one by one, as patches bring them.
/// @param kernel  version of the kernel that the driver is of, or was changed from; 0: not known
/// @return by folder or file ("events", "format", "identifier"), what is wrong there
[[nodiscard]] std::vector<std::pair<std::string, std::string>> compare_published(
    const scoreboard::Publication& expected, const perf::PmuCatalog::Entry& shown, scoreboard::LinuxVersion kernel = 0);

/// @return the bits of the terms that the user of an event gives
[[nodiscard]] scoreboard::ConfigWords open_bits(const perf::PmuCatalog::Entry& pmu,
                                                const perf::PmuCatalog::Event& event);

/// @return "a, b, c and 4 more", of a few names
[[nodiscard]] std::string some_of(const std::vector<std::string>& names);

}  // namespace pmufab::scenario
