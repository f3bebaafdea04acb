// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/guest/perf/perf_expectations.h"
#include "testbench/shell/verdict.h"

namespace pmufab::guest {

/// A count that perf printed.
struct PrintedCount {
  std::string event;                   ///< as perf printed it
  std::optional<std::uint64_t> value;  ///< nothing: <not counted> or <not supported>
  bool scaled = false;                 ///< an estimate: the event had a counter for a part of the time only
  std::optional<double> time{};        ///< with -I: seconds since this perf began to count
};

/// Find the counts in what perf stat printed, in its own table or with -x, or -j, whatever else was printed between.
[[nodiscard]] std::vector<PrintedCount> find_counts(std::string_view text);

/// What became of one event of the virtual machine's perf.
struct GuestVerdict {
  using Check = shell::Check;
  std::string event;
  std::optional<std::uint64_t> printed;  ///< the sum, if perf printed several (-I), without that of --summary
  std::optional<std::uint64_t> low;
  std::optional<std::uint64_t> high;
  Check check = Check::unchecked;
  std::string note;
};

/// @param runs  what each perf must have counted, in order
[[nodiscard]] std::vector<GuestVerdict> compare(const std::vector<std::vector<ExpectedEvent>>& runs,
                                                const std::vector<PrintedCount>& printed);

}  // namespace pmufab::guest
