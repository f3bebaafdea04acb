// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "testbench/run/results/results.h"
#include "testbench/run/session/journal.h"
#include "testbench/run/session/machine.h"
#include "testbench/run/session/scenario_spec.h"

namespace pmufab::scenario {

/// Name of the check that fails if something never came.
inline constexpr const char* kOccurrences = "occurrences";

/// @return whether a scenario needs a gate between CPUs and platform
[[nodiscard]] bool needs_gate(const ScenarioSpec& spec);

/// The faults of a run, and whether all that waits for a register access has come.
class Occurrences {
 public:
  Occurrences(const ScenarioSpec& spec, Machine& machine, Journal& journal)
      : spec_(spec), machine_(machine), journal_(journal) {}

  /// Set when faults begin, and begin to record accesses. The drivers are loaded.
  /// @param note  called with what happens
  /// @throws InputError
  void plan(Picoseconds zero, const std::function<void(const std::string&)>& note);
  /// Take the counts that a fault makes impossible from judgement: of measures during which it lasted, no others.
  void excuse(MeasureResult& result) const;
  /// @return what drivers cannot use now; empty if there is nothing
  [[nodiscard]] std::vector<Broken> broken() const;
  /// Mend the hardware: what comes now is a new machine.
  void mend();
  /// @param missed  other things that never came, one sentence each
  /// @return "occurrences": failed if something never came, or a fault changed nothing; nothing if there are none
  [[nodiscard]] std::optional<CheckResult> check(std::vector<std::string> missed) const;

 private:
  const ScenarioSpec& spec_;
  Machine& machine_;
  Journal& journal_;
};

/// @return an access as a record of the journal, and back
[[nodiscard]] Json to_json(const AccessRecord& access);
[[nodiscard]] AccessRecord access_from_json(const Json& json);

}  // namespace pmufab::scenario
