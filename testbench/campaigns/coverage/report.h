// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/campaigns/coverage/coverage.h"
#include "testbench/campaigns/coverage/exclusions.h"

namespace pmufab::coverage {

/// How many bins there are, and how many of them were met.
struct Tally {
  std::uint64_t met = 0;
  std::uint64_t reachable = 0;
  std::uint64_t excluded = 0;

  Tally& operator+=(const Tally& other) noexcept;
  [[nodiscard]] bool is_complete() const noexcept { return met == reachable; }
  /// @return true if at least this part is met; nothing reachable is no part of anything. In hundredths of a percent,
  ///         so that no rounding decides
  [[nodiscard]] bool has(std::uint64_t hundredths) const noexcept;
  /// @return "94.37 %", never rounded up
  [[nodiscard]] std::string percent() const;
};

/// A bin that is not to be reached.
struct Excluded {
  std::string bin;
  std::string reason;
  bool is_met = false;  ///< the reason is wrong
};

struct PointReport {
  std::string name;
  Tally tally;
  std::vector<std::string> missing;  ///< never met
  std::vector<Excluded> excluded;
};

struct KindReport {
  std::string name;
  Tally tally;
  std::vector<PointReport> points;
};

/// Coverage as people read it.
struct Report {
  std::uint64_t runs = 0;
  Tally tally;
  std::vector<KindReport> kinds;

  /// @return each bin that is excluded and was met all the same: "KIND: COVERPOINT: BIN (REASON)"
  [[nodiscard]] std::vector<std::string> wrong_exclusions() const;
};

[[nodiscard]] Report make_report(const Coverage& coverage, const Exclusions& exclusions);

/// @param most  missing bins of a coverpoint that are named; 0: all
[[nodiscard]] std::string text_report(const Report& report, std::size_t most);
[[nodiscard]] Json json_report(const Report& report);
/// "Coverage of 2 runs: 94.37 %"
[[nodiscard]] std::string html_title(const Report& report);
/// @return the report as a part of a page (testbench/pages)
[[nodiscard]] std::string html_tables(const Report& report);
/// @return one page that needs no other file
[[nodiscard]] std::string html_report(const Report& report);

}  // namespace pmufab::coverage
