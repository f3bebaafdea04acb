// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "testbench/campaigns/explore/study/axis.h"
#include "testbench/campaigns/explore/study/design.h"
#include "testbench/campaigns/explore/study/expression.h"
#include "testbench/campaigns/explore/study/measured_value.h"
#include "testbench/run/yaml/document.h"

namespace pmufab::explore {

/// A number of each point: taken from the results of its run, or computed from others.
struct Response {
  std::string name;
  std::optional<MeasuredValue> measured;
  std::optional<Expression> computed;
};

/// "Which is the smallest (or largest) value of an axis with which a condition holds?"
struct Goal {
  std::size_t axis = 0;                   ///< whose value is looked for
  bool is_largest = false;                ///< the largest is looked for
  Expression such_that;                   ///< of responses and axes
  std::vector<std::size_t> for_each;      ///< axes: an answer for each combination of their values
  std::optional<Expression> closed_form;  ///< what the value should be, from the axes of for_each
  double tolerance = 0;                   ///< how far the answer may be from that
};

/// A condition that every point should meet, such as the agreement with a closed form.
struct Expectation {
  Expression condition;
};

/// What designs cost, and how wrong their counts are: two numbers of which less is better.
struct Front {
  std::string cost;  ///< an axis with numbers, or a response
  std::string error;
  std::vector<std::size_t> worst_over;  ///< axes that a designer does not choose, such as the load: the worst counts
};

/// Which combinations are run.
struct Points {
  enum class Kind : std::uint8_t { grid, search, latin_hypercube, sobol };
  Kind kind = Kind::grid;
  std::size_t samples = 0;
  std::uint64_t seed = 1;
};

/// A study file, checked. What it says about the scenario is checked when its points are made.
struct Study {
  std::string name;
  std::string question;
  std::string scenario;  ///< as written: a file or a name
  scenario::Source scenario_source;
  std::vector<Setting> settings;  ///< of every point
  std::vector<Axis> axes;
  Points points;
  std::vector<Response> responses;
  std::vector<std::string> show;  ///< responses of the pictures
  std::vector<Goal> goals;
  std::vector<Expectation> expectations;
  std::vector<std::size_t> baseline;  ///< a value of each axis, with which others are compared
  std::optional<Front> front;
  std::uint64_t repeats = 1;
  Grid grid;

  [[nodiscard]] std::optional<std::size_t> axis_of(const std::string& wanted) const noexcept;
  /// @return the sites to run, in order; nothing if a search finds them
  [[nodiscard]] std::optional<std::vector<std::uint64_t>> sites(bool whole_grid) const;
  /// @return how many values of the axis and of the axes that the goal does not name belong to one question of it
  [[nodiscard]] std::vector<std::size_t> other_axes(const Goal& goal) const;
};

/// The most runs of one study.
inline constexpr std::uint64_t kMostRuns = 1'000'000;

/// @param document  of a study file. Selectors of drivers in it are versions already
/// @throws InputError
[[nodiscard]] Study read_study(const scenario::Value& document);

/// Replace selectors of drivers ("newest", ">=7.1") by the versions that they select.
/// @param versions  there are, oldest first
/// @throws InputError if one selects none
void resolve_drivers(scenario::Value& document, const std::vector<std::string>& versions);

/// Columns of the database that are not the study's.
[[nodiscard]] const std::vector<std::string>& reserved_names();

}  // namespace pmufab::explore
