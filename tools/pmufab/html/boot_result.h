// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "testbench/doors/guest/guest_session.h"
#include "testbench/doors/guest/perf/perf_output.h"
#include "testbench/perf/verdict.h"
#include "testbench/run/results/results.h"
#include "testbench/run/session/scenario_spec.h"
#include "tools/pmufab/verdict_table.h"

namespace pmufab::cli {

/// What is known at the end of a boot.
struct Booted {
  const scenario::ScenarioSpec& spec;
  const guest::GuestResult& result;
  const std::vector<perf::Verdict>& counts;
  const std::vector<guest::MetricVerdict>& metrics;
  const Conclusion& conclusion;
  std::string drivers;  ///< which drivers served the PMUs
  bool is_complete;
  int exit_code;        ///< of the command; 0 if the guest did not finish
  std::string console;  ///< what the guest's kernel printed
};

/// @return a boot as the page of --html shows runs: counts and metrics are the counters of one measure, what else
///         failed are checks, and the console is the kernel log
[[nodiscard]] scenario::RunResult boot_result(const Booted& boot);

}  // namespace pmufab::cli
