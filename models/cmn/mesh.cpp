#include "models/cmn/mesh.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "models/cmn/topology_check.h"

namespace pmufab::cmn {

namespace {

constexpr std::size_t kFirstFlits = 1024;  // room made before the first is sent
constexpr unsigned kDevicesOfPort = 4;

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
  flits_.reserve(kFirstFlits);
  free_flits_.reserve(kFirstFlits);
  pmu_.on_watch([this](unsigned xp, Interface interface, Channel channel, FlitEvent event, bool on) {
    if (engine_.has(channel)) engine_.watch(xp, interface, channel, event, on);
  });
  SC_METHOD(run);
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
  return parameters;
}

void Mesh::find_targets() {
  for (unsigned xp = 0; xp < layout_.xps(); ++xp) {
    const Crosspoint& crosspoint = topology_.crosspoints[xp];
    const unsigned shift = device_bits(topology_, crosspoint);
    for (unsigned port = 0; port < crosspoint.ports.size(); ++port) {
      if (crosspoint.ports[port].device == DeviceType::none) continue;
      for (unsigned device = 0; device < std::min(kDevicesOfPort, 1U << shift); ++device) {
        const std::size_t id = layout_.xp(xp).node_id | port << shift | device;
        if (id >= targets_.size()) targets_.resize(id + 1, kNowhere);
        targets_[id] = {static_cast<std::uint8_t>(xp), static_cast<std::uint8_t>(port)};
      }
    }
  }
}

void Mesh::add_source(MeshSource& source) {
  sources_.push_back(&source);
  wake();
}

void Mesh::wake() { wake_.notify(sc_core::SC_ZERO_TIME); }

void Mesh::set_observer(MeshObserver* observer) {
  observer_ = observer;
  engine_.watch_everything(observer != nullptr);
}

void Mesh::upload(Channel channel, unsigned xp, unsigned port, const FlitFields& fields) {
  const Target target = fields.tgtid < targets_.size() ? targets_[fields.tgtid] : kNowhere;
  if (target.xp == kNowhere.xp)
    throw std::invalid_argument(fmt::format("{}: no device has node id {:#x}", basename(), fields.tgtid));
  std::uint32_t handle = 0;
  if (free_flits_.empty()) {
    handle = static_cast<std::uint32_t>(flits_.size());
    flits_.push_back(fields);
  } else {
    handle = free_flits_.back();
    free_flits_.pop_back();
    flits_[handle] = fields;
  }
  // `fields` may have been a flit's of the mesh, which has moved if the list grew.
  const FlitFields& sent = flits_[handle];
  ++uploaded_;
  if (observer_ != nullptr) observer_->on_upload(when_, xp, port, channel, handle, sent);
  pmu_.upload(xp, port, channel, sent, when_);
  engine_.upload(channel, xp, port,
                 {.handle = handle, .target_xp = target.xp, .target_port = target.port, .output = 0});
}

void Mesh::run() {
  const Picoseconds now = to_picoseconds(sc_core::sc_time_stamp());
  const Cycle edge = clock_.edges_before(now);
  if (clock_.time_of_edge(edge) == now && edge >= engine_.now()) {
    when_ = now;
    cycle(edge);
  }
  const Cycle from = std::max(engine_.now(), edge);
  Cycle next = engine_.next_cycle();
  for (const MeshSource* source : sources_) next = std::min(next, source->next_cycle(from));
  if (next == kNoCycle) {
    next_trigger(wake_);
  } else {
    next_trigger(to_sc_time(clock_.time_of_edge(std::max(next, from)) - now), wake_);
  }
}

void Mesh::cycle(Cycle now) {
  engine_.skip_to(now);
  for (MeshSource* source : sources_) source->run(*this, now);
  engine_.step();
  for (const MeshPulse& pulse : engine_.pulses()) {
    if (observer_ != nullptr) {
      if (pulse.event == FlitEvent::valid) {
        observer_->on_transmit(when_, pulse.xp, pulse.interface, pulse.channel, pulse.handle);
      } else {
        observer_->on_stall(when_, pulse.xp, pulse.interface, pulse.channel);
      }
    }
    if (pulse.event == FlitEvent::valid && is_port(pulse.interface))
      pmu_.download(pulse.xp, port_of(pulse.interface), pulse.channel, flits_[pulse.handle], when_);
  }
  pmu_.pulses(engine_.pulses(), when_);
  for (const Delivery& delivery : engine_.delivered()) {
    engine_.take(delivery.channel, delivery.xp, delivery.port);
    free_flits_.push_back(delivery.flit.handle);
    ++delivered_;
  }
}

}  // namespace pmufab::cmn
