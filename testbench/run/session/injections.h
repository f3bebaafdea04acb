// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "testbench/judge/pmu_judge.h"
#include "testbench/perf/pmu_catalog.h"
#include "testbench/run/occurrences/trigger.h"
#include "testbench/run/session/machine.h"
#include "testbench/run/session/scenario_spec.h"

namespace pmufab::scenario {

/// What a scenario lets happen many times at once. At its time, wherever the drivers are, the judge and the model are
/// told within one instant, each in its own words.
class Injections {
 public:
  /// Find out what each injection means. Before anything happens.
  /// @param catalog  of the PMUs there are; an injection at a PMU that no driver registered is left out, if the platform
  ///                 has the PMU
  /// @throws InputError with the place of an injection that is impossible
  void prepare(const std::vector<InjectionSpec>& specs, Machine& machine, const perf::PmuCatalog& catalog);
  /// @return the sources that were left out
  [[nodiscard]] const std::vector<std::string>& left_out() const noexcept { return left_out_; }
  /// Set the times.
  /// @param zero  the scenario's beginning
  /// @param done  called after each injection, at its instant
  void plan(Triggers& triggers, Picoseconds zero, const std::function<void(const InjectionSpec&)>& done);

 private:
  struct Planned {
    const InjectionSpec* spec;
    scoreboard::Injection judge;
    scoreboard::Injection model;
  };
  /// @return nothing: no driver has registered the PMU
  static std::optional<Planned> meaning_of(const InjectionSpec& spec, Machine& machine,
                                           const perf::PmuCatalog& catalog);
  static Planned injection_of(const InjectionSpec& spec, Machine& machine, const perf::ResolvedEvent& event);

  std::vector<Planned> planned_;
  std::vector<std::string> left_out_;
};

}  // namespace pmufab::scenario
