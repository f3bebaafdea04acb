// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/run/results/results.h"

/// What two files of results say differently: of two drivers, or of yesterday and today.
namespace pmufab::scenario {

/// @param place  a file of --json, or a folder of --out with all that lies below it
/// @param keys   of objects, at any depth, that are of use; empty: all. What else a long run holds takes more memory
/// @return its runs, in order
/// @throws InputError for what cannot be read or is no result
[[nodiscard]] std::vector<Json> read_results(const std::filesystem::path& place,
                                             const std::set<std::string_view>& keys = {});
/// Those that a ResultDifference looks at.
[[nodiscard]] const std::set<std::string_view>& compared_keys();

/// Compares the verdicts of two lists of runs. Runs belong together if scenario, variant and Linux version are the
/// same, in their order if several are alike. Of the rest, those of one scenario and variant belong together, in their
/// order, if both lists have as many.
class ResultDifference {
 public:
  ResultDifference(const std::vector<Json>& before, const std::vector<Json>& after);

  /// @return runs of which something that was right is wrong now, or that are missing now
  [[nodiscard]] std::size_t worse() const noexcept { return worse_; }
  /// For people: the drivers that differ, each once; the runs that differ, the worst first; and one line about all.
  /// @param everything  the runs that are the same, too
  void write_text(std::ostream& out, bool everything = false) const;
  /// The same. In every list of two, the first is from before.
  [[nodiscard]] Json to_json() const;

 private:
  Json runs_ = Json::array();
  std::size_t worse_ = 0;
  std::size_t better_ = 0;
  std::size_t changed_ = 0;
  std::size_t same_ = 0;

  void add(const Json* before, const Json* after);
};

}  // namespace pmufab::scenario
