// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <vector>

#include "models/pmu/outstanding_requests.h"
#include "tlm/probe/probe.h"

namespace pmufab::coresight {

/// What software has programmed into one regular counter.
struct CounterProgram {
  unsigned counter;       ///< physical index
  std::uint64_t event;    ///< PMEVTYPER
  std::uint64_t filter;   ///< PMEVFILTR
  std::uint64_t filter2;  ///< PMEVFILT2R
};

/// Probes, and of each the events whose qualifier is in the mask.
struct ProbeChoice {
  Probe* probe;
  std::uint64_t qualifiers;
};
using ProbeChoices = std::vector<ProbeChoice>;

/// What a regular counter counts under its program.
struct CounterInput {
  enum class Kind : std::uint8_t {
    nothing,    ///< holds its value; also for an event number the part does not have
    probe,      ///< events of `probe` whose qualifier is in `qualifiers`
    probes,     ///< those of several probes: `choices`
    clock,      ///< clock edges of the PMU's clock domain
    occupancy,  ///< at each clock edge, those of `selection` that are outstanding in `requests`
  };
  Kind kind = Kind::nothing;
  Probe* probe = nullptr;
  std::uint64_t qualifiers = 0;
  const ProbeChoices* choices = nullptr;
  OutstandingRequests* requests = nullptr;
  OutstandingRequests::Selection selection{};

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
  [[nodiscard]] static CounterInput clock() noexcept {
    CounterInput input;
    input.kind = Kind::clock;
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

/// Maps a program to what is counted: the part of a CoreSight PMU that differs between fabrics.
///
/// Called when a counter starts to run with a new program, and for each running counter on CoreSightPmu::refresh(). A
/// fabric whose filters do not fit into 64 qualifiers (a PCIe requester id, for example) may return its own probes per
/// counter or per filter value. Probes and requests must outlive the PMU.
using InputResolver = std::function<CounterInput(const CounterProgram&)>;

/// The usual InputResolver: one probe per event number, and one function that maps the filter registers to qualifiers.
class EventTable {
 public:
  /// @return the set of qualifiers that pass: bit q for qualifier q.
  using QualifierFilter = std::function<std::uint64_t(const CounterProgram&)>;

  EventTable() = default;
  explicit EventTable(QualifierFilter filter) : filter_(std::move(filter)) {}

  /// Event number `id` counts `probe`, filtered.
  /// @throws std::invalid_argument if the number is taken
  EventTable& add(std::uint64_t id, Probe& probe) { return insert(id, CounterInput::of(probe)); }
  /// Event number `id` counts clock edges, whatever the filters say (UCF bus_cycles).
  /// @throws std::invalid_argument if the number is taken
  EventTable& add_clock(std::uint64_t id) { return insert(id, CounterInput::clock()); }

  CounterInput operator()(const CounterProgram& program) const {
    const auto found = inputs_.find(program.event);
    if (found == inputs_.end()) return {};
    CounterInput input = found->second;
    if (input.kind == CounterInput::Kind::probe && filter_) input.qualifiers = filter_(program);
    return input;
  }

 private:
  EventTable& insert(std::uint64_t id, const CounterInput& input) {
    if (!inputs_.emplace(id, input).second) throw std::invalid_argument("event number used twice");
    return *this;
  }

  QualifierFilter filter_;
  std::map<std::uint64_t, CounterInput> inputs_;
};

}  // namespace pmufab::coresight
