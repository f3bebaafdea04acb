// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "testbench/run/results/results.h"
#include "testbench/run/yaml/reader.h"

namespace pmufab::explore {

/// What happened of an event between two readings, as far as it had a counter.
struct CountedSpan {
  double enabled = 0;  ///< time in which it was wanted
  double running = 0;  ///< of that, with a counter
  double counted = 0;
};

/// How to guess what happened while others had the counter.
enum class TurnsEstimate : std::uint8_t {
  none,
  interpolated,  ///< the rate runs straight from one span with a counter to the next (Mathur and Cook, MASCOTS 2005)
  neighbours,    ///< the rate is the mean of the five nearest spans with a counter (as in CounterMiner, MICRO 2018)
};

/// @return the estimated count of all spans together; nothing if the event never had a counter
[[nodiscard]] std::optional<double> estimated_count(const std::vector<CountedSpan>& spans, TurnsEstimate how);

/// Where a number stands in the results of a run, as the JSON report has them.
struct MeasuredValue {
  enum class Of : std::uint8_t {
    run,      ///< of the run itself: counters_wrong, simulated_time_ps
    event,    ///< of a counter
    derived,  ///< of a derived figure
    check,    ///< of a check of the run: 1 if it passed
    traffic,  ///< of a generator
  };
  enum class Combine : std::uint8_t { none, sum, minimum, maximum };
  Of of = Of::run;
  std::string name;                ///< of the event, the figure, the check, the generator
  std::string measure;             ///< of an event or a figure; empty: the only one that has it
  std::vector<std::string> value;  ///< keys from there on: {"lost", "handler"}. A list counts its elements
  TurnsEstimate estimate = TurnsEstimate::none;  ///< of an event, in place of `value`
  Combine combine = Combine::none;  ///< of several events that fit the name, in which * and ? stand for anything
  scenario::Source source;
  std::string path;

  /// @return whether only the judge can say it: "expected", "loss.handler", "counters_wrong"
  [[nodiscard]] bool needs_judge() const;
  /// In words that tell it from every other one.
  [[nodiscard]] std::string identity() const;
};

/// Read `{event: TEXT, value: KEY}` and the like.
[[nodiscard]] MeasuredValue read_measured_value(scenario::Reader& reader);

/// @param run  results as scenario::to_json() makes them
/// @return nothing if the results have no number there, because it could not be counted
/// @throws scenario::InputError if results of this run never have it: it names what there is
[[nodiscard]] std::optional<double> value_in(const scenario::Json& run, const MeasuredValue& value);

}  // namespace pmufab::explore
