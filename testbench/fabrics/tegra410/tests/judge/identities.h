// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "testbench/fabrics/tegra410/judge/ucf_events.h"

namespace pmufab::scoreboard::test {

/// Counts of one UCF: event, source bits, destination bits. From a model, a driver or a tally, all over the same time.
using UcfCounts = std::function<std::uint64_t(UcfEvent event, std::uint32_t sources, std::uint32_t destinations)>;

/// Identities between events that follow from the rules without any reference model: hits + misses = lookups, bytes and
/// accesses, sent = received.
/// @param ucfs  one per socket, all sockets of the platform, over the same time with no request in between
/// @return one sentence per violated identity, with the numbers; empty if all hold
[[nodiscard]] std::vector<std::string> violated_identities(const std::vector<UcfCounts>& ucfs);

/// @return counts that read a tally.
[[nodiscard]] UcfCounts counts_of(const UcfTally& tally);

}  // namespace pmufab::scoreboard::test
