// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "testbench/run/results/results.h"

namespace pmufab::verify {

/// What is wrong with a run, as a kind and as it is.
struct Failure {
  /// The kind: equal for failures that most likely have one cause. "wrong count of nvidia_ucf_pmu_*", "register_accesses
  /// in arm_cspmu_start() of arm_cspmu.c".
  std::string kind;
  std::string text;  ///< what a reader wants to know of this one, in one line
};

/// @return all failures of a run, the gravest first; none: nothing is wrong, or nobody can say
[[nodiscard]] std::vector<Failure> failures_of(const scenario::RunResult& run);

}  // namespace pmufab::verify
