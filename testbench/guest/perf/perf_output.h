// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/guest/perf/perf_expectations.h"
#include "testbench/perf/verdict.h"

namespace pmufab::guest {

/// A count that perf printed.
struct PrintedCount {
  std::string event;                   ///< as perf printed it
  std::optional<std::uint64_t> value;  ///< nothing: "not counted" or "not supported"
  bool scaled = false;                 ///< an estimate: the event had a counter only for part of the time
  std::optional<double> time{};        ///< with -I: seconds since this perf began to count
  bool is_never = false;               ///< "not counted": the event never had a counter
};

/// Finds the counts in the output of perf stat: its own table, -x or -j. Other lines may stand between them.
[[nodiscard]] std::vector<PrintedCount> find_counts(std::string_view text);

/// Compares what perf printed with what it must have counted. If perf printed several counts of an event (-I), their
/// sum is compared; the count of --summary is left out.
/// @param runs  what each perf must have counted, in order
[[nodiscard]] std::vector<perf::Verdict> compare(const std::vector<std::vector<ExpectedEvent>>& runs,
                                                 const std::vector<PrintedCount>& printed);

}  // namespace pmufab::guest
