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

namespace {

// Fields, as the products before CMN S3 r2p0 have them.
constexpr FilterField kOccupancy{32, 3};
constexpr FilterField kClass{35, 2};
constexpr FilterField kOrigin{37, 2};  // hbt_lbt_sel
constexpr FilterField kTarget{39, 2};  // sn_home_sel
constexpr FilterField kBusy{42, 3};    // cbusy_snthrottle_sel
// A DVM node's is wider.
constexpr FilterField kOccupancyOfDvm{32, 4};

// Fields of an HN-S in a CMN S3 r2p0 or later.
namespace r2 {
constexpr FilterField kOccupancy{32, 4};
constexpr FilterField kClass{36, 2};
constexpr FilterField kOrigin{38, 2};
constexpr FilterField kTarget{40, 2};
constexpr FilterField kBusy{42, 4};
constexpr FilterField kSnoopChannel{46, 2};
constexpr FilterField kRequester{48, 4};  // enhanced_hbt_lbt_sel
constexpr FilterField kState{52, 3};      // evict_state_sel
}  // namespace r2

/// Events that have a field.
struct Row {
  EventFilters filters;
  std::array<std::uint8_t, 16> events;  // the rest is 0, which is no event
};

constexpr std::array<Row, 3> kRowsOfHnF{{
    {{kOccupancy}, {0x0f}},
    {{kClass}, {0x26, 0x27, 0x28, 0x29}},
    {{kBusy}, {0x2a, 0x2b}},
}};

constexpr std::array<Row, 5> kRowsOfHnS{{
    {{kOrigin}, {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x0a, 0x0b, 0x10, 0x11}},
    {{kTarget}, {0x0d, 0x3b}},
    {{kOccupancy}, {0x0f}},
    {{kClass}, {0x26, 0x27, 0x28, 0x29, 0x3c}},
    {{kBusy}, {0x2a, 0x2b}},
}};

constexpr std::array<Row, 8> kRowsOfHnSOfR2{{
    {{r2::kRequester}, {0x01, 0x02, 0x03, 0x06, 0x0b, 0x10, 0x11, 0x3d, 0x3e, 0x44}},
    {{r2::kOccupancy}, {0x04, 0x05, 0x0f}},
    {{r2::kOrigin, r2::kState}, {0x07, 0x0a}},
    {{r2::kSnoopChannel}, {0x08, 0x09, 0x18, 0x19, 0x1a, 0x1f, 0x23}},
    {{r2::kTarget}, {0x0c, 0x0d, 0x3a, 0x3b}},
    {{r2::kOrigin}, {0x24, 0x38}},
    {{r2::kClass}, {0x26, 0x27, 0x28, 0x3c}},
    {{r2::kBusy}, {0x2a, 0x2b, 0x40, 0x41, 0x42, 0x43}},
}};

EventFilters filters_in(std::span<const Row> rows, unsigned event) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) {
    return event != 0 && std::find(row.events.begin(), row.events.end(), event) != row.events.end();
  });
  return found == rows.end() ? EventFilters{} : found->filters;
}

EventFilters of_dvm_node(const Mesh& mesh, unsigned event) {
  if (mesh.is_cmn600()) return event == 0x05 ? EventFilters{kOccupancyOfDvm} : EventFilters{};
  const bool has_one = event == 0x0c || (mesh.has_wide_select() && (event == 0x0d || event == 0x0e));
  return has_one ? EventFilters{kOccupancyOfDvm} : EventFilters{};
}

}  // namespace

EventFilters filters_of(const Mesh& mesh, unsigned type, unsigned event) {
  switch (type) {
    case node_types::kDvm:
      return of_dvm_node(mesh, event);
    case node_types::kHnF:
      if (mesh.has_wide_select()) return filters_in(kRowsOfHnF, event);
      return event == 0x0f ? EventFilters{kOccupancy} : EventFilters{};
    case node_types::kHnS:
      if (mesh.is_s3_r2()) return filters_in(kRowsOfHnSOfR2, event);
      return filters_in(kRowsOfHnS, event);
    default:
      return {};
  }
}

}  // namespace pmufab::cmn_client
