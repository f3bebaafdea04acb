// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "testbench/campaigns/interleave/amounts.h"
#include "testbench/campaigns/interleave/schedule.h"
#include "testbench/run/results/results.h"
#include "testbench/run/session/runner.h"
#include "testbench/run/session/scenario_spec.h"

namespace pmufab::interleave {

/// What is explored.
struct Subject {
  scenario::Value document;    ///< of the scenario, as written
  std::filesystem::path base;  ///< folder of its file
  scenario::Variant variant;
  std::shared_ptr<const std::vector<std::string>> overrides;
  std::shared_ptr<const driver_host::DriverSet> drivers;
  std::string pmu;  ///< whose driver; empty: the only one that the scenario measures
  Trigger::Call call = Trigger::Call::read;
  std::uint64_t nth_call = 0;        ///< 0: every call
  std::vector<std::string> sources;  ///< what happens in bulk; empty: the events that the scenario measures
};

/// What became of one schedule.
struct Outcome {
  enum class Kind : std::uint8_t {
    passed,
    as_expected,  ///< wrong, and the scenario's expected_failure names all that is wrong
    not_reached,  ///< the driver made other accesses, so that a step never came
    not_judged,
    failed,
    not_run,  ///< the user stopped before
  };
  Kind kind = Kind::not_run;
  std::string what;             ///< what is wrong, with numbers
  std::string kind_of_failure;  ///< the same without numbers: equal for equal outcomes
};

/// Runs a scenario with all that may happen among the register accesses of a driver's calls.
class Exploration {
 public:
  /// @param options  of every run; on_result and prepare are its own
  Exploration(Subject subject, scenario::RunnerOptions options);

  /// Run the scenario as it is, find the calls and how much must happen for something to wrap.
  /// @throws InputError if the scenario does not run, or has no such call
  void look();
  [[nodiscard]] const Choices& choices() const noexcept { return choices_; }
  /// Why events of the scenario do not happen in bulk, or not as often as they might, one sentence each.
  [[nodiscard]] const std::vector<std::string>& left_out() const noexcept { return left_out_; }
  /// From the first register access of the scenario's measures to the last.
  [[nodiscard]] Picoseconds first_access() const { return recorded_.front().when; }
  [[nodiscard]] Picoseconds last_access() const { return recorded_.back().when; }

  [[nodiscard]] std::vector<Outcome> run(const std::vector<Schedule>& schedules) const;
  /// Run one, and draw its time line.
  [[nodiscard]] Outcome run(const Schedule& schedule, std::string& time_line) const;
  /// @return the scenario with that schedule, as a file that `pmufab run` understands
  [[nodiscard]] std::string as_scenario(const Schedule& schedule) const;
  [[nodiscard]] bool was_interrupted() const noexcept { return interrupted_; }

 private:
  [[nodiscard]] std::vector<scenario::RunResult> run_documents(const std::vector<scenario::Value>& documents,
                                                               bool record) const;
  [[nodiscard]] Outcome outcome_of(const scenario::RunResult& run) const;
  void choose_pmu();
  void find_windows();
  void find_amounts();
  void find_amounts(Choices::OfWindow& of, const std::string& source);
  /// Run the scenario with an event in bulk before the first access of a window, once for each amount.
  /// @param take  is told what each run's accesses were from that window on
  /// @return why the event cannot happen in bulk; empty: it can
  std::string try_amounts(
      const Window& window, const std::string& source, const std::vector<std::uint64_t>& amounts,
      const std::function<void(std::uint64_t amount, const std::vector<AccessRecord>& accesses)>& take) const;
  [[nodiscard]] bool has_interrupt() const;
  void find_holds(Choices::OfWindow& of) const;
  [[nodiscard]] std::vector<std::string> sources() const;
  [[nodiscard]] std::vector<AccessRecord> from_window(const std::vector<AccessRecord>& all, const Window& window) const;
  /// @return the latest access before a window to each register that is not accessed in it.
  [[nodiscard]] std::vector<AccessRecord> before_window(const Window& window) const;

  Subject subject_;
  scenario::RunnerOptions options_;
  scenario::ScenarioSpec spec_;
  std::vector<AccessRecord> recorded_;
  Choices choices_;
  std::vector<std::string> left_out_;
  mutable bool interrupted_ = false;
};

}  // namespace pmufab::interleave
