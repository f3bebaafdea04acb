// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/platform/platform_spec.h"
#include "testbench/perf/pmu_catalog.h"
#include "tlm/bus/mmio_bus.h"

namespace pmufab::coverage {

/// A counter, among those of one PMU.
struct CounterPlace {
  std::size_t unit = 0;  ///< index in PmuFacts::places
  unsigned counter = 0;  ///< number in the overflow status
  auto operator<=>(const CounterPlace&) const = default;
};

inline constexpr const char* kNoInterrupt = "no interrupt";

/// What is known of a PMU before a driver looks at it: from the platform's description, and from lists of what there may
/// be. The fabric's room fills it in. What is left as it is here fits a PMU of which nothing but the name is known.
struct PmuFacts {
  std::string kind;  ///< all PMUs of a kind are one in coverage: "arm_cmn_* (CMN-700)"

  // Counters. Without counter_at, each event has a counter of its own, or nothing is known of them.
  unsigned counters = 0;                 ///< that any event can have; 0: unknown
  std::vector<std::string> places;       ///< by which its models tell of wraps (CounterWrap::place)
  std::vector<std::uint64_t> registers;  ///< where those of each place begin; none: in a page of 4 KiB, anywhere
  /// Told of what the driver writes in calls of the PMU.
  /// @return the counter that a write at an offset from `registers` programs; nothing: none
  std::function<std::optional<unsigned>(std::uint64_t offset, std::uint64_t data)> counter_at;
  std::optional<unsigned> cycle_counter = {};  ///< its number among them
  std::string cycles_event;                    ///< the event that has the cycle counter; empty: none
  /// Of counters, the first and how many there are.
  struct Range {
    unsigned first = 0;
    unsigned count = 0;
  };
  std::map<std::string, Range, std::less<>> ranges;  ///< by event, counters that it can have, if not all can

  std::vector<std::string> topology;    ///< classes that this one is in
  std::vector<std::string> topologies;  ///< every class
  std::string wiring;                   ///< of its overflow interrupt
  std::vector<std::string> wirings;     ///< every wiring; empty: it has none, and its counters are not seen wrapping
  std::vector<std::string> widths;      ///< every class of counters by their width
  std::string event_width;              ///< the class of its event counters
  std::string cycles_width;             ///< and of its cycle counter
  std::map<std::string, std::string, std::less<>> other_widths;  ///< by event, that of its counter, if it is another

  /// @return true if a format that does not select an event filters this one; null: every such format does
  std::function<bool(const perf::PmuCatalog::Event& event, std::string_view format)> filters;

  /// @return the counter that a write of a driver programs; nothing: another register
  [[nodiscard]] std::optional<CounterPlace> counter_written(const MmioBus::BusAccess& access) const;
  /// @return true if an event of that name has the cycle counter
  [[nodiscard]] bool is_cycles(std::string_view event) const noexcept;
  /// @return the class of the counter that an event of that name has
  [[nodiscard]] const std::string& width_of(std::string_view event) const noexcept;
  /// @return "first", "middle" or "last" of those that an event of that name can have; nothing for a cycle counter, or if
  ///         it is unknown how many there are
  [[nodiscard]] std::optional<std::string> position(std::string_view event, unsigned counter) const;
};

/// One fabric's room: what it knows of its PMUs. Its FabricKind names it.
struct FactsRoom {
  /// @return nothing: the PMU is not of this fabric
  std::optional<PmuFacts> (*facts_of)(const platform::PlatformSpec& platform, const std::string& pmu);
  std::vector<std::string_view> number;      ///< formats that are part of the number of events
  std::vector<std::string_view> definition;  ///< further ones that are part of what an event is
};

// ---- For the rooms

/// @return the name without the numbers of places: "nvidia_pcie_pmu_0_rc_1" is a "nvidia_pcie_pmu_*_rc_*"
[[nodiscard]] std::string general_name(const std::string& pmu);
/// @return the number that follows `start` and ends the text ("arm_cmn_3": 3)
[[nodiscard]] std::optional<std::size_t> number_after(const std::string& text, const std::string& start);
/// @return every class of counters by their bits
[[nodiscard]] const std::vector<std::string>& width_classes();
/// @return one of width_classes()
[[nodiscard]] const std::string& width_class(unsigned bits);

/// The classes of topology of a PMU.
class PmuClasses {
 public:
  explicit PmuClasses(PmuFacts& facts) : facts_(facts) {}
  /// There is such a class, and the PMU is in it if `is_in`.
  void add(const std::string& name, bool is_in) {
    facts_.topologies.push_back(name);
    if (is_in) facts_.topology.push_back(name);
  }

 private:
  PmuFacts& facts_;
};

}  // namespace pmufab::coverage
