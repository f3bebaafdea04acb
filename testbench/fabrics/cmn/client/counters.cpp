// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/client/counters.h"

#include <algorithm>

namespace pmufab::cmn_client {
namespace {

using Kind = CounterRequest::Kind;

constexpr unsigned kUpper = 32;  // first bit of the upper half of a register

std::optional<unsigned> first_free(const std::array<bool, Counters::kLocals>& taken) {
  const auto* const found = std::find(taken.begin(), taken.end(), false);
  if (found == taken.end()) return std::nullopt;
  return static_cast<unsigned>(found - taken.begin());
}

}  // namespace

Counters::Counters(const Mesh& mesh) : mesh_(&mesh), dtms_(mesh.dtms.size()), dtcs_(mesh.dtcs.size()) {}

std::optional<Placement> Counters::take(const CounterRequest& request) {
  if (!is_encodable(request)) return std::nullopt;
  const Counters before = *this;
  Placement placement;
  const bool good = request.kind == Kind::cycles ? take_cycles(placement)
                                                 : take_sources(request, placement) && take_globals(placement);
  if (good) return placement;
  *this = before;
  return std::nullopt;
}

bool Counters::is_encodable(const CounterRequest& request) const {
  constexpr unsigned kByte = 0xff;
  const unsigned most_of_crosspoint = mesh_->has_wide_select() ? 0x1ff : kByte;
  switch (request.kind) {
    case Kind::cycles:
      return true;
    case Kind::node:
      return request.event != 0 && request.event <= kByte;
    case Kind::crosspoint:
      return request.event != 0 && request.event <= most_of_crosspoint;
    case Kind::watchpoint:
      break;
  }
  const CounterRequest::Watchpoint& watchpoint = request.watchpoint;
  const unsigned ports = mesh_->is_cmn600() ? 2 : kMostPorts;
  const unsigned groups = mesh_->is_cmn600() ? 2 : 3;
  constexpr unsigned kChannels = 4;
  return watchpoint.port < ports && watchpoint.group < groups && watchpoint.channel < kChannels;
}

bool Counters::take_cycles(Placement& placement) {
  const auto found = std::find_if(dtcs_.begin(), dtcs_.end(), [](const DtcState& dtc) { return !dtc.cycles; });
  if (found == dtcs_.end()) return false;
  found->cycles = true;
  placement.cycles = static_cast<unsigned>(found - dtcs_.begin());
  return true;
}

bool Counters::take_sources(const CounterRequest& request, Placement& placement) {
  if (request.kind == Kind::node) {
    for (unsigned node = 0; node < mesh_->nodes.size(); ++node) {
      const EventNode& one = mesh_->nodes[node];
      if (one.type != request.type || (request.id && one.id != *request.id)) continue;
      if (!take_filters(request, node) || !take_local(request, node, one.dtm, placement)) return false;
    }
    return !placement.locals.empty();
  }
  for (unsigned crosspoint = 0; crosspoint < mesh_->crosspoints.size(); ++crosspoint) {
    const Crosspoint& one = mesh_->crosspoints[crosspoint];
    if (request.id && one.id != *request.id) continue;
    const bool is_apart = request.kind == Kind::watchpoint && mesh_->multiple_dtm;
    const unsigned dtm = is_apart ? request.watchpoint.port / kPortsPerDtm : 0;
    if (dtm >= one.dtms) continue;  // it has no such port
    if (!take_local(request, crosspoint, one.first_dtm + dtm, placement)) return false;
  }
  return !placement.locals.empty();
}

bool Counters::take_local(const CounterRequest& request, unsigned source, unsigned dtm, Placement& placement) {
  DtmState& state = dtms_[dtm];
  const std::optional<unsigned> counter = first_free(state.taken);
  if (!counter) return false;
  Placement::Local local{.source = source, .dtm = dtm, .counter = *counter};
  if (request.kind == Kind::watchpoint) {
    const std::optional<unsigned> watchpoint = take_watchpoint(request.watchpoint, state);
    if (!watchpoint) return false;
    local.watchpoint = *watchpoint;
  }
  state.taken[*counter] = true;
  placement.locals.push_back(local);
  return true;
}

std::optional<unsigned> Counters::take_watchpoint(const CounterRequest::Watchpoint& request, DtmState& dtm) {
  // The first of a pair is that with the even number: the result of both appears there.
  const unsigned first = request.upload ? 0 : 2;
  for (const unsigned number : {first, first + 1}) {
    if (dtm.watchpoints[number]) continue;
    const std::optional<unsigned>& neighbour = dtm.watchpoints[number ^ 1U];
    if (neighbour && *neighbour != request.pair) return std::nullopt;
    dtm.watchpoints[number] = request.pair;
    return number;
  }
  return std::nullopt;
}

bool Counters::take_filters(const CounterRequest& request, unsigned node) {
  const EventFilters fields = filters_of(*mesh_, request.type, request.event);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const FilterField& field = fields[i];
    const unsigned value = request.filters[i];
    if (field.width == 0) continue;
    if (value >> field.width != 0) return false;
    std::vector<FilterState>& states = filters_[node];
    auto state = std::find_if(states.begin(), states.end(), [&](const FilterState& one) { return one.field == field; });
    if (state == states.end()) state = states.insert(states.end(), FilterState{.field = field});
    if (state->users != 0 && state->value != value) return false;
    state->value = value;
    ++state->users;
  }
  return true;
}

