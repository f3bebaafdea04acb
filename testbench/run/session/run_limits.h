// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "testbench/run/process/resource_limits.h"
#include "testbench/run/session/scenario_spec.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::scenario {

/// What one run may use. A run that reaches a limit is stopped and keeps its results; other runs do not notice. Where 0 is
/// allowed, it means no limit.
struct RunLimits {
  std::uint64_t log = 1U << 20;  ///< bytes to keep of the kernel log, and of other output: first and last part
  std::uint64_t memory =
      process::kDefaultMemory;       ///< bytes; more cannot be allocated. Not with AddressSanitizer; may be 0
  std::uint64_t files = 1024;        ///< open files; may be 0
  std::uint64_t processes = 64;      ///< that drivers start; may be 0
  std::uint64_t readings = 100'000;  ///< interval readings of one measure
  std::uint64_t trace = 64U << 20;   ///< bytes to keep of each file of --trace-mmio: the first part
  Picoseconds processor_time = 0;    ///< in steps of a second; may be 0
  Picoseconds simulated_time = 0;    ///< after the drivers are loaded; may be 0
};

/// Change a limit as an option says: "memory=2 GiB".
/// @throws InputError for an unknown limit or an impossible value
void set_limit(RunLimits& limits, const std::string& text);

/// @return every limit, as set_limit() reads it: "log=1 MiB, memory=8 GiB, ..."; 0 is shown as it is
[[nodiscard]] std::string in_words(const RunLimits& limits);

/// @throws InputError if a measure would make more interval readings than it may, as far as that is known before it
///         begins
void check_limits(const ScenarioSpec& spec, const RunLimits& limits);

/// @return "more than 100 interval readings of a measure (--limit readings=N allows more)"
[[nodiscard]] std::string too_many_readings(const RunLimits& limits);

}  // namespace pmufab::scenario
