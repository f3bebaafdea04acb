// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "testbench/fabrics/soc/judge/soc_judge_spec.h"
#include "testbench/judge/events/event_truth.h"
#include "tlm/transaction/occurrence.h"

namespace pmufab::scoreboard {

/// What an event text of a described PMU means, by the description.
struct SocMeaning {
  enum class Kind : std::uint8_t {
    nothing,  ///< no such event, or a filter that lets nothing pass
    cycles,
    occurrences,
    sum,
    outstanding,
  };
  /// An attribute must have a value of this kind.
  struct Test {
    enum class Kind : std::uint8_t { one_of, equal, range };
    Kind kind = Kind::equal;
    unsigned attribute = 0;
    std::uint64_t value = 0;                 ///< one_of: bit v for the value v; range: the least
    std::uint64_t greatest = 0;              ///< range: the greatest
    std::uint64_t care = ~std::uint64_t{0};  ///< equal: the bits that matter
    bool differs = false;                    ///< equal: it must not
  };
  Kind kind = Kind::nothing;
  unsigned source = 0;     ///< index in SocJudgeSpec::sources
  unsigned attribute = 0;  ///< of a sum
  std::uint64_t unit = 1;  ///< of a sum: a value counts the units that it has, and 1 more for a rest
  std::vector<Test> tests;
  std::uint64_t threshold = 0;  ///< if not 0, clocks count in which so many happen, or that many units
  bool is_first_alone = false;  ///< of such clocks in a row, the first one counts
  std::uint64_t times = 1;      ///< the driver multiplies what is counted
  std::uint64_t fills = 0;      ///< counters stay at their last value, and so many may bring them there; 0: none
  std::optional<std::uint64_t> clock_hz{};  ///< of cycles that are not those of the PMU's clock
  bool on_cycle_counter = false;            ///< cycles that no other counter counts
  std::string text;

  /// @return whether it counts clocks, by what happens in them.
  [[nodiscard]] bool is_of_clocks() const noexcept { return threshold != 0 || is_first_alone; }
  /// @return whether the event counts such an occurrence of its source.
  [[nodiscard]] bool counts(const Occurrence& occurrence) const;
};

/// @throws std::invalid_argument for a term the PMU does not have, a value too big for it, or no event
[[nodiscard]] SocMeaning soc_meaning(const EventTerms& terms, const soc::PmuDescription& pmu,
                                     const std::vector<soc::SourceDescription>& sources);

/// @return an occurrence that the event counts as one.
/// @throws std::invalid_argument if there is none, or it counts over time
[[nodiscard]] Occurrence occurrence_of(const SocMeaning& meaning);

}  // namespace pmufab::scoreboard
