// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace pmufab::perf {

/// The PMU of the software events that scenarios know, the clocks of a CPU. It is no driver's, and has no folder in sysfs. In
/// a WrittenEvent of "task-clock", it is the PMU, and the event's name is the only term.
inline constexpr std::string_view kSoftwarePmu = "software";
inline constexpr std::uint32_t kSoftwareType = 1;  ///< PERF_TYPE_SOFTWARE

/// @return perf_event_attr::config of "cpu-clock" and "task-clock"; nothing for any other name
[[nodiscard]] constexpr std::optional<std::uint64_t> software_event(std::string_view name) noexcept {
  if (name == "cpu-clock") return 0;  // PERF_COUNT_SW_CPU_CLOCK
  if (name == "task-clock") return 1;
  return std::nullopt;
}

}  // namespace pmufab::perf
