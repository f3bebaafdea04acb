// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace pmufab::guest {

/// The part of perf's arguments that says what it counts.
struct PerfStat {
  std::vector<std::string> events{};   ///< the values of -e and --event, in order
  std::vector<std::string> metrics{};  ///< names of metrics and of groups of them, from the values of -M and --metrics
  bool repeats = false;                ///< -r: what is printed is a mean
  bool merges = true;                  ///< not with -A, --no-aggr and --no-merge: each PMU has a row of its own
  std::string output{};                ///< -o: the file that has what is printed, and that alone; empty: none
};

/// @param arguments  of perf, without its name
/// @return nothing unless they are those of perf stat
[[nodiscard]] std::optional<PerfStat> parse_perf_stat(const std::vector<std::string>& arguments);

}  // namespace pmufab::guest
