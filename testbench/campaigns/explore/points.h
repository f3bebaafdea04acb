// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "testbench/campaigns/explore/study/study.h"
#include "testbench/host/driver_sets.h"
#include "testbench/run/session/runner.h"

namespace pmufab::explore {

using DriverSets = std::vector<driver_host::DriverSet>;

/// Makes runs of the positions of a study.
class PointMaker {
 public:
  /// Reads the base scenario, and tries each value of each axis with the first values of the others, so that a mistake
  /// shows before anything runs.
  /// @param study     must outlive this object
  /// @param scenario  the file of the base scenario
  /// @param sets      drivers there are, oldest first
  /// @throws scenario::InputError
  PointMaker(const Study& study, const std::filesystem::path& scenario, std::shared_ptr<const DriverSets> sets);

  struct Point {
    scenario::RunPlan plan;
    std::string key;  ///< of all that decides about its results
  };
  /// @throws scenario::InputError if the values do not fit together
  [[nodiscard]] Point make(std::uint64_t position) const;
  /// @return a key for a point that cannot be made
  [[nodiscard]] std::string key_of_mistake(std::uint64_t position, const std::string& message) const;
  /// @return a line for the base scenario, each driver set and this program: what results depend on besides the study
  [[nodiscard]] std::string made_with() const;
  /// @return drivers of points, if no axis chooses them
  [[nodiscard]] const driver_host::DriverSet& drivers() const noexcept { return *usual_; }

 private:
  [[nodiscard]] scenario::Variant variant_of(const std::vector<std::size_t>& values) const;
  [[nodiscard]] const driver_host::DriverSet& drivers_of(const std::vector<std::size_t>& values) const;
  /// @throws scenario::InputError, also for a response that nobody can give
  [[nodiscard]] scenario::ScenarioSpec load(const scenario::Variant& variant) const;
  void choose_drivers(const scenario::ScenarioSpec& base);
  /// @return all of a run's input: the effective configuration, and sums of the files that it replays
  [[nodiscard]] std::string configuration_of(const scenario::ScenarioSpec& spec, const std::string& drivers) const;
  void try_values(const scenario::ScenarioSpec& base);

  const Study& study_;
  std::shared_ptr<const scenario::ScenarioFile> file_;
  std::shared_ptr<const std::vector<std::string>> no_overrides_;
  std::shared_ptr<const DriverSets> sets_;
  const driver_host::DriverSet* usual_ = nullptr;
  std::map<std::string, std::string> driver_files_;       // by version: names and sums
  mutable std::map<std::string, std::string> file_sums_;  // of replayed files, which stay as they are while runs go on
  std::uint64_t seed_ = 1;                                // of the base scenario
  std::string base_;                                      // sum of the base scenario, with each value of each axis
};

/// @return "width=16, delay=5 us": the values of the axes at a position
[[nodiscard]] std::string label_of(const Study& study, std::uint64_t position);

/// @param scenario  as a command names it
/// @param result_drivers, seed  of the run
/// @return the command that runs one point alone
[[nodiscard]] std::string command_of(const Study& study, std::uint64_t position, const std::string& scenario,
                                     const std::string& drivers, std::uint64_t seed);

}  // namespace pmufab::explore
