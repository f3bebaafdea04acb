// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/dwc/judge/dwc_wires.h"

#include <algorithm>

namespace pmufab::scoreboard {
namespace {

// docs/platforms/dwc-root-ports.md: the capability is the first extended one.
constexpr std::uint64_t kDwcCapability = 0x100;
constexpr std::uint64_t kDwcCounterControl = 0x08;
constexpr std::uint64_t kDwcCounterData = 0x0c;
constexpr std::uint64_t kDwcAnalysisControl = 0x10;
constexpr std::uint64_t kDwcAnalysisData = 0x14;  // the lower half

constexpr std::uint64_t kDwcUnitBytes = 16;

}  // namespace

DwcWires::DwcWires(const DwcPortSpec& spec)
    : registers_(spec.configuration + kDwcCapability), clock_(spec.description.clock_hz) {}

unsigned DwcWires::place_of(const DwcMeaning& meaning) {
  if (meaning.kind == DwcMeaning::Kind::state) return static_cast<unsigned>(meaning.state);
  if (meaning.kind == DwcMeaning::Kind::data) return kData + static_cast<unsigned>(meaning.data);
  return kCycles;
}

void DwcWires::add(unsigned place, std::uint64_t amount) {
  measured_.at(place).happened += amount;
  if (measures_) measured_.at(place).counted += amount;
}

DwcWires::Lane& DwcWires::lane(const LaneKey& key) {
  const auto [found, is_new] = lanes_.try_emplace(key);
  if (is_new) found->second.is_on = others_are_on_;
  return found->second;
}

void DwcWires::see_event(const dwc::LinkEvent& event) {
  Lane& counter = lane({event.id, event.lane});
  counter.progress.happened += event.repeat;
  if (counter.is_on) counter.progress.counted += event.repeat;
  for (unsigned data = 0; data < kDwcDataKinds; ++data) {
    if (is_dwc_data(event.id, static_cast<DwcData>(data)))
      pass_data(static_cast<DwcData>(data), event.bytes, event.repeat);
  }
}

void DwcWires::pass_data(DwcData data, std::uint64_t bytes, std::uint64_t packets) {
  const std::uint64_t whole = bytes / kDwcUnitBytes + (bytes % kDwcUnitBytes == 0 ? 0 : 1);
  add(kData + static_cast<unsigned>(data), packets * whole * kDwcUnitBytes);
}

void DwcWires::see_state(dwc::LinkState state, Picoseconds when) {
  advance(when);
  state_ = state;
}

void DwcWires::pass_cycles(std::optional<dwc::LinkState> state, std::uint64_t cycles, Picoseconds when) {
  advance(when);
  add(static_cast<unsigned>(state.value_or(state_)), cycles);
  add(kCycles, cycles);
}

DwcWires::Measured DwcWires::measured(Picoseconds when) const {
  Measured now = measured_;
  const std::uint64_t cycles = clock_.edges_in(since_, when);
  for (const unsigned place : {static_cast<unsigned>(state_), kCycles}) {
    now.at(place).happened += cycles;
    if (measures_) now.at(place).counted += cycles;
  }
  return now;
}

void DwcWires::advance(Picoseconds when) {
  measured_ = measured(when);
  since_ = std::max(since_, when);
}

void DwcWires::see(const MmioBus::BusAccess& access) {
  if (!access.ok) return;
  if (!access.is_write) {
    if (access.address == registers_ + kDwcCounterData) read_data(access.when);
    if (access.address == registers_ + kDwcAnalysisData) read_measurement(access.when);
    return;
  }
  const auto value = static_cast<std::uint32_t>(access.data);
  if (access.address == registers_ + kDwcCounterControl) write_counter_control(value, access.when);
  if (access.address == registers_ + kDwcAnalysisControl) write_analysis_control(value, access.when);
}

void DwcWires::clear(Lane& lane) {
  if (lane.is_read) lane.progress.dropped += lane.progress.counted - lane.read->progress.counted;
  lane.is_read = false;
}

void DwcWires::write_counter_control(std::uint32_t value, Picoseconds when) {
  constexpr unsigned kEventShift = 16;
  constexpr unsigned kLaneShift = 8;
  selected_ = {value >> kEventShift & 0xfffU, value >> kLaneShift & 0xfU};
  const unsigned enable = value >> 2 & 7U;
  const unsigned clears = value & 3U;
  const auto act = [&](Lane& counter, bool on, bool off, bool to_0) {
    if (to_0) clear(counter);
    if (off) counter.is_on = false;
    if (!on) return;
    counter.is_on = true;
    counter.start = Point{when, counter.progress};
  };
  act(lane(selected_), enable == 3, enable == 1, clears == 1);
  if (enable != 5 && enable != 7 && clears != 3) return;
  if (enable == 5 || enable == 7) others_are_on_ = enable == 7;
  for (auto& [key, counter] : lanes_) act(counter, enable == 7, enable == 5, clears == 3);
}

void DwcWires::write_analysis_control(std::uint32_t value, Picoseconds when) {
  advance(when);
  if (measures_ && is_read_) {
    for (unsigned place = 0; place < kMeasured; ++place)
      measured_.at(place).dropped += measured_.at(place).counted - read_->measured.at(place).counted;
  }
  measures_ = (value & 1U) != 0;
  if (!measures_) return;
  // A measurement begins anew, whether there was one or not.
  start_ = Snapshot{when, measured_};
  is_read_ = false;
}

void DwcWires::read_data(Picoseconds when) {
  Lane& counter = lane(selected_);
  counter.read = Point{when, counter.progress};
  counter.is_read = true;
}

void DwcWires::read_measurement(Picoseconds when) {
  read_ = Snapshot{when, measured(when)};
  is_read_ = true;
}

bool DwcWires::is_counter_read(const MmioBus::BusAccess& access) const {
  return access.address == registers_ + kDwcCounterData || access.address == registers_ + kDwcAnalysisData;
}

bool DwcWires::is_any_on() const {
  return measures_ || std::any_of(lanes_.begin(), lanes_.end(), [](const auto& one) { return one.second.is_on; });
}

DwcProgress DwcWires::progress(const DwcMeaning& meaning, Picoseconds when) const {
  if (meaning.kind == DwcMeaning::Kind::nothing) return {};
  if (meaning.is_timed) return measured(when).at(place_of(meaning));
  const auto lane = lanes_.find({meaning.id, meaning.lane});
  return lane == lanes_.end() ? DwcProgress{} : lane->second.progress;
}

std::optional<DwcWires::Point> DwcWires::point_since(Picoseconds begin, const DwcMeaning& meaning,
                                                     const std::optional<Snapshot>& measurement,
                                                     std::optional<Point> Lane::*of_lane) const {
  std::optional<Point> point;
  if (meaning.kind == DwcMeaning::Kind::nothing) return point;
  if (meaning.is_timed) {
    if (measurement) point = Point{measurement->when, measurement->measured.at(place_of(meaning))};
  } else if (const auto lane = lanes_.find({meaning.id, meaning.lane}); lane != lanes_.end()) {
    point = lane->second.*of_lane;
  }
  if (point && point->when < begin) point.reset();
  return point;
}

std::optional<DwcWires::Point> DwcWires::last_start(const DwcMeaning& meaning, Picoseconds begin) const {
  return point_since(begin, meaning, start_, &Lane::start);
}

std::optional<DwcWires::Point> DwcWires::last_read(const DwcMeaning& meaning, Picoseconds begin) const {
  return point_since(begin, meaning, read_, &Lane::read);
}

}  // namespace pmufab::scoreboard
