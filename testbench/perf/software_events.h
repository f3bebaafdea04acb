// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace pmufab::perf {

/// The PMU of software events: the clocks of a CPU, and the dummy, which counts nothing. It is no driver's. In
/// a WrittenEvent of "task-clock", it is the PMU, and the event's name is the only term.
inline constexpr std::string_view kSoftwarePmu = "software";
inline constexpr std::uint32_t kSoftwareType = 1;  ///< PERF_TYPE_SOFTWARE

/// @return perf_event_attr::config of "cpu-clock" and "task-clock"; nothing for any other name
[[nodiscard]] constexpr std::optional<std::uint64_t> software_event(std::string_view name) noexcept {
  if (name == "cpu-clock") return 0;  // PERF_COUNT_SW_CPU_CLOCK
  if (name == "task-clock") return 1;
  return std::nullopt;
}

inline constexpr std::uint64_t kDummy = 9;  ///< PERF_COUNT_SW_DUMMY, which perf opens to see what the kernel can do

/// @return the name of the software event of this config; nothing for one that is not here
[[nodiscard]] constexpr std::optional<std::string_view> software_name(std::uint64_t config) noexcept {
  if (config == kDummy) return "dummy";
  if (config > 1) return std::nullopt;
  return config == 0 ? "cpu-clock" : "task-clock";
}

}  // namespace pmufab::perf
