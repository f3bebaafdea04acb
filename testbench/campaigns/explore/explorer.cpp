// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/explore/explorer.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "testbench/run/results/results.h"

namespace pmufab::explore {
namespace {

using scenario::InputError;
using scenario::RunPlan;
using scenario::RunResult;
using Clock = std::chrono::steady_clock;  // for the progress only

class Explorer : public scenario::RunSource {
 public:
  Explorer(const Study& study, const PointMaker& points, Design& design, Database& database,
           const ExploreOptions& options)
      : study_(study), points_(points), database_(database), options_(options), design_(design), began_(Clock::now()) {}

  std::optional<RunPlan> next() override {
    while (options_.most == 0 || begun_ < options_.most) {
      if (options_.runner.interrupted && options_.runner.interrupted() > 0) return std::nullopt;
      if (!has_tried()) return std::nullopt;
      const std::optional<std::uint64_t> position = design_.next();
      if (!position) return std::nullopt;
      ++handed_out_;
      if (std::optional<RunPlan> plan = begin(*position)) {
        ++begun_;
        return plan;
      }
      tell_progress();
    }
    return std::nullopt;
  }

  void take(const RunPlan& plan, RunResult run, const scenario::RunCost& cost) override {
    const std::string key = running_.extract(plan.scenario.get()).mapped();
    const std::vector<std::uint64_t> positions = positions_.extract(key).mapped();
    if (run.is_lost) throw InputError(run.message);
    if (is_stopped(run)) return;
    Result result = result_of(run, key, positions.front());
    result.seconds = cost.seconds;
    result.processor_seconds = cost.processor_seconds;
    result.memory_kib = cost.memory_kib;
    ++outcome_.run;
    keep(result, positions);
  }

  [[nodiscard]] std::size_t size() const override { return design_.size(); }

  Outcome finish() {
    if (good_ == 0) tell_mistake();
    outcome_.points = done_;
    outcome_.is_interrupted = options_.runner.interrupted && options_.runner.interrupted() > 0;
    if (outcome_.is_interrupted) outcome_.is_complete = false;
    return outcome_;
  }
  void tell_progress() {
    if (!options_.on_progress) return;
    Progress progress;
    progress.done = done_;
    progress.all = std::max(design_.size(), done_);
    progress.run_now = outcome_.run;
    progress.seconds = std::chrono::duration<double>(Clock::now() - began_).count();
    progress.is_most = design_.is_search();
    options_.on_progress(progress);
  }

 private:
  /// @return nothing if its result is there, on its way, or a mistake
  std::optional<RunPlan> begin(std::uint64_t position) {
    std::optional<Result> there = database_.at(study_, position);
    if (there && (there->is_final() || options_.runs_nothing)) {
      compute_and_tell(std::move(*there), position);
      return std::nullopt;
    }
    if (options_.runs_nothing) {
      outcome_.is_complete = false;
      return std::nullopt;
    }
    std::optional<PointMaker::Point> point;
    try {
      point = points_.make(position);
    } catch (const InputError& error) {
      Result mistake;
      mistake.key = points_.key_of_mistake(position, error.what());
      mistake.drivers = points_.drivers().kernel_version;
      mistake.status = "bad_input";
      mistake.message = error.what();
      mistake.values.resize(study_.responses.size());
      keep(mistake, {position});
      return std::nullopt;
    }
    if (const auto other = positions_.find(point->key); other != positions_.end()) {
      other->second.push_back(position);  // the same configuration by another name
      return std::nullopt;
    }
    std::optional<Result> known = database_.find(study_, point->key);
    if (known && known->is_final()) {
      database_.place(study_, *known, position);
      compute_and_tell(std::move(*known), position);
      return std::nullopt;
    }
    running_[point->plan.scenario.get()] = point->key;
    positions_[point->key] = {position};
    return std::move(point->plan);
  }

