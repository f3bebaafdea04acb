// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/client/cmn_client.h"

#include <algorithm>
#include <stdexcept>

namespace pmufab::cmn_client {
namespace {

using Kind = CounterRequest::Kind;

// Registers of a DTM, from its base.
constexpr std::uint64_t kWatchpointConfig = 0x1a0;
constexpr std::uint64_t kWatchpointValue = 0x8;  // from the config
constexpr std::uint64_t kWatchpointMask = 0x10;
constexpr std::uint64_t kWatchpointStride = 0x18;
constexpr std::uint64_t kDtmConfig = 0x210;
constexpr std::uint64_t kLocalCounters = 0x220;
constexpr std::uint64_t kLocalShadows = 0x240;
// Registers of a DTC's PMU, from its base.
constexpr std::uint64_t kGlobalCounters = 0x00;
constexpr std::uint64_t kCycleCounter = 0x40;
constexpr std::uint64_t kGlobalShadows = 0x50;
constexpr std::uint64_t kControl = 0x100;
constexpr std::uint64_t kOverflow = 0x118;
constexpr std::uint64_t kOverflowClear = 0x120;
constexpr std::uint64_t kSnapshotStatus = 0x128;
constexpr std::uint64_t kSnapshotRequest = 0x130;

constexpr std::uint32_t kDtcEnable = 1U << 0;
constexpr std::uint32_t kClockGateDisable = 1U << 10;
constexpr std::uint32_t kPmuEnable = 1U << 0;
constexpr std::uint32_t kInterruptEnable = 1U << 6;
constexpr std::uint32_t kAllOverflows = 0x1ff;
constexpr std::uint64_t kDtmEnable = 1;

constexpr std::uint64_t paired_bit(unsigned counter) { return std::uint64_t{1} << (4 + counter); }
constexpr unsigned global_shift(unsigned counter) { return 16 + 4 * counter; }
constexpr unsigned input_shift(unsigned counter) { return 32 + 8 * counter; }
constexpr std::uint64_t kGlobalMask = 0x7;
constexpr std::uint64_t kInputMask = 0xff;
constexpr unsigned kInputOfCrosspoint = 0x04;
constexpr unsigned kInputOfDevices = 0x10;
constexpr std::uint64_t kIgnoreAll = ~std::uint64_t{0};
// With mask 0: no flit is all ones.
constexpr std::uint64_t kIdleValue = ~std::uint64_t{0};
constexpr unsigned kLocalBits = 16;  // the room of a local counter in its register, whatever its width

}  // namespace

CmnClient::CmnClient(RegisterAccess access, const MeshPlace& place, CounterWidths widths)
    : access_(std::move(access)),
      widths_(widths),
      mesh_(find_mesh(access_, place)),
      counters_(mesh_),
      configs_(mesh_.dtms.size(), kDtmEnable),
      parked_(mesh_.dtms.size()),
      cleared_(mesh_.nodes.size()),
      cleared_crosspoints_(mesh_.crosspoints.size()),
      selected_(mesh_.nodes.size()),
      selected_at_crosspoints_(mesh_.crosspoints.size()),
      turns_(mesh_.dtcs.size()) {
  for (unsigned node = 0; node < mesh_.nodes.size(); ++node)
    nodes_at_[{mesh_.nodes[node].dtm, mesh_.nodes[node].position}].push_back(node);
  for (unsigned dtc = 0; dtc < mesh_.dtcs.size(); ++dtc) {
    const Dtc& one = mesh_.dtcs[dtc];
    access_.write32(one.control, kDtcEnable);
    if (dtc == 0) {
      stop();
      stale_ = access_.read32(one.base + kOverflow);
      continue;
    }
    access_.write32(one.base + kControl, kPmuEnable);
    access_.write32(one.base + kOverflowClear, kAllOverflows);
    access_.write32(one.base + kControl, kPmuEnable | kInterruptEnable);
  }
}

bool CmnClient::has_counters_for(std::span<const CounterRequest> requests) const {
  Counters all_free(mesh_);
  return std::all_of(requests.begin(), requests.end(),
                     [&](const CounterRequest& request) { return all_free.take(request).has_value(); });
}

// The first DTC lets all DTMs count. The others stay on.
void CmnClient::run() {
  const Dtc& first = mesh_.dtcs.front();
  running_ = true;
  if (stale_ != 0) {
    access_.write32(first.base + kControl, kPmuEnable);
    access_.write32(first.base + kOverflowClear, stale_);
    stale_ = 0;
  }
  access_.write32(first.base + kControl, kPmuEnable | kInterruptEnable);
}

void CmnClient::stop() {
  access_.write32(mesh_.dtcs.front().base + kControl, 0);
  running_ = false;
}

std::uint64_t CmnClient::global_address(unsigned dtc, unsigned counter, std::uint64_t first) const {
  return mesh_.dtcs[dtc].base + first + 16 * (counter / 2) + 4 * (counter % 2);
}

std::uint64_t CmnClient::watchpoint_address(const Placement::Local& local) const {
  return mesh_.dtms[local.dtm].base + kWatchpointConfig + kWatchpointStride * local.watchpoint;
}

bool CmnClient::has_overflowed(unsigned dtc, unsigned bit) const {
  const std::uint32_t stale = dtc == 0 ? stale_ : 0;
  return ((access_.read32(mesh_.dtcs[dtc].base + kOverflow) & ~stale) >> bit & 1U) != 0;
}

void CmnClient::forget_overflow(unsigned dtc, unsigned bit) {
  turns_[dtc][bit] = 0;
  if (is_on(dtc)) {
    access_.write32(mesh_.dtcs[dtc].base + kOverflowClear, 1U << bit);
  } else if (has_overflowed(dtc, bit)) {
    stale_ |= 1U << bit;  // run() clears it
  }
}

std::optional<unsigned> CmnClient::open(const CounterRequest& request) {
  std::optional<Placement> placement = counters_.take(request);
  if (!placement) return std::nullopt;
  auto free = std::find_if(events_.begin(), events_.end(), [](const Open& event) { return !event.is_open; });
  if (free == events_.end()) free = events_.emplace(events_.end());
  *free = {.is_open = true, .request = request, .placement = std::move(*placement)};
  if (free->placement.cycles) {
    start_cycles(*free->placement.cycles);
  } else {
    couple(*free);
    // Nothing feeds the counters yet.
    for (unsigned dtc = 0; dtc < mesh_.dtcs.size(); ++dtc) {
      const std::optional<unsigned> global = free->placement.globals[dtc];
      if (!global) continue;
      access_.write32(global_address(dtc, *global, kGlobalCounters), 0);
      forget_overflow(dtc, *global);
    }
    read_locals(free->placement.locals, kLocalCounters, free->before);
    select(*free, true);
  }
  return static_cast<unsigned>(free - events_.begin());
}

void CmnClient::close(unsigned number) {
  Open& event = events_[number];
  if (event.placement.cycles) {
    const unsigned dtc = *event.placement.cycles;
    access_.write32(mesh_.dtcs[dtc].control, kDtcEnable);
    event.count = cycles_of(dtc);
    forget_overflow(dtc, kCycleBit);
  } else {
    select(event, false);
    event.count = count_of(event);
    uncouple(event);
  }
  counters_.give_back(event.placement, event.request);
  if (has_filters(event.request)) {
    for (const Placement::Local& local : event.placement.locals) write_filters(local.source);
  }
  event.is_open = false;
}

bool CmnClient::has_filters(const CounterRequest& request) const {
  return request.kind == Kind::node && filters_of(mesh_, request.type, request.event).front().width != 0;
}

void CmnClient::write_filters(unsigned node) const {
  access_.write32(mesh_.nodes[node].event_select + 4, counters_.filter_word(node));
}

void CmnClient::couple(const Open& event) {
  const bool is_filtered = has_filters(event.request);
  for (const Placement::Local& local : event.placement.locals) {
    const Dtm& dtm = mesh_.dtms[local.dtm];
    if (event.request.kind == Kind::watchpoint) {
      park_all(local.dtm);
      set_up_watchpoint(event.request.watchpoint, local);
    } else if (event.request.kind == Kind::node) {
      clear_selects(local.source);
      if (is_filtered) write_filters(local.source);
    } else if (!cleared_crosspoints_[local.source]) {
      cleared_crosspoints_[local.source] = true;
      select_crosspoint(local.source, local.counter, 0);
    }
    // Of DTCs of which nobody knows which is the DTM's, the counters have the same number.
    const auto global = std::find_if(event.placement.globals.begin(), event.placement.globals.end(),
                                     [](const auto& one) { return one.has_value(); });
    const std::uint64_t number = dtm.domain ? *event.placement.globals.at(*dtm.domain) : **global;
    std::uint64_t& config = configs_[local.dtm];
    config &= ~(kGlobalMask << global_shift(local.counter) | kInputMask << input_shift(local.counter));
    config |= number << global_shift(local.counter) | paired_bit(local.counter) |
              std::uint64_t{input_of(event.request, local)} << input_shift(local.counter);
    access_.write64(dtm.base + kDtmConfig, config);
  }
}

void CmnClient::uncouple(const Open& event) {
  for (const Placement::Local& local : event.placement.locals) {
    std::uint64_t& config = configs_[local.dtm];
    config &= ~paired_bit(local.counter);
    access_.write64(mesh_.dtms[local.dtm].base + kDtmConfig, config);
    if (event.request.kind != Kind::watchpoint) continue;
    // The second of a pair, alone, counts nothing.
    const bool leaves_second = event.request.watchpoint.pair != 0 && local.watchpoint % 2 == 0 &&
                               counters_.has_watchpoint(local.dtm, local.watchpoint + 1);
    park(local.dtm, local.watchpoint, leaves_second);
  }
  for (unsigned dtc = 0; dtc < mesh_.dtcs.size(); ++dtc) {
    if (event.placement.globals[dtc]) forget_overflow(dtc, *event.placement.globals[dtc]);
  }
}

unsigned CmnClient::input_of(const CounterRequest& request, const Placement::Local& local) const {
  switch (request.kind) {
    case Kind::watchpoint:
      return local.watchpoint;
    case Kind::crosspoint:
      return kInputOfCrosspoint + local.counter;
    default:
      return kInputOfDevices + 4 * mesh_.nodes[local.source].position + local.counter;
  }
}

void CmnClient::park_all(unsigned dtm) {
  if (parked_[dtm]) return;
  parked_[dtm] = true;
  for (unsigned watchpoint = 0; watchpoint < Counters::kWatchpoints; ++watchpoint) park(dtm, watchpoint);
}

void CmnClient::set_up_watchpoint(const CounterRequest::Watchpoint& watchpoint, const Placement::Local& local) const {
  const unsigned exclusive_bit = mesh_.is_cmn600() ? 5 : 8;
  std::uint32_t config = (watchpoint.port & 1U) | watchpoint.channel << 1 | watchpoint.group << 4;
  if (!mesh_.multiple_dtm) config |= watchpoint.port >> 1 << 17;
  if (watchpoint.exclusive) config |= 1U << exclusive_bit;
  if (watchpoint.pair != 0 && local.watchpoint % 2 == 0) config |= combine_bit();
  const std::uint64_t address = watchpoint_address(local);
  if (watchpoint.exclusive) {
    // One that compares nothing never matches. Set up in this order, it is silent until it gets its mask.
    access_.write64(address + kWatchpointMask, kIgnoreAll);
    access_.write64(address + kWatchpointValue, watchpoint.value);
  }
  access_.write32(address, config);
}

void CmnClient::select_watchpoint(const CounterRequest::Watchpoint& watchpoint, const Placement::Local& local,
                                  bool on) const {
  const std::uint64_t address = watchpoint_address(local);
  if (watchpoint.exclusive) {
    access_.write64(address + kWatchpointMask, on ? watchpoint.mask : kIgnoreAll);
  } else if (on) {
    // With the mask of the idle state it matches a part of what it will match.
    access_.write64(address + kWatchpointValue, watchpoint.value);
    access_.write64(address + kWatchpointMask, watchpoint.mask);
  } else {
    access_.write64(address + kWatchpointMask, 0);
    access_.write64(address + kWatchpointValue, kIdleValue);
  }
}

void CmnClient::park(unsigned dtm, unsigned watchpoint, bool is_of_pair) const {
  const std::uint64_t address = watchpoint_address({.source = 0, .dtm = dtm, .counter = 0, .watchpoint = watchpoint});
  access_.write64(address + kWatchpointValue, kIdleValue);
  access_.write32(address, is_of_pair ? combine_bit() : 0);
  access_.write64(address + kWatchpointMask, 0);
}

void CmnClient::clear_selects(unsigned node) {
  const EventNode& one = mesh_.nodes[node];
  for (const unsigned other : nodes_at_.at({one.dtm, one.position})) {
    if (cleared_[other]) continue;
    cleared_[other] = true;
    access_.write32(mesh_.nodes[other].event_select, 0);
  }
}

void CmnClient::select(const Open& event, bool on) {
  for (const Placement::Local& local : event.placement.locals) {
    if (event.request.kind == Kind::watchpoint) {
      select_watchpoint(event.request.watchpoint, local, on);
    } else if (event.request.kind == Kind::node) {
      select_node(local.source, local.counter, on ? event.request.event : 0);
    } else {
      select_crosspoint(local.source, local.counter, on ? event.request.event : 0);
    }
  }
}

void CmnClient::select_node(unsigned node, unsigned slot, unsigned event) {
  selected_[node][slot] = static_cast<std::uint8_t>(event);
  std::uint32_t word = 0;
  for (unsigned i = 0; i < Counters::kLocals; ++i) word |= std::uint32_t{selected_[node][i]} << 8 * i;
  access_.write32(mesh_.nodes[node].event_select, word);
}

void CmnClient::select_crosspoint(unsigned crosspoint, unsigned slot, unsigned event) {
  auto& selected = selected_at_crosspoints_[crosspoint];
  selected[slot] = static_cast<std::uint16_t>(event);
  const unsigned width = mesh_.has_wide_select() ? 16 : 8;
  std::uint64_t word = 0;
  for (unsigned i = 0; i < Counters::kLocals; ++i) word |= std::uint64_t{selected[i]} << width * i;
  const std::uint64_t address = mesh_.crosspoints[crosspoint].event_select;
  if (mesh_.has_wide_select()) {
    access_.write64(address, word);
  } else {
    access_.write32(address, static_cast<std::uint32_t>(word));
  }
}

void CmnClient::start_cycles(unsigned dtc) {
  const Dtc& one = mesh_.dtcs[dtc];
  access_.write64(one.base + kCycleCounter, 0);
  forget_overflow(dtc, kCycleBit);
  access_.write32(one.control, kDtcEnable | kClockGateDisable);
  access_.write64(one.base + kCycleCounter, 0);  // the clock may have run before
}

std::uint64_t CmnClient::cycles_of(unsigned dtc) const {
  bool overflowed = has_overflowed(dtc, kCycleBit);
  while (true) {
    const std::uint64_t turns = turns_[dtc][kCycleBit];
    const std::uint64_t value = access_.read64(mesh_.dtcs[dtc].base + kCycleCounter);
    const bool again = has_overflowed(dtc, kCycleBit);
    if (again == overflowed && turns == turns_[dtc][kCycleBit])
      return value + ((turns + (overflowed ? 1 : 0)) << widths_.cycles);
    overflowed = again;
  }
}

void CmnClient::take_snapshot(unsigned dtc, unsigned counter) const {
  constexpr unsigned kPatience = 1000;
  const std::uint64_t base = mesh_.dtcs[dtc].base;
  access_.write32(base + kSnapshotRequest, 1);
  for (unsigned tries = 0; tries < kPatience; ++tries) {
    if ((access_.read32(base + kSnapshotStatus) >> counter & 1U) != 0) return;
  }
  throw std::runtime_error("a DTC does not take the snapshot it was asked for");
}

std::uint64_t CmnClient::carries_of(unsigned dtc, unsigned counter) const {
  bool overflowed = has_overflowed(dtc, counter);
  while (true) {
    const std::uint64_t turns = turns_[dtc][counter];
    take_snapshot(dtc, counter);
    const bool again = has_overflowed(dtc, counter);
    if (again == overflowed && turns == turns_[dtc][counter]) {
      const std::uint64_t value = access_.read32(global_address(dtc, counter, kGlobalShadows));
      return value + ((turns + (overflowed ? 1 : 0)) << widths_.global);
    }
    overflowed = again;
  }
}

void CmnClient::read_locals(const std::vector<Placement::Local>& locals, std::uint64_t offset,
                            std::vector<std::uint64_t>& values) const {
  values.clear();
  std::uint64_t word = 0;
  const Placement::Local* last = nullptr;
  for (const Placement::Local& local : locals) {
    if (last == nullptr || last->dtm != local.dtm) word = access_.read64(mesh_.dtms[local.dtm].base + offset);
    last = &local;
    values.push_back(word >> kLocalBits * local.counter & ((1U << kLocalBits) - 1));
  }
}

std::uint64_t CmnClient::count_of(const Open& event) const {
  std::uint64_t carries = 0;
  for (unsigned dtc = 0; dtc < mesh_.dtcs.size(); ++dtc) {
    if (event.placement.globals[dtc]) carries += carries_of(dtc, *event.placement.globals[dtc]);
  }
  std::vector<std::uint64_t> values;
  read_locals(event.placement.locals, kLocalShadows, values);
  std::uint64_t sum = carries << widths_.local;
  for (std::size_t i = 0; i < values.size(); ++i) sum += values[i] - event.before[i];  // modulo 2^64
  return sum;
}

std::uint64_t CmnClient::count(unsigned number) {
  const Open& event = events_[number];
  if (!event.is_open) return event.count;
  return event.placement.cycles ? cycles_of(*event.placement.cycles) : count_of(event);
}

bool CmnClient::handle_overflow(unsigned dtc) {
  const std::uint64_t base = mesh_.dtcs[dtc].base;
  const std::uint32_t status = access_.read32(base + kOverflow);
  if (status == 0) return false;
  if (!is_on(dtc)) return true;  // nothing can be cleared now; run() lets it come again
  access_.write32(base + kOverflowClear, status);
  for (unsigned bit = 0; bit <= kCycleBit; ++bit) turns_[dtc][bit] += status >> bit & 1U;
  return true;
}

}  // namespace pmufab::cmn_client
