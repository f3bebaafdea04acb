// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "testbench/run/results/results.h"

namespace pmufab::scenario {

/// A run as the page of --html shows it.
struct HtmlRun {
  const RunResult& result;
  std::string configuration = {};  ///< YAML
  std::string picture = {};        ///< of its meshes, as markup
};

/// The columns of the table of runs.
[[nodiscard]] std::string run_columns();

/// @param number  of the run, from 1. @param details  markup; "": there is no room for any
/// @return the run in the table of runs
[[nodiscard]] std::string run_row(const RunResult& run, std::size_t number, const std::string& details);

/// @param most     bytes
/// @param is_open  to be seen without a click
[[nodiscard]] std::string run_details(const HtmlRun& run, std::size_t most, bool is_open);

/// @return the class of a verdict in the page's style: "good", "bad", "open"
[[nodiscard]] std::string_view class_of(RunResult::Status status) noexcept;

}  // namespace pmufab::scenario