  /// The user stopped it: it is run the next time.
  [[nodiscard]] bool is_stopped(const RunResult& run) const {
    return run.status == RunResult::Status::not_run ||
           (run.status == RunResult::Status::interrupted && !run.is_limited && options_.runner.interrupted &&
            options_.runner.interrupted() > 0);
  }

  /// A study that asks for what no run has is stopped after its first points, in whatever order they end.
  /// @return false: what is on its way decides
  bool has_tried() {
    constexpr std::uint64_t kTrials = 8;
    if (is_tried_ || handed_out_ < kTrials) return true;
    if (good_ == 0 && !running_.empty()) return false;
    if (good_ == 0) tell_mistake();
    is_tried_ = true;
    return true;
  }

  /// @throws InputError what is wrong with the first point whose run says so
  void tell_mistake() const {
    if (!mistakes_.empty()) std::rethrow_exception(mistakes_.begin()->second);
  }

  Result result_of(const RunResult& run, const std::string& key, std::uint64_t position) {
    Result result;
    result.key = key;
    result.drivers = run.drivers;
    result.seed = run.seed;
    result.status = to_string(run.status);
    result.message = run.message;
    result.values.resize(study_.responses.size());
    if (run.status == RunResult::Status::bad_input)
      mistakes_[position] = std::make_exception_ptr(InputError(run.title() + ": " + run.message));
    if (!result.is_final()) return result;
    const scenario::Json json = scenario::to_json(run);
    std::string missing;  // what the study asks for, and this run does not have
    for (std::size_t i = 0; i < study_.responses.size(); ++i) {
      if (!study_.responses[i].measured) continue;
      try {
        result.values[i] = value_in(json, *study_.responses[i].measured);
      } catch (const InputError& error) {
        mistakes_.try_emplace(position, std::current_exception());
        missing += (missing.empty() ? "" : "; ") + std::string(error.what());
      }
    }
    if (!missing.empty()) {
      result.status = to_string(RunResult::Status::bad_input);
      result.message = std::move(missing);
    }
    return result;
  }

  void keep(const Result& result, const std::vector<std::uint64_t>& positions) {
    database_.put(study_, result, positions);
    for (const std::uint64_t position : positions) compute_and_tell(result, position);
  }

  void compute_and_tell(Result result, std::uint64_t position) {
    compute(study_, position, result.values);
    ++done_;
    if (result.is_final()) {
      ++good_;
    } else {
      if (outcome_.broken++ == 0)
        outcome_.first_broken = fmt::format("{}: {}: {}", label_of(study_, position), result.status, result.message);
    }
    design_.take(position, result);
  }

  const Study& study_;
  const PointMaker& points_;
  Database& database_;
  const ExploreOptions& options_;
  Design& design_;
  std::map<const scenario::PlannedScenario*, std::string> running_;  // keys
  std::map<std::string, std::vector<std::uint64_t>> positions_;      // by the key of a run that is on its way
  Clock::time_point began_;
  std::uint64_t begun_ = 0;
  std::uint64_t done_ = 0;
  std::uint64_t handed_out_ = 0;  // positions
  std::uint64_t good_ = 0;        // positions whose run had everything that the study asks for
  bool is_tried_ = false;
  std::map<std::uint64_t, std::exception_ptr> mistakes_;  // that runs have told, by position
  Outcome outcome_;
};

}  // namespace

double Progress::seconds_left() const noexcept {
  if (run_now == 0 || all <= done) return 0;
  return seconds / static_cast<double>(run_now) * static_cast<double>(all - done);
}

Outcome explore(const Study& study, const PointMaker& points, Design& design, Database& database,
                const ExploreOptions& options) {
  Explorer explorer(study, points, design, database, options);
  scenario::RunnerOptions runner = options.runner;
  runner.on_progress = [&](const scenario::RunnerProgress&) { explorer.tell_progress(); };
  scenario::run_all(explorer, runner);
  return explorer.finish();
}

}  // namespace pmufab::explore
