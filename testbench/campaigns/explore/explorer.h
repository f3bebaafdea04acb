// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "testbench/campaigns/explore/database/database.h"
#include "testbench/campaigns/explore/points.h"
#include "testbench/campaigns/explore/search.h"
#include "testbench/campaigns/explore/study/study.h"
#include "testbench/run/session/runner.h"

namespace pmufab::explore {

/// How far a study is.
struct Progress {
  std::uint64_t done = 0;     ///< points that are there, whenever they were run
  std::uint64_t all = 0;      ///< of a search: at most
  std::uint64_t run_now = 0;  ///< since the program was started
  double seconds = 0;         ///< since then
  bool is_most = false;       ///< `all` may be less in the end

  /// @return seconds until the end, at the pace so far; 0: not known yet
  [[nodiscard]] double seconds_left() const noexcept;
};

/// How a study has ended.
struct Outcome {
  std::uint64_t points = 0;     ///< that are there now
  std::uint64_t run = 0;        ///< of these, run now
  std::uint64_t broken = 0;     ///< of these, without result: crashed, timed out, values that do not fit together
  std::string first_broken;     ///< one of them, and why
  bool is_interrupted = false;  ///< by the user
  bool is_complete = true;      ///< no point was left out
};

struct ExploreOptions {
  scenario::RunnerOptions runner;  ///< jobs, limits, scratch, interrupted
  std::uint64_t most = 0;          ///< runs; 0: all
  bool runs_nothing = false;       ///< take points that are there, and leave out the others
  std::function<void(const Progress&)> on_progress = {};
};

/// Run all points of a study that are not in the database. Each is there as soon as it has ended.
/// @param design    says which
/// @param database  has begun this study
/// @throws scenario::InputError if nothing can be run, or nothing written
[[nodiscard]] Outcome explore(const Study& study, const PointMaker& points, Design& design, Database& database,
                              const ExploreOptions& options);

}  // namespace pmufab::explore
