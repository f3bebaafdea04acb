// SPDX-License-Identifier: Apache-2.0
#include "models/cxl/memory/ddr_controller.h"

#include <bit>

#include "models/cxl/memory/ddr_channel.h"
#include "tlm/spec/spec_error.h"

namespace pmufab::cxl {

namespace {

unsigned width(std::uint64_t count) { return static_cast<unsigned>(std::countr_zero(count)); }

void check_shape(const DdrShape& shape) {
  const auto check_power = [](const char* field, unsigned count) {
    if (!std::has_single_bit(count) || count > 64)
      throw SpecError(field, std::to_string(count) + " is not a power of two up to 64");
  };
  check_power("channels", shape.channels);
  check_power("ranks", shape.ranks);
  check_power("bank_groups", shape.bank_groups);
  check_power("banks", shape.banks);
  if (shape.ranks * shape.bank_groups * shape.banks > 64)
    throw SpecError("banks", "a channel has more than 64 banks", "use fewer ranks, bank groups or banks");
}

void check_throttle(const std::string& field, const DdrThrottle& throttle) {
  const auto check_time = [&](const char* name, Picoseconds time, const char* example) {
    if (time > kMostDdrTime) throw SpecError(field + name, "is more than 1 s");
    if (throttle.accesses != 0 && time == 0)
      throw SpecError(field + name, "is 0, which throttles nothing",
                      std::string("use for example ") + example + ", or leave out accesses");
  };
  check_time(".window", throttle.window, "1 us");
  check_time(".pause", throttle.pause, "200 ns");
}

void check_times(const DdrParameters& parameters) {
  const auto check_time = [](const char* field, Picoseconds time) {
    if (time > kMostDdrTime) throw SpecError(field, "is more than 1 s");
  };
  if (parameters.clock_period == 0) throw SpecError("clock_period", "is 0", "use for example 1 ns");
  const DdrTiming& timing = parameters.timing;
  check_time("clock_period", parameters.clock_period);
  check_throttle("thermal_throttle", parameters.thermal);
  check_throttle("power_throttle", parameters.power);
  check_time("power_down_after", parameters.power_down_after);
  check_time("self_refresh_after", parameters.self_refresh_after);
  check_time("act_to_cas", timing.act_to_cas);
  check_time("act_to_pre", timing.act_to_pre);
  check_time("act_to_act", timing.act_to_act);
  check_time("pre_to_act", timing.pre_to_act);
  check_time("read_to_pre", timing.read_to_pre);
  check_time("write_to_pre", timing.write_to_pre);
  check_time("cas_to_cas", timing.cas_to_cas);
  check_time("read_to_write", timing.read_to_write);
  check_time("write_to_read", timing.write_to_read);
  check_time("cas_latency", timing.cas_latency);
  check_time("refresh_interval", timing.refresh_interval);
  check_time("refresh", timing.refresh);
  check_time("refresh_same_bank", timing.refresh_same_bank);
  check_time("refresh_management", timing.refresh_management);
  check_time("power_down_exit", timing.power_down_exit);
  check_time("self_refresh_exit", timing.self_refresh_exit);
}

const DdrParameters& checked(const DdrParameters& parameters) {
  check(parameters);
  return parameters;
}

}  // namespace

void check(const DdrParameters& parameters) {
  check_shape(parameters.shape);
  if (parameters.row_bytes < 64 || !std::has_single_bit(parameters.row_bytes))
    throw SpecError("row_bytes", "must be a power of two, 64 or more");
  check_times(parameters);
  // A refresh that takes longer than the interval would pile up without end.
  const DdrTiming& timing = parameters.timing;
  const bool same_bank = parameters.refresh_mode == RefreshMode::same_bank;
  const Picoseconds interval = same_bank ? timing.refresh_interval / parameters.shape.banks : timing.refresh_interval;
  const Picoseconds busy = same_bank ? timing.refresh_same_bank : timing.refresh;
  if (parameters.refresh_mode != RefreshMode::none && interval <= busy)
    throw SpecError("refresh_interval",
                    "leaves " + std::to_string(interval) + " ps for a refresh that takes " + std::to_string(busy),
                    "use for example 3.9 us");
}

DdrController::DdrController(const std::string& name, Engine& engine, const DdrParameters& parameters,
                             DdrClient& client, Picoseconds delay, Picoseconds alignment)
    : engine_(engine),
      parameters_(checked(parameters)),
      client_(client),
      delay_(delay),
      alignment_(alignment),
      throttlings_{{{parameters.thermal, Probe(name + ".thermal_throttle")},
                    {parameters.power, Probe(name + ".power_throttle")}}},
      sampler_(engine, *this, parameters.clock_period) {
  const DdrShape& shape = parameters.shape;
  shifts_ = {width(shape.channels), width(shape.bank_groups), width(parameters.row_bytes) - 6, width(shape.banks),
             width(shape.ranks)};
  for (unsigned channel = 0; channel < shape.channels; ++channel)
    channels_.push_back(std::make_unique<DdrChannel>(name + ".channel" + std::to_string(channel), *this));
  for (const EventGroup& group : event_groups()) {
    if (group.group != 0x8001 && group.group != 0x8002 && group.group != 0x8004) continue;
    for (const EventSource& source : group.sources) sampler_.add(*source.probe);
  }
}

DdrController::~DdrController() = default;

void DdrController::enter(Throttling& throttling, Picoseconds now) {
  const DdrThrottle& rule = throttling.rule;
  if (rule.accesses == 0 || now < throttling.until) return;
  if (throttling.accesses == 0 || now - throttling.first >= rule.window) {
    throttling.accesses = 0;
    throttling.first = now;
  }
  if (++throttling.accesses < rule.accesses) return;
  throttling.accesses = 0;
  throttling.last_until = throttling.until;
  throttling.since = now;
  throttling.until = now + rule.pause;
}

void DdrController::sample(Picoseconds edge) {
  for (const auto& channel : channels_) channel->sample(edge);
  for (Throttling& throttling : throttlings_) {
    const bool holds = throttling.since < edge && edge <= throttling.until;
    if (holds || (edge != 0 && edge == throttling.last_until)) throttling.probe.publish(1, 0, edge);
  }
}

void DdrController::access(std::uint64_t device_address, bool write, std::uint32_t ticket) {
  if (observer_ != nullptr) [[unlikely]]
    observer_->on_access(engine_.now(), write, device_address);
  for (Throttling& throttling : throttlings_) {
    enter(throttling, engine_.now());
    held_until_ = std::max(held_until_, throttling.until);
  }
  std::uint64_t rest = device_address / 64;
  const auto take = [&](unsigned bits) {
    const auto value = static_cast<unsigned>(rest & ((std::uint64_t{1} << bits) - 1));
    rest >>= bits;
    return value;
  };
  const unsigned channel = take(shifts_[0]);
  DdrPlace place{};
  place.bank_group = take(shifts_[1]);
  take(shifts_[2]);
  place.bank = take(shifts_[3]);
  place.rank = take(shifts_[4]);
  place.row = rest;
  channels_[channel]->access(place, write, ticket);
}

EventGroup DdrController::event_group() {
  EventGroup group;
  group.group = 0x8000;
  group.filter = EventFilter::ddr_location;
  group.supported = 0xffff;
  group.shape = parameters_.shape;
  for (std::size_t i = 0; i < channels_.size(); ++i) channels_[i]->add_sources(static_cast<std::uint8_t>(i), group);
  return group;
}

std::vector<EventGroup> DdrController::event_groups() {
  std::vector<EventGroup> groups{event_group()};
  const auto add = [&](std::uint16_t number, std::uint32_t supported) {
    EventGroup& group = groups.emplace_back();
    group.group = number;
    group.filter = EventFilter::ddr_location;
    group.supported = supported;
    group.shape = parameters_.shape;
  };
  add(0x8001, parameters_.separate_queues ? 0b1011 : 0b1100);
  add(0x8002, 0b11);
  add(0x8003, 0b1111);
  for (std::size_t i = 0; i < channels_.size(); ++i)
    channels_[i]->add_other_sources(static_cast<std::uint8_t>(i), groups[1], groups[2], groups[3]);
  EventGroup& throttle = groups.emplace_back();
  throttle.group = 0x8004;
  throttle.supported = 0b11;
  for (unsigned bit = 0; bit < throttlings_.size(); ++bit) throttle.sources.push_back({bit, &throttlings_[bit].probe});
  for (EventGroup& group : groups) group.timed = true;
  return groups;
}

std::vector<DdrController::Load> DdrController::loads() const {
  std::vector<Load> loads;
  for (const auto& channel : channels_) loads.push_back({channel->busy(), channel->waited()});
  return loads;
}

std::uint64_t DdrController::pending() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& channel : channels_) sum += channel->pending();
  return sum;
}

}  // namespace pmufab::cxl
