// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>

#include "models/pmu/counter_input.h"
#include "tlm/probe/probe.h"

namespace pmufab::coresight {

/// What software has programmed into one regular counter.
struct CounterProgram {
  unsigned counter;       ///< physical index
  std::uint64_t event;    ///< PMEVTYPER
  std::uint64_t filter;   ///< PMEVFILTR
  std::uint64_t filter2;  ///< PMEVFILT2R
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
