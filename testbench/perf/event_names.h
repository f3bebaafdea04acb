// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/perf/pmu_catalog.h"

namespace pmufab::scoreboard {
class Scoreboard;
}

namespace pmufab::perf {

/// perf passes only numbers to the kernel. This finds what they mean, in two forms: numbers of the fields that the driver
/// publishes, for the scoreboard, and the driver's own names, for people. Names never decide what is judged, so an event
/// that a driver calls otherwise, or has two names for, is judged all the same.
class EventNames {
 public:
  /// Fields of a format may share bits: then the kind of event decides which of them it has.
  /// @return whether the PMU's event has the field; `numbers` are its fields that share no bits with others
  using HasTerm =
      std::function<bool(const std::string& pmu, std::string_view term, const scoreboard::EventTerms& numbers)>;

  /// @param has_term  nothing: of fields that share bits, the first by name is taken
  explicit EventNames(const PmuCatalog& catalog, HasTerm has_term = {});
  /// @param judge  its judge of the PMU decides; outlives this
  EventNames(const PmuCatalog& catalog, const scoreboard::Scoreboard& judge);

  /// @return the event that has these attributes. Its terms are numbers: all fields that are not 0, and those that select
  ///         the event. Its text has the driver's own names: its event of the most bits, then further terms in the order
  ///         of their names: "nvidia_ucf_pmu_0/slc_access_rd,src_loc_cpu=0x1/". Bits that no field covers become
  ///         config=..., in both. Nothing if no PMU has the type.
  [[nodiscard]] std::optional<ResolvedEvent> name(const PerfAttributes& attributes) const;

 private:
  /// The three words of struct perf_event_attr that drivers give a meaning to.
  using Words = std::array<std::uint64_t, 3>;
  /// An event by the bits that its definition sets: it is that of attributes which have this value below the mask.
  struct Defined {
    const PmuCatalog::Event* event;
    Words mask;
    Words value;
  };

  const PmuCatalog& catalog_;
  HasTerm has_term_;
  std::map<std::uint32_t, std::vector<Defined>> defined_;  // by type of PMU; those that set bits
};

}  // namespace pmufab::perf
