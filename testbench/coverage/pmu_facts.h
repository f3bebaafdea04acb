// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/platform/platform_spec.h"
#include "tlm/bus/mmio_bus.h"

namespace pmufab::coverage {

/// How software programs the counters of a PMU.
enum class CounterLayout : std::uint8_t {
  fixed,      ///< each event has a counter of its own, or nothing is known of them
  coresight,  ///< PMCNTENSET
  cmn,        ///< counters of the DTCs
  cxl,        ///< counter configuration registers
};

/// A counter, among those of one PMU.
struct CounterPlace {
  std::size_t unit = 0;  ///< index in PmuFacts::places
  unsigned counter = 0;  ///< number in the overflow status
  auto operator<=>(const CounterPlace&) const = default;
};

/// The cycle counter among the counters of a PMU, by its number.
inline constexpr unsigned kCoreSightCycles = 31;
inline constexpr unsigned kCmnCycles = 8;

inline constexpr const char* kNoInterrupt = "no interrupt";

/// What is known of a PMU before a driver looks at it: from the platform's description, and from lists of what there may
/// be.
struct PmuFacts {
  std::string kind;  ///< all PMUs of a kind are one in coverage: "arm_cmn_* (CMN-700)"
  CounterLayout layout = CounterLayout::fixed;
  unsigned counters = 0;                 ///< that any event can have; 0: unknown
  unsigned width = 0;                    ///< of those, in bits; 0: unknown
  std::vector<std::string> places;       ///< by which its models tell of wraps (CounterWrap::place)
  std::vector<std::uint64_t> registers;  ///< where the counters of each place begin; empty for CXL: pages of 4 KiB

  std::vector<std::string> topology;    ///< classes that this one is in
  std::vector<std::string> topologies;  ///< every class
  std::string wiring;                   ///< of its overflow interrupt
  std::vector<std::string> wirings;     ///< every wiring; empty: it has none, and its counters are not seen wrapping
  std::vector<std::string> widths;      ///< every class of counters by their width; see width_class()

  /// @return the counter that a write of a driver programs; nothing: another register
  [[nodiscard]] std::optional<CounterPlace> counter_written(const MmioBus::BusAccess& access) const;
  [[nodiscard]] bool is_cycle_counter(unsigned counter) const noexcept;
  /// @return true if an event of that name has the cycle counter
  [[nodiscard]] bool is_cycles(std::string_view event) const noexcept;
  /// @return the class of a counter
  [[nodiscard]] std::string width_class(bool is_cycles, unsigned bits) const;
  /// @return "first", "middle" or "last"; nothing for a cycle counter, or if it is unknown how many there are
  [[nodiscard]] std::optional<std::string> position(unsigned counter) const;
};

/// @param pmu  perf's name for it
[[nodiscard]] PmuFacts facts_of(const platform::PlatformSpec& platform, const std::string& pmu);

}  // namespace pmufab::coverage
