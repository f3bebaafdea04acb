// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "testbench/campaigns/interleave/amounts.h"
#include "testbench/campaigns/interleave/schedule.h"
#include "testbench/campaigns/interleave/short_life.h"
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
  std::string pmu;  ///< whose driver; empty: the first one that the scenario measures and in which something wraps
  Trigger::Call call = Trigger::Call::read;
  std::uint64_t nth_call = 0;             ///< 0: every call
  std::vector<std::string> sources;       ///< what happens in bulk; empty: the events that the scenario measures
  bool unused_drivers_are_right = false;  ///< the user's drivers may be for PMUs that the scenario does not have
  bool whole = false;  ///< the scenario as it is, even if it lets nothing happen in bulk: otherwise a short life
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
  /// What is explored of the scenario, if that is not all, one line each.
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return notes_; }
  /// Whether a short life of the events is explored in place of the scenario.
  [[nodiscard]] bool is_short() const noexcept { return is_short_; }
  /// Whether any of the events can happen in bulk.
  [[nodiscard]] bool is_anything_in_bulk() const noexcept { return is_anything_in_bulk_; }
  /// Why events of the scenario do not happen in bulk, or not as often as they might, one sentence each.
  [[nodiscard]] const std::vector<std::string>& left_out() const noexcept { return left_out_; }
  /// From the first register access of the scenario's measures to the last.
  [[nodiscard]] Picoseconds first_access() const { return recorded_.front().when; }
  [[nodiscard]] Picoseconds last_access() const { return recorded_.back().when; }

  /// After look(): @return the same with other drivers, if these access registers as those do, so that the same wraps;
  ///                       nothing: they must be looked at by themselves
  [[nodiscard]] std::optional<Exploration> with_drivers(std::shared_ptr<const driver_host::DriverSet> drivers) const;

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
  [[nodiscard]] std::vector<std::string> pmus_to_try() const;
  /// Explore that PMU, in the scenario as it is or in a short life of its events. @return whether anything wraps
  bool look_at(const std::string& pmu, const scenario::RunResult& whole_run);
  /// Put a short life of a PMU's events in place of the scenario. @return false: they cannot happen in bulk
  bool shorten(const scenario::RunResult& whole_run);
  [[nodiscard]] std::vector<OpenTogether> opened_events(const scenario::RunResult& whole_run);
  /// @return how an event can be named so that it happens in bulk; empty, and a reason in left_out(): not at all
  std::string source_of(const std::string& event);
  /// Let a counter overflow in the short life, so that there is an interrupt.
  void let_overflow();
  [[nodiscard]] Picoseconds unit() const;
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
  [[nodiscard]] std::vector<std::string> sources_of(const Window& window) const;
  [[nodiscard]] std::vector<AccessRecord> from_window(const std::vector<AccessRecord>& all, const Window& window) const;
  /// @return the latest access before a window to each register that is not accessed in it.
  [[nodiscard]] std::vector<AccessRecord> before_window(const Window& window) const;

  Subject subject_;
  scenario::RunnerOptions options_;
  scenario::ScenarioSpec spec_;
  std::vector<AccessRecord> recorded_;        ///< of what is explored
  std::vector<AccessRecord> recorded_whole_;  ///< of the scenario as it is
  scenario::Value effective_;                 ///< the scenario as it is, with all that it names
  bool is_short_ = false;
  bool is_anything_in_bulk_ = false;
  std::vector<std::vector<std::string>> sources_of_life_;  ///< what happens in bulk in a short life, of each measure
  std::vector<std::string> other_calls_;                   ///< in which the driver of the PMU accesses registers
  Choices choices_;
  std::vector<std::string> notes_;
  std::vector<std::string> left_out_;
  mutable bool interrupted_ = false;
};

}  // namespace pmufab::interleave
