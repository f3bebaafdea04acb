#include "models/cxl/ddr_controller.h"

#include <algorithm>
#include <bit>

#include "models/cxl/ddr_channel.h"
#include "tlm/spec/spec_error.h"

namespace pmufab::cxl {

namespace {

unsigned width(std::uint64_t count, const char* field) {
  if (!std::has_single_bit(count)) throw SpecError(field, std::to_string(count) + " is no power of two");
  return static_cast<unsigned>(std::countr_zero(count));
}

}  // namespace

DdrController::DdrController(const std::string& name, Engine& engine, const DdrParameters& parameters,
                             DdrClient& client, Picoseconds delay, Picoseconds alignment)
    : engine_(engine),
      parameters_(parameters),
      client_(client),
      delay_(delay),
      alignment_(alignment),
      throttlings_{{{parameters.thermal, Probe(name + ".thermal_throttle")},
                    {parameters.power, Probe(name + ".power_throttle")}}},
      sampler_(engine, *this, parameters.clock_period) {
  const DdrShape& shape = parameters.shape;
  if (parameters.row_bytes < 64) throw SpecError("row_bytes", "is less than a line", "use 64 or more");
  shifts_ = {width(shape.channels, "channels"), width(shape.bank_groups, "bank_groups"),
             width(parameters.row_bytes, "row_bytes") - 6, width(shape.banks, "banks"), width(shape.ranks, "ranks")};
  if (shape.ranks * shape.bank_groups * shape.banks > 64)
    throw SpecError("banks", "a channel has more than 64 banks", "use fewer ranks, bank groups or banks");
  if (shape.channels > 255) throw SpecError("channels", "are too many", "use at most 128");
  if (parameters.refresh_mode != RefreshMode::none && parameters.timing.refresh_interval / shape.banks == 0)
    throw SpecError("timing.refresh_interval", "is too short", "use for example 3.9 us");
  if (parameters.clock_period == 0) throw SpecError("clock_period", "is 0", "use for example 1 ns");
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
  return groups;
}

std::uint64_t DdrController::pending() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& channel : channels_) sum += channel->pending();
  return sum;
}

}  // namespace pmufab::cxl
