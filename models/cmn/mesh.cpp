// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/mesh.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include <fmt/format.h>

#include "models/cmn/description/topology.h"

namespace pmufab::cmn {

namespace {

// Settling period of occupancies while the mesh works. It bounds how late an overflow they cause is noticed.
constexpr Cycle kSettlePeriod = 4096;
// Before a sleep of at least this many cycles, the PMU computes when the next such overflow is.
constexpr Cycle kLongSleep = 16;
// Most cycles with work in one call of the process. It bounds how late a user's interrupt is noticed.
constexpr unsigned kCyclesAtOnce = 64;

/// @param next  the next cycle with work, or kNoCycle
bool is_long_sleep(Cycle from, Cycle next) { return next == kNoCycle || next > from + kLongSleep; }

Channel second_sub_channel(Channel channel) {
  switch (channel) {
    case Channel::req:
      return Channel::req2;
    case Channel::rsp:
      return Channel::rsp2;
    case Channel::snp:
      return Channel::snp2;
    case Channel::dat:
      return Channel::dat2;
    default:
      return channel;
  }
}

const Topology& checked(const Topology& topology) {
  check(topology);
  return topology;
}

bool is_port(Interface interface) { return interface >= Interface::port0; }
unsigned port_of(Interface interface) {
  return static_cast<unsigned>(interface) - static_cast<unsigned>(Interface::port0);
}

}  // namespace

Mesh::Mesh(const sc_core::sc_module_name& name, const Topology& topology, const MeshOptions& options)
    : sc_core::sc_module(name),
      topology_(checked(topology)),
      layout_(topology_),
      clock_(std::string(basename()), topology_.frequency_hz),
      config_space_("config_space", basename(), topology_, layout_),
      pmu_(basename(), topology_, layout_, config_space_, clock_, options.pmu),
      engine_(parameters_of(topology_, options)) {
  find_targets();
  pmu_.on_watch([this](unsigned xp, Interface interface, Channel channel, FlitEvent event, bool on) {
    if (engine_.has(channel)) engine_.watch(xp, interface, channel, event, on);
  });
  pmu_.use_tallies([this](unsigned xp, Interface interface, Channel channel, FlitEvent event) {
    return engine_.has(channel) ? engine_.tally(xp, interface, channel, event) : 0;
  });
  SC_METHOD(run);
  sensitive << wake_;
}

Mesh::~Mesh() = default;

MeshParameters Mesh::parameters_of(const Topology& topology, const MeshOptions& options) {
  MeshParameters parameters;
  parameters.columns = topology.columns;
  parameters.rows = topology.rows;
  const VirtualChannels& channels = topology.channels;
  if (channels.rsp > 1) parameters.channels.push_back(Channel::rsp2);
  if (channels.dat > 1) parameters.channels.push_back(Channel::dat2);
  if (channels.req > 1) parameters.channels.push_back(Channel::req2);
  if (channels.snp > 1) parameters.channels.push_back(Channel::snp2);
  for (const Crosspoint& crosspoint : topology.crosspoints)
    parameters.ports.push_back(static_cast<unsigned>(crosspoint.ports.size()));
  parameters.buffer_depth = options.buffer_depth;
  parameters.router_delay = options.router_delay;
  parameters.link_delay = options.link_delay;
  parameters.download_credits = options.download_credits;
  parameters.credit_delay = options.credit_delay;
  return parameters;
}

void Mesh::find_targets() {
  port_index_.assign(std::size_t{layout_.xps()} * kMaximumPorts, kNobody);
  for (unsigned xp = 0; xp < layout_.xps(); ++xp) {
    const Crosspoint& crosspoint = topology_.crosspoints[xp];
    const unsigned shift = device_bits(topology_, crosspoint);
    for (unsigned port = 0; port < crosspoint.ports.size(); ++port) {
      if (crosspoint.ports[port].device == DeviceType::none) continue;
      port_index_[xp * kMaximumPorts + port] = static_cast<std::uint16_t>(ports_.size());
      PortOutput output;
      output.xp = static_cast<std::uint8_t>(xp);
      output.port = static_cast<std::uint8_t>(port);
      ports_.push_back(std::move(output));
      const Port& connected = crosspoint.ports[port];
      for (unsigned device = connected.first_device; device < device_end(connected); ++device) {
        const std::size_t id = layout_.xp(xp).node_id | port << shift | device;
        if (id >= targets_.size()) targets_.resize(id + 1);
        targets_[id].xp = static_cast<std::uint8_t>(xp);
        targets_[id].port = static_cast<std::uint8_t>(port);
      }
    }
  }
  sends_.resize(static_cast<unsigned>(ports_.size()));
}

const Mesh::Target& Mesh::target_of(std::uint16_t node_id) const {
  if (node_id >= targets_.size() || targets_[node_id].xp == 0xff)
    throw std::invalid_argument(fmt::format("{}: no device has node id {:#x}", basename(), node_id));
  return targets_[node_id];
}

unsigned Mesh::attach(MeshDevice& device) {
  const auto number = static_cast<unsigned>(devices_.size());
  Attached attached;
  attached.device = &device;
  devices_.push_back(std::move(attached));
  calls_.resize(number + 1);
  return number;
}

unsigned Mesh::attach(MeshDevice& device, std::uint16_t node_id) {
  const Target& target = target_of(node_id);
  if (target.device != kNobody)
    throw std::invalid_argument(fmt::format("{}: node id {:#x} is attached already", basename(), node_id));
  const unsigned number = attach(device);
  targets_[node_id].device = static_cast<std::uint16_t>(number);
  devices_[number].node_id = node_id;
  devices_[number].xp = target.xp;
  devices_[number].port_of_xp = target.port;
  devices_[number].port = port_index_[target.xp * kMaximumPorts + target.port];
  ports_[devices_[number].port].devices.push_back(static_cast<std::uint16_t>(number));
  return number;
}

Cycle Mesh::next_to_run() const {
  if (in_cycle_) return engine_.now();
  return std::max(clock_.edges_before(to_picoseconds(sc_core::sc_time_stamp())), engine_.now());
}

void Mesh::call(unsigned device, Cycle when) {
  calls_.call(device, std::max(when, next_to_run() + (in_cycle_ ? 1 : 0)));
  if (!in_cycle_) wake_.notify(sc_core::SC_ZERO_TIME);
}

void Mesh::take(unsigned device) {
  Attached& attached = devices_[device];
  const std::uint32_t handle = attached.first;
  FlightPlan& taken = flit(handle);
  attached.first = taken.next;
  engine_.take(taken.arrival.channel, attached.xp, attached.port_of_xp);
  free_flits_.push_back(handle);
  ++delivered_;
}

std::uint32_t Mesh::new_flit(const FlitFields& fields, Channel channel, std::uint16_t device) {
  if (free_flits_.empty()) {
    const auto first = static_cast<std::uint32_t>(flits_.size() * kFlitsOfChunk);
    flits_.push_back(std::make_unique<FlightPlan[]>(kFlitsOfChunk));
    free_flits_.reserve(flits_.size() * kFlitsOfChunk);
    for (std::uint32_t i = kFlitsOfChunk; i-- > 0;) free_flits_.push_back(first + i);
  }
  const std::uint32_t handle = free_flits_.back();
  free_flits_.pop_back();
  FlightPlan& plan = flit(handle);
  plan.arrival.fields = fields;
  plan.arrival.channel = channel;
  plan.device = device;
  plan.next = kNoFlit;
  plan.latencies = nullptr;
  return handle;
}

void Mesh::enter(Channel channel, unsigned xp, unsigned port, const Flit& entering) {
  ++uploaded_;
  const FlitFields& fields = flit(entering.handle).arrival.fields;
  if (observer_ != nullptr) observer_->on_upload(when_, xp, port, channel, entering.handle, fields);
  pmu_.upload(xp, port, channel, fields, when_);
  if (listener_ != nullptr) [[unlikely]]
    listener_(listener_context_, {when_, xp, port, false, channel, fields});
  engine_.upload(channel, xp, port, entering);
}

void Mesh::upload(Channel channel, unsigned xp, unsigned port, const FlitFields& fields, LatencyHistogram* latencies,
                  Cycle since) {
  const Target& target = target_of(fields.tgtid);
  const std::uint32_t handle = new_flit(fields, channel, kNobody);
  FlightPlan& plan = flit(handle);
  plan.arrival.fields.txnid = kRawTxnId;
  plan.latencies = latencies;
  plan.since = since;
  enter(channel, xp, port, {.handle = handle, .target_xp = target.xp, .target_port = target.port});
}

void Mesh::post(unsigned device, Channel channel, const FlitFields& fields, Cycle ready, bool tell) {
  const Target& target = target_of(fields.tgtid);
  if ((fields.txnid & 1U) != 0) {
    const Channel second = second_sub_channel(channel);
    if (engine_.has(second)) channel = second;
  }
  // What a flit's departure causes cannot leave in the same cycle.
  ready = std::max(ready, next_to_run() + (sending_ ? 1 : 0));
  Attached& attached = devices_[device];
  const std::uint32_t handle = new_flit(fields, channel, fields.txnid == kRawTxnId ? kNobody : target.device);
  flit(handle).arrival.fields.srcid = attached.node_id;
  attached.outboxes[static_cast<unsigned>(channel)].push(
      {.ready = ready, .handle = handle, .tell = tell, .target_xp = target.xp, .target_port = target.port});
  PortOutput& port = ports_[attached.port];
  const auto bit = static_cast<std::uint16_t>(1U << static_cast<unsigned>(channel));
  Cycle& first_ready = port.ready[static_cast<unsigned>(channel)];
  first_ready = (port.posted & bit) != 0 ? std::min(first_ready, ready) : ready;
  port.posted |= bit;
  sends_.call(attached.port, ready);
  if (!in_cycle_) wake_.notify(sc_core::SC_ZERO_TIME);
}

void Mesh::count_holds(unsigned device, Channel channel, unsigned source, unsigned event_id) {
  std::array<HoldEvent, 2>& events = devices_[device].holds.at(static_cast<unsigned>(channel));
  events[events[0].id != 0 ? 1 : 0] = {static_cast<std::uint16_t>(source), static_cast<std::uint16_t>(event_id)};
}

void Mesh::hold(Attached& device, unsigned channel, Cycle now) {
  const Channel main_channel = channel_class(static_cast<Channel>(channel));
  if ((main_channel == Channel::req || main_channel == Channel::dat) && !device.waits_for_other &&
      device.last_port_wait != now) {
    device.last_port_wait = now;
    ++device.port_waits;
  }
  if (observer_ != nullptr) observer_->on_hold(when_, device.node_id, main_channel);
  for (const HoldEvent& event : device.holds[static_cast<unsigned>(main_channel)]) {
    if (event.id != 0) pmu_.node_event(event.source, event.id, kEveryClass, 1, when_);
  }
}

/// @return the next cycle in which the channel needs service, kNoCycle if nothing waits.
Cycle Mesh::send_channel(PortOutput& port, unsigned channel, Cycle now) {
  const auto on = static_cast<Channel>(channel);
  bool free = engine_.ready(on, port.xp, port.port);
  Cycle again = kNoCycle;
  const auto count = static_cast<unsigned>(port.devices.size());
  const unsigned turn = port.turn[channel];
  for (unsigned i = 0; i < count; ++i) {
    const unsigned index = turn + i < count ? turn + i : turn + i - count;
    Attached& attached = devices_[port.devices[index]];
    Outbox& outbox = attached.outboxes[channel];
    if (outbox.empty()) continue;
    if (outbox.front().ready <= now) {
      if (free) {
        free = false;
        const Outbox::Posted posted = outbox.pop();
        port.turn[channel] = static_cast<std::uint8_t>(index + 1 < count ? index + 1 : 0);
        enter(on, port.xp, port.port,
              {.handle = posted.handle, .target_xp = posted.target_xp, .target_port = posted.target_port});
        if (posted.tell) attached.device->sent(on, flit(posted.handle).arrival.fields, now);
      } else {
        hold(attached, channel, now);
      }
      if (outbox.empty()) continue;
    }
    again = std::min(again, std::max(outbox.front().ready, now + 1));
  }
  return again;
}

void Mesh::send(unsigned port_index, Cycle now) {
  PortOutput& port = ports_[port_index];
  Cycle again = kNoCycle;
  for (unsigned channels = port.posted; channels != 0; channels &= channels - 1) {
    const auto channel = static_cast<unsigned>(std::countr_zero(channels));
    Cycle& ready = port.ready[channel];
    if (ready <= now) {
      const auto bit = static_cast<std::uint16_t>(1U << channel);
      port.posted = static_cast<std::uint16_t>(port.posted & ~bit);
      const Cycle next = send_channel(port, channel, now);
      // A device called by sent() may post more, which sets the bit again.
      if (next != kNoCycle) {
        ready = (port.posted & bit) != 0 ? std::min(ready, next) : next;
        port.posted |= bit;
      }
      if ((port.posted & bit) == 0) continue;
    }
    again = std::min(again, ready);
  }
  if (again != kNoCycle) sends_.call(port_index, again);
}

void Mesh::deliver(const Delivery& delivery) {
  FlightPlan& plan = flit(delivery.flit.handle);
  if (plan.device == kNobody) {
    if (plan.latencies != nullptr) plan.latencies->add(engine_.now() - plan.since);
    engine_.take(delivery.channel, delivery.xp, delivery.port);
    free_flits_.push_back(delivery.flit.handle);
    ++delivered_;
    return;
  }
  Attached& attached = devices_[plan.device];
  (attached.first == kNoFlit ? attached.first : flit(attached.last).next) = delivery.flit.handle;
  attached.last = delivery.flit.handle;
  attached.device->prepare(plan.arrival);
  calls_.call(plan.device, engine_.now());
}

void Mesh::set_observer(MeshObserver* observer) {
  observer_ = observer;
  engine_.watch_everything(observer_ != nullptr || listener_ != nullptr);
}

void Mesh::listen(void (*function)(void* context, const PortFlit& flit), void* context) {
  listener_ = function;
  listener_context_ = context;
  engine_.watch_everything(observer_ != nullptr || listener_ != nullptr);
}

void Mesh::run() {
  const Picoseconds present = simulated_time();
  const Cycle edge = clock_.edges_before(present);
  Picoseconds reached = present;
  if (clock_.time_of_edge(edge) == present && edge >= engine_.now()) {
    run_cycle(edge, present);
    if (!in_step_ && listener_ == nullptr && !pmu_.is_heard()) run_ahead(present);
    reached = when_;
  }
  const Cycle from = std::max(engine_.now(), edge);
  const Cycle next = next_with_work();
  if (is_long_sleep(from, next)) pmu_.watch_occupancies(reached);
  // A call from elsewhere wakes the mesh before that.
  if (next != kNoCycle) wake_.notify(to_sc_time(clock_.time_of_edge(std::max(next, from)) - present));
}

void Mesh::run_cycle(Cycle now, Picoseconds when) {
  when_ = when;
  in_cycle_ = true;
  cycle(now);
  in_cycle_ = false;
}

void Mesh::run_ahead(Picoseconds present) {
  for (unsigned done = 1; done < kCyclesAtOnce; ++done) {
    const Cycle next = next_with_work();
    if (is_long_sleep(engine_.now(), next)) return;
    const Cycle now = std::max(next, engine_.now());
    const Picoseconds when = clock_.time_of_edge(now);
    // A cycle may have set an alarm, so ask again.
    if (when - present >= time_to_activity()) return;
    run_cycle(now, when);
    ++cycles_ahead_;
  }
}

void Mesh::show_downloads(std::span<const MeshPulse> pulses) {
  for (const MeshPulse& pulse : pulses) {
    if (pulse.event != FlitEvent::valid || !is_port(pulse.interface)) continue;
    const FlitFields& fields = flit(pulse.handle).arrival.fields;
    pmu_.download(pulse.xp, port_of(pulse.interface), pulse.channel, fields, when_);
    if (listener_ != nullptr) [[unlikely]]
      listener_(listener_context_, {when_, pulse.xp, port_of(pulse.interface), true, pulse.channel, fields});
  }
}

void Mesh::cycle(Cycle now) {
  engine_.skip_to(now);
  pmu_.look_at_tallies(now);
  if (observer_ != nullptr) observer_->on_begin(when_);
  calls_.visit(now, [&](unsigned device) {
    devices_[device].device->run(now);
    if (devices_[device].first != kNoFlit) calls_.call(device, now + 1);
  });
  sending_ = true;
  sends_.visit(now, [&](unsigned port) { send(port, now); });
  sending_ = false;
  engine_.step();
  const std::span<const MeshPulse> pulses = engine_.pulses();
  if (observer_ != nullptr && !pulses.empty()) observer_->on_cycle(when_, pulses);
  if (listener_ != nullptr || pmu_.sees_downloads()) show_downloads(pulses);
  pmu_.pulses(pulses, when_);
  // The flit is cold in cache by now, so prefetch it.
  for (const Delivery& delivery : engine_.delivered()) flit(delivery.flit.handle).prefetch();
  for (const Delivery& delivery : engine_.delivered()) deliver(delivery);
  if (now >= next_settle_) {
    pmu_.settle_occupancies(when_);
    next_settle_ = now + kSettlePeriod;
  }
}

}  // namespace pmufab::cmn
