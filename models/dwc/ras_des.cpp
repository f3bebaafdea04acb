// SPDX-License-Identifier: Apache-2.0
#include "models/dwc/ras_des.h"

#include <utility>

#include "tlm/registers/register_spec.h"

namespace pmufab::dwc {
namespace {

constexpr std::uint16_t kVendorSpecific = 0x000b;  // PCI Express Base Specification, 7.9.5
constexpr unsigned kVsecId = 0x02;

// Registers and fields are those that Linux's driver uses (dwc_pcie_pmu.c), from the start of the capability.
constexpr unsigned kVsecHeader = 0x04;
constexpr unsigned kCounterControl = 0x08;
constexpr unsigned kCounterData = 0x0c;
constexpr unsigned kAnalysisControl = 0x10;
constexpr unsigned kAnalysisData = 0x14;
constexpr unsigned kAnalysisDataHigh = 0x18;

constexpr unsigned kWordBytes = 4;
constexpr unsigned kWordBits = 32;
constexpr std::uint32_t kSelections = 0x0fff'0f00;  // event and lane
constexpr std::uint32_t kIsOn = 1U << 7;
constexpr std::uint32_t kAnalysisFields = 0xff00'ff01;
constexpr std::uint32_t kTimerStart = 1;

constexpr FieldSpec kCapabilityFields[] = {{"Capability ID", 0, 16, Access::ro},
                                           {"Capability Version", 16, 4, Access::ro}};
constexpr FieldSpec kVsecFields[] = {
    {"VSEC ID", 0, 16, Access::ro}, {"VSEC Revision", 16, 4, Access::ro}, {"VSEC Length", 20, 12, Access::ro}};
constexpr FieldSpec kCounterControlFields[] = {
    {"EVENT_COUNTER_CLEAR", 0, 2, Access::wo, 0, "1: the selected counter, 3: all"},
    {"EVENT_COUNTER_ENABLE", 2, 3, Access::wo, 0, "1 off, 3 on: the selected counter; 5 off, 7 on: all"},
    {"EVENT_COUNTER_STATUS", 7, 1, Access::ro, 0, "the selected counter is on"},
    {"EVENT_COUNTER_LANE_SELECT", 8, 4, Access::rw},
    {"EVENT_COUNTER_EVENT_SELECT", 16, 12, Access::rw, 0, "group in bits 27:24, number in bits 23:16"}};
constexpr FieldSpec kCounterDataFields[] = {{"EVENT_COUNTER_DATA", 0, 32, Access::ro}};
constexpr FieldSpec kAnalysisControlFields[] = {
    {"TIMER_START", 0, 1, Access::rw, 0, "a measurement goes on"},
    {"TIME_BASED_DURATION_SELECT", 8, 8, Access::rw, 0, "0: until software ends it"},
    {"TIME_BASED_REPORT_SELECT", 24, 8, Access::rw}};
constexpr FieldSpec kAnalysisDataFields[] = {{"TIME_BASED_ANALYSIS_DATA", 0, 32, Access::ro}};

enum class Switch : std::uint8_t { off = 1, on = 3, all_off = 5, all_on = 7 };
enum class Clear : std::uint8_t { one = 1, all = 3 };

/// @return how long a measurement lasts, by DURATION_SELECT; nothing: until software ends it
std::optional<Picoseconds> duration_of(unsigned select) {
  constexpr Picoseconds kMicrosecond = 1'000'000;
  constexpr Picoseconds kMillisecond = 1000 * kMicrosecond;
  switch (select) {
    case 0x01:
      return kMillisecond;
    case 0x02:
      return 10 * kMillisecond;
    case 0x03:
      return 100 * kMillisecond;
    case 0x04:
      return 1000 * kMillisecond;
    case 0x05:
      return 2000 * kMillisecond;
    case 0x06:
      return 4000 * kMillisecond;
    case 0xff:
      return 4 * kMicrosecond;
    default:
      return std::nullopt;
  }
}

}  // namespace

RasDes::RasDes(pcie::ConfigurationSpace& space, const RootPortDescription& port, const ClockDomain& clock)
    : space_(space),
      lanes_(port.lanes),
      at_(space.add_extended_capability(kVendorSpecific, 1, kBytes)),
      registers_{
          RegisterSpec{"RAS_DES_CAP", at_, kWordBits, kCapabilityFields},
          RegisterSpec{"RAS_DES_VSEC", at_ + kVsecHeader, kWordBits, kVsecFields},
          RegisterSpec{"EVENT_COUNTER_CONTROL", at_ + kCounterControl, kWordBits, kCounterControlFields},
          RegisterSpec{"EVENT_COUNTER_DATA", at_ + kCounterData, kWordBits, kCounterDataFields},
          RegisterSpec{"TIME_BASED_ANALYSIS_CONTROL", at_ + kAnalysisControl, kWordBits, kAnalysisControlFields},
          RegisterSpec{"TIME_BASED_ANALYSIS_DATA", at_ + kAnalysisData, kWordBits, kAnalysisDataFields, 2, kWordBytes}},
      analysis_(clock, port.time_width) {
  space.define(at_ + kVsecHeader, kWordBytes, {.value = kVsecId | port.vsec_revision << 16 | kBytes << 20});
  space.define(at_ + kCounterControl, kWordBytes, {.writable = kSelections});
  space.define(at_ + kAnalysisControl, kWordBytes, {.writable = kAnalysisFields});
  space.on_write(at_ + kCounterControl, kWordBytes,
                 [this](const pcie::ConfigurationWrite& write) { write_counter_control(write); });
  space.on_write(at_ + kAnalysisControl, kWordBytes,
                 [this](const pcie::ConfigurationWrite& write) { write_analysis_control(write); });
  space.on_read(at_ + kCounterControl, kAnalysisDataHigh + kWordBytes - kCounterControl,
                [this](Picoseconds when) { show(when); });
}

RasDes::Counter* RasDes::counter(const LinkEventCode* event, unsigned lane) noexcept {
  if (event == nullptr || lane >= lanes_) return nullptr;
  return &counters_.at(static_cast<std::size_t>(event - link_events().data())).at(lane);
}

RasDes::Counter* RasDes::selected() noexcept {
  const std::uint32_t control = space_.read(at_ + kCounterControl, kWordBytes);
  return counter(find_link_event(control >> 16 & 0xfffU), control >> 8 & 0xfU);
}

void RasDes::happen(const LinkEvent& event, Picoseconds when) {
  if (event.lane >= lanes_) return;
  Counter* const one = counter(find_link_event(event.id), event.lane);
  if (one != nullptr && one->is_on) one->value += static_cast<std::uint32_t>(event.repeat);
  const std::optional<Payload> payload = payload_of(event.id);
  if (payload && event.bytes != 0) analysis_.pass(*payload, event.repeat * units_of(event.bytes), when);
}

void RasDes::write_counter_control(const pcie::ConfigurationWrite& write) {
  // Both commands are in the lowest byte; without it, a write selects.
  const std::uint32_t commands = write.byte(at_ + kCounterControl);
  const auto enable = static_cast<Switch>(commands >> 2 & 7U);
  const auto clear = static_cast<Clear>(commands & 3U);
  if (Counter* const one = selected(); one != nullptr) {
    if (enable == Switch::on) one->is_on = true;
    if (enable == Switch::off) one->is_on = false;
    if (clear == Clear::one) one->value = 0;
  }
  if (enable != Switch::all_on && enable != Switch::all_off && clear != Clear::all) return;
  for (LaneCounters& event : counters_) {
    for (Counter& one : event) {
      if (enable == Switch::all_on) one.is_on = true;
      if (enable == Switch::all_off) one.is_on = false;
      if (clear == Clear::all) one.value = 0;
    }
  }
}

void RasDes::write_analysis_control(const pcie::ConfigurationWrite& write) {
  const unsigned control = at_ + kAnalysisControl;
  if (write.offset != control) return;  // without the lowest byte, a write selects
  if ((write.written & kTimerStart) != 0) {
    analysis_.start(duration_of(space_.read(control + 1, 1)), write.when);
  } else {
    analysis_.stop(write.when);
  }
}

void RasDes::show(Picoseconds when) {
  const Counter* const one = selected();
  const bool is_on = one != nullptr && one->is_on;
  const std::uint32_t control = space_.read(at_ + kCounterControl, kWordBytes) & kSelections;
  space_.set(at_ + kCounterControl, kWordBytes, control | (is_on ? kIsOn : 0U));
  space_.set(at_ + kCounterData, kWordBytes, one == nullptr ? 0 : one->value);
  const unsigned analysis = at_ + kAnalysisControl;
  if (!analysis_.runs(when)) space_.set(analysis, 1, 0);
  const std::uint64_t data = analysis_.read(space_.read(analysis + 3, 1), when);
  space_.set(at_ + kAnalysisData, kWordBytes, static_cast<std::uint32_t>(data));
  space_.set(at_ + kAnalysisDataHigh, kWordBytes, static_cast<std::uint32_t>(data >> kWordBits));
}

void RasDes::reset(Picoseconds when) {
  counters_ = {};
  analysis_.reset(when);
}

namespace {

// Reports of group 0 (dwc_pcie_pmu.c, dwc_pcie_pmu_time_event_attrs), as places in the order of LinkState.
constexpr unsigned kFirstData = 0x20;
constexpr unsigned kOneCycle = 0x00;

std::optional<LinkState> state_of(unsigned report) {
  constexpr std::array<LinkState, kLinkStates> kByReport{LinkState::tx_l0s,    LinkState::rx_l0s, LinkState::l0,
                                                         LinkState::l1,        LinkState::l1_1,   LinkState::l1_2,
                                                         LinkState::cfg_rcvry, LinkState::l1_aux, LinkState::tx_rx_l0s};
  if (report == kOneCycle || report > kLinkStates) return std::nullopt;
  return kByReport.at(report - 1);
}

}  // namespace

TimeAnalysis::Totals TimeAnalysis::totals(Picoseconds when) const {
  Totals now = passed_;
  if (when <= since_) return now;
  const std::uint64_t cycles = clock_.edges_before(when) - clock_.edges_before(since_);
  now.at(static_cast<std::size_t>(state_)) += cycles;
  now[kCycles] += cycles;
  return now;
}

void TimeAnalysis::settle(Picoseconds when) {
  if (runs_ && deadline_ && when >= *deadline_) stop(*deadline_);
}

void TimeAnalysis::start(std::optional<Picoseconds> duration, Picoseconds when) {
  settle(when);
  begin_ = totals(when);
  runs_ = true;
  deadline_.reset();
  if (duration) deadline_ = when + *duration;
}

void TimeAnalysis::stop(Picoseconds when) {
  if (!runs_) return;
  if (deadline_ && *deadline_ < when) when = *deadline_;
  end_ = totals(when);
  runs_ = false;
}

void TimeAnalysis::enter(LinkState state, Picoseconds when) {
  settle(when);
  passed_ = totals(when);
  since_ = when;
  state_ = state;
}

void TimeAnalysis::pass(Payload payload, std::uint64_t units, Picoseconds when) {
  settle(when);
  passed_.at(kData + static_cast<std::size_t>(payload)) += units;
}

void TimeAnalysis::pass_cycles(std::optional<LinkState> state, std::uint64_t cycles, Picoseconds when) {
  settle(when);
  passed_.at(static_cast<std::size_t>(state.value_or(state_))) += cycles;
  passed_[kCycles] += cycles;
}

std::uint64_t TimeAnalysis::read(unsigned report, Picoseconds when) const {
  unsigned place = kCycles;
  if (report >= kFirstData && report < kFirstData + kPayloads) {
    place = kData + report - kFirstData;
  } else if (report != kOneCycle) {
    const std::optional<LinkState> state = state_of(report);
    if (!state) return 0;
    place = static_cast<unsigned>(*state);
  }
  const bool is_over = runs_ && deadline_ && when >= *deadline_;
  const Totals& end = runs_ ? totals(is_over ? *deadline_ : when) : end_;
  return (end.at(place) - begin_.at(place)) & low_bits(width_);
}

void TimeAnalysis::reset(Picoseconds when) {
  runs_ = false;
  deadline_.reset();
  begin_ = end_ = totals(when);
}

}  // namespace pmufab::dwc
