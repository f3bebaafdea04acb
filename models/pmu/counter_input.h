// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "models/pmu/clock_condition.h"
#include "models/pmu/outstanding_requests.h"
#include "tlm/probe/probe.h"

namespace pmufab {

/// Probes, and of each the events whose qualifier is in the mask.
struct ProbeChoice {
  Probe* probe;
  std::uint64_t qualifiers;
};
using ProbeChoices = std::vector<ProbeChoice>;

/// What a counter of a CounterBlock counts under its program.
struct CounterInput {
  enum class Kind : std::uint8_t {
    nothing,    ///< holds its value; also for an event number the part does not have
    probe,      ///< events of `probe` whose qualifier is in `qualifiers`
    probes,     ///< those of several probes: `choices`
    clock,      ///< clock edges of the PMU's clock domain, or of another
    occupancy,  ///< at each clock edge, those of `selection` that are outstanding in `requests`
  };
  Kind kind = Kind::nothing;
  Probe* probe = nullptr;
  std::uint64_t qualifiers = 0;
  const ProbeChoices* choices = nullptr;
  OutstandingRequests* requests = nullptr;
  OutstandingRequests::Selection selection{};
  const ClockDomain* other_clock = nullptr;  ///< whose edges are counted; null: the PMU's
  ClockCondition::Settings condition{};      ///< of probes and requests: which clocks count in their place

  [[nodiscard]] static CounterInput of(Probe& probe, std::uint64_t qualifiers = ~std::uint64_t{0}) noexcept {
    CounterInput input;
    input.kind = Kind::probe;
    input.probe = &probe;
    input.qualifiers = qualifiers;
    return input;
  }
  /// @param choices  of different probes; it must not change while a counter counts them
  [[nodiscard]] static CounterInput of(const ProbeChoices& choices) noexcept {
    if (choices.empty()) return {};
    if (choices.size() == 1) return of(*choices.front().probe, choices.front().qualifiers);
    CounterInput input;
    input.kind = Kind::probes;
    input.choices = &choices;
    return input;
  }
  /// @param other  null: the PMU's
  [[nodiscard]] static CounterInput clock(const ClockDomain* other = nullptr) noexcept {
    CounterInput input;
    input.kind = Kind::clock;
    input.other_clock = other;
    return input;
  }
  /// @param requests  on the PMU's clock
  [[nodiscard]] static CounterInput of(OutstandingRequests& requests,
                                       const OutstandingRequests::Selection& selection) noexcept {
    CounterInput input;
    input.kind = Kind::occupancy;
    input.requests = &requests;
    input.selection = selection;
    return input;
  }
  bool operator==(const CounterInput&) const = default;
};

}  // namespace pmufab
