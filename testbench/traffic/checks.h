// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "testbench/traffic/producers/traffic_spec.h"
#include "testbench/traffic/target_window.h"

/// Checks that all kinds of traffic share. Not a public header.
namespace pmufab::traffic {

/// @param field  path of the checked member, for errors
/// @throws SpecError
/// @{
void check(bool good, const std::string& field, std::string reason, std::string suggestion = "");
void check_pacing(const PacingSpec& pacing, const std::string& field);
void check_burst(const std::optional<BurstSpec>& burst, const std::string& field);
/// Omits what only requesters of a Tegra410 can have: the consumer, and a chase's requests in flight.
/// @param windows  the pattern must fit
void check_pattern(const PatternSpec& pattern, const std::vector<Window>& windows, const std::string& field);
/// @}

}  // namespace pmufab::traffic
