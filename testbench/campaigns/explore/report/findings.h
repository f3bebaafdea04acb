// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "testbench/campaigns/explore/database/database.h"
#include "testbench/campaigns/explore/study/study.h"

namespace pmufab::explore {

/// The answer of a goal for one combination of the axes of for_each.
struct Answer {
  enum class Kind : std::uint8_t {
    found,       ///< this value meets the condition, and its neighbour does not (or there is none)
    none,        ///< not even the largest (smallest) value meets it
    unfinished,  ///< points are missing
  };
  Kind kind = Kind::unfinished;
  std::uint64_t combination = 0;
  std::size_t value = 0;                  ///< found: of the axis
  std::optional<std::uint64_t> holds_at;  ///< a position that shows it
  std::optional<std::uint64_t> fails_at;  ///< a position of the neighbour that shows that it does not meet it
  std::uint64_t without_result = 0;       ///< unfinished: positions whose run has none
  std::size_t beyond = 0;                 ///< values beyond the border that meet it nevertheless
  std::optional<double> closed_form;      ///< what the value should be
  bool agrees = true;                     ///< with that, within the goal's tolerance
};

/// The answers of one goal.
struct GoalFinding {
  std::vector<Answer> answers;  ///< for each combination
};

/// How often an expected condition holds.
struct ExpectationFinding {
  std::uint64_t points = 0;
  std::uint64_t held = 0;
  std::optional<std::uint64_t> first_failure;  ///< position
};

/// What a study has found.
struct Findings {
  std::vector<GoalFinding> goals;
  std::vector<ExpectationFinding> expectations;

  /// @return true if each expectation holds at each point, each answer agrees with its closed form, and none lacks the
  ///         result of a run
  [[nodiscard]] bool are_as_expected() const noexcept;
};

/// Look at all points that are there.
[[nodiscard]] Findings find(const Study& study, Database& database);

/// @return sentences, the answer first: "The smallest width with lost == 0 is 23 (22 fails)."
[[nodiscard]] std::vector<std::string> in_words(const Study& study, const Findings& findings);

/// @return "rate=100, delay=5 us"; "" without for_each
[[nodiscard]] std::string combination_label(const Study& study, const Goal& goal, std::uint64_t combination);

}  // namespace pmufab::explore