bool Counters::take_globals(Placement& placement) {
  std::vector<bool> concerned(dtcs_.size());
  bool is_unknown = false;
  for (const Placement::Local& local : placement.locals) {
    const std::optional<unsigned> domain = mesh_->dtms[local.dtm].domain;
    if (domain) {
      concerned[*domain] = true;
    } else {
      is_unknown = true;
    }
  }
  // A local counter names one number. Where nobody knows of which DTC, it is the same of all.
  const auto is_free = [](const DtcState& dtc, unsigned counter) { return !dtc.taken[counter]; };
  for (unsigned counter = 0; is_unknown && counter < kGlobals; ++counter) {
    if (!std::all_of(dtcs_.begin(), dtcs_.end(), [&](const DtcState& dtc) { return is_free(dtc, counter); })) continue;
    for (unsigned dtc = 0; dtc < dtcs_.size(); ++dtc) {
      dtcs_[dtc].taken[counter] = true;
      placement.globals[dtc] = counter;
    }
    return true;
  }
  if (is_unknown) return false;
  for (unsigned dtc = 0; dtc < dtcs_.size(); ++dtc) {
    if (!concerned[dtc]) continue;
    auto& taken = dtcs_[dtc].taken;
    const auto* const found = std::find(taken.begin(), taken.end(), false);
    if (found == taken.end()) return false;
    placement.globals[dtc] = static_cast<unsigned>(found - taken.begin());
    taken[*placement.globals[dtc]] = true;
  }
  return true;
}

void Counters::give_back(const Placement& placement, const CounterRequest& request) {
  if (placement.cycles) dtcs_[*placement.cycles].cycles = false;
  for (const Placement::Local& local : placement.locals) {
    dtms_[local.dtm].taken[local.counter] = false;
    if (request.kind == Kind::watchpoint) dtms_[local.dtm].watchpoints[local.watchpoint].reset();
    if (request.kind != Kind::node) continue;
    for (const FilterField& field : filters_of(*mesh_, request.type, request.event)) {
      for (FilterState& state : filters_[local.source]) {
        if (field.width != 0 && state.field == field) --state.users;
      }
    }
  }
  for (unsigned dtc = 0; dtc < dtcs_.size(); ++dtc) {
    if (placement.globals[dtc]) dtcs_[dtc].taken[*placement.globals[dtc]] = false;
  }
}

std::uint32_t Counters::filter_word(unsigned node) const {
  const auto found = filters_.find(node);
  if (found == filters_.end()) return 0;
  std::uint32_t word = 0;
  for (const FilterState& state : found->second) {
    if (state.users != 0) word |= state.value << (state.field.low - kUpper);
  }
  return word;
}

}  // namespace pmufab::cmn_client
