// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "testbench/run/yaml/document.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::interleave {

/// Events that one measure opens together.
using OpenTogether = std::vector<std::string>;

/// @param effective  a scenario with all that it names, ScenarioSpec::effective
/// @param measures  events, those of each that are open together
/// @param unit  of its times: 28 for each measure
/// @return a scenario with the same platform and drivers, in which nothing happens but that the events are opened, read
///         twice and closed. It takes microseconds, whatever the scenario takes
[[nodiscard]] scenario::Value short_life(const scenario::Value& effective, const std::vector<OpenTogether>& measures,
                                         Picoseconds unit);

/// Let events happen some times in a short life, between the opening and the first reading of each measure, so that
/// no counter is at 0 then.
/// @param sources  of each measure
void begin_counts(scenario::Value& short_life, const std::vector<std::vector<std::string>>& sources, Picoseconds unit);

/// Let a source happen `count` times between the two readings of the first measure.
void add_between_readings(scenario::Value& short_life, const std::string& source, std::uint64_t count,
                          Picoseconds unit);

/// @return the number of the measure that is open at that time, from 0
[[nodiscard]] std::size_t measure_at(Picoseconds time, Picoseconds unit);

/// @param event  that a scenario measures: "nvidia_ucf_pmu_0/slc_access_rd/"
/// @return texts that may name one occurrence of it at one place, which is what can happen in bulk. The first is the
///         event itself, the likely ones come first
[[nodiscard]] std::vector<std::string> one_place_of(const std::string& event);

}  // namespace pmufab::interleave
