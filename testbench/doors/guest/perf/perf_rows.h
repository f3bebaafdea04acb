// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "testbench/perf/event_syntax.h"
#include "testbench/perf/pmu_catalog.h"

namespace pmufab::guest {

/// A row of perf stat: a count of one PMU, or the sum of several.
struct PerfRow {
  std::string text;  ///< as perf prints it: "nvidia_ucf_pmu/cycles/", or the value of name=
  std::vector<std::string>
      events;  ///< those that it sums, each with its PMU, without modifiers: "nvidia_ucf_pmu_0/cycles/"
};

/// As perf::parse_events(), but an event may stand without a PMU: "cycles:u". Then its `pmu` is empty, its name is the only
/// term, and its text has its modifiers.
/// @throws perf::EventError
[[nodiscard]] std::vector<perf::WrittenGroup> parse_perf_events(const std::string& text);

/// @return what perf 7.3 makes of an event that it is given (tools/perf/util/parse-events.c and evsel.c of Linux 7.3). A
///         PMU's whole name stands for itself; a name with '*' or '?', or one without its last number, for all that it
///         matches; an event without a PMU for all PMUs that have it. PMUs whose names differ in the last number alone
///         share a row, which sums them.
/// @param merges  false: each PMU has a row of its own (perf stat -A, --no-merge)
/// @throws perf::EventError if no PMU has such an event
[[nodiscard]] std::vector<PerfRow> perf_rows(const perf::WrittenEvent& event, const perf::PmuCatalog& catalog,
                                             bool merges);

/// @param modifiers  of an event and then of its group, as perf was given them: "uk"
/// @return whether perf asks the kernel to leave out some of the modes in which CPUs are. ":ukh" and ":GH" name them all.
///         A PMU outside of the CPUs has to refuse such an event
[[nodiscard]] bool leaves_out_modes(const std::string& modifiers);

}  // namespace pmufab::guest
