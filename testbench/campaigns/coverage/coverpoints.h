// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "testbench/campaigns/coverage/coverage.h"
#include "testbench/fabrics/common/pmu_facts.h"
#include "testbench/perf/pmu_catalog.h"

namespace pmufab::coverage {

/// The model of coverage: which coverpoints a kind of PMU has, and which bins each has. docs/coverage.md lists them.
/// Bins come from what the driver publishes, from the platform's description, and from the lists in this file and in the
/// fabrics' rooms (pmu_facts.h); never from what was met.

// Names of coverpoints.
inline constexpr const char* kEvent = "event";
inline constexpr const char* kEventByUse = "event x use";
inline constexpr const char* kEventByCounter = "event x counter";
inline constexpr const char* kEventByFilter = "event x filter";
inline constexpr const char* kCount = "count";
inline constexpr const char* kReading = "reading";
inline constexpr const char* kWrap = "width x wraps";
inline constexpr const char* kInterrupt = "interrupt";
inline constexpr const char* kTopology = "topology";
inline constexpr const char* kLifeCycle = "life cycle";

/// How an event shares the PMU.
enum class Use : std::uint8_t { alone, in_group, multiplexed };
inline constexpr std::array<const char*, 3> kUses{"alone", "in a group", "multiplexed"};

/// What happened to counters that passed their maximum.
enum class Wraps : std::uint8_t { none, one, many, several, in_read, in_handler };
inline constexpr std::array<const char*, 6> kWraps{
    "none", "one", "more than one", "several counters at once", "in a read", "in a handler"};

/// What happens to a machine or a PMU, and what the PMU must count right after it.
enum class Step : std::uint8_t { offline, offline_twice, reload, reset, reopen, refused };
inline constexpr std::array<const char*, 6> kSteps{
    "CPU went offline", "CPUs went offline twice",      "drivers loaded again",
    "platform reset",   "reopened with another filter", "open refused"};

/// Names of the events of a PMU, as coverage calls them.
struct PublishedEvents {
  /// By the driver's name: the name that its numbers have. Two names of one event are one bin.
  std::map<std::string, std::string> names;
  std::map<std::string, std::string> uncaused;  ///< by that name: why nothing causes it
};

/// Declare every bin of a PMU.
void declare(Coverage& coverage, const PmuFacts& facts, const perf::PmuCatalog::Entry& pmu,
             const PublishedEvents& events);

/// @return whether the coverpoint has bins of events, alone or crossed with something
[[nodiscard]] bool is_of_events(std::string_view coverpoint) noexcept;
/// @return the event of a bin of such a coverpoint
[[nodiscard]] std::string event_of(std::string_view bin);
/// @return the bin of a pair: "slc_access_rd x in a group"
[[nodiscard]] std::string cross(std::string_view first, std::string_view second);
/// @return the coverpoint of the values of a format: "filter src_bdf"
[[nodiscard]] std::string filter_point(std::string_view format);
/// @return the class of a value: "0", "1", "some" or "all ones"
[[nodiscard]] std::string value_class(std::uint64_t value, std::uint64_t maximum);
/// @return the class of a count by its size
[[nodiscard]] std::string count_class(std::uint64_t count);
/// @return true if a format selects occurrences of that event, as far as formats tell
[[nodiscard]] bool is_filter_of(const PmuFacts& facts, const perf::PmuCatalog::Event& event, std::string_view format);
/// @return true if a format is another name of one: of two, the first in the alphabet counts
[[nodiscard]] bool is_other_name(const perf::PmuCatalog::Entry& pmu, const perf::PmuCatalog::Format& format);

}  // namespace pmufab::coverage
