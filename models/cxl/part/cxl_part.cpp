// SPDX-License-Identifier: Apache-2.0
#include "models/cxl/part/cxl_part.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace pmufab::platform {
namespace {

constexpr unsigned kLeastDecoders = 4;  // of the host bridge
constexpr const char* kHostBridge = "cxl_host_bridge";

cxl::Type3Parameters register_parameters(const CxlDeviceSpec& spec) {
  constexpr std::uint64_t kCapacityStep = std::uint64_t{256} << 20;
  cxl::Type3Parameters parameters = spec.registers;
  std::uint64_t capacity = 0;
  for (const CxlDecoderSpec& decoder : spec.decoders) capacity += decoder.size / decoder.interleave.ways;
  parameters.memory.volatile_capacity = std::max(capacity, kCapacityStep);
  if (spec.decoders.size() > parameters.hdm_decoders) {
    // The capability can encode even numbers, and 1.
    parameters.hdm_decoders = static_cast<unsigned>((spec.decoders.size() + 1) / 2 * 2);
  }
  parameters.blocks.clear();
  for (const cxl::BlockId block : locator_of(spec)) parameters.blocks.push_back({block});
  return parameters;
}

/// @return the event group for an event capability of the specification.
cxl::EventGroup make_group(const CxlGroupSpec& spec, const cxl::MessageProbes& probes,
                           const std::vector<cxl::EventGroup>& groups) {
  if (spec.vendor != cxl::kCxlVendor) {
    cxl::EventGroup group{.vendor = spec.vendor, .group = spec.group};
    for (const CxlVendorEvent& event : spec.events) {
      group.supported |= 1U << event.bit;
      group.sources.push_back({event.bit, probes.probe(event.message_class, event.opcode)});
    }
    return group;
  }
  if (spec.group == 0) return {.supported = 1};  // clock ticks
  return *std::find_if(groups.begin(), groups.end(),
                       [&](const cxl::EventGroup& group) { return group.group == spec.group; });
}

}  // namespace

CxlPart::Root::Root(const std::string& name, cxl::Engine& engine, const CxlDeviceSpec& spec)
    : link(name, engine, spec.link), host(name + ".host", engine, link, map, spec.host) {}

CxlPart::Device::Device(const std::string& name, cxl::Engine& engine, const CxlDeviceSpec& spec, cxl::Link& its_link,
                        cxl::Host& its_host)
    : link(its_link),
      host(its_host),
      registers(std::make_unique<cxl::Type3Device>(name.c_str(), register_parameters(spec))),
      memory(name, engine, link, map, spec.memory),
      cache(spec.cache ? std::make_unique<cxl::DeviceCache>(engine, link, memory, *spec.cache) : nullptr) {
  for (unsigned decoder = 0; decoder < spec.decoders.size(); ++decoder)
    map.set(decoder, {.coherency = spec.decoders[decoder].coherency});
  registers->follow(map);
}

struct CxlPart::Switch {
  Switch(const std::string& name, cxl::Engine& engine, cxl::Link& above, Picoseconds latency)
      : fabric(name, engine, above, map, latency) {}

  cxl::HdmMap map;
  cxl::Switch fabric;
  cxl::PortFunction* upstream = nullptr;
  std::deque<cxl::Link> links;
};

CxlPart::CxlPart(const std::vector<CxlDeviceSpec>& branches)
    : specs_(branches),
      places_(devices_of(specs_)),
      bridge_registers_(kHostBridge, cxl::ComponentKind::host_bridge,
                        cxl::ComponentRegisters::bridge_decoders(
                            std::max(kLeastDecoders, static_cast<unsigned>(ranges_of(places_).size()))),
                        0, static_cast<unsigned>(specs_.size())) {
  // Room for every possible bus; the window is only as large as needed.
  unsigned buses = 0;
  for (const CxlDeviceSpec& branch : specs_)
    buses += branch.below ? 2 + static_cast<unsigned>(branch.below->devices.size()) : 1;
  ecam_ = std::make_unique<pcie::Ecam>("cxl_ecam", std::uint8_t{0}, static_cast<std::uint8_t>(buses));
  for (unsigned index = 0; index < specs_.size(); ++index) add_root(index, specs_[index]);
  for (std::size_t index = 0; index < components_.size(); ++index)
    components_[index].bar = default_map::kCxlBars + index * default_map::kCxlBarStride;
  for (const Component& component : components_) {
    if (component.kind == Kind::device) devices_[component.number]->bar = component.bar;
  }
  share_ranges();
  configure();
}

CxlPart::~CxlPart() = default;

std::size_t CxlPart::add_port(Kind kind, unsigned number, unsigned port, const std::vector<CxlCpmuSpec>& cpmus,
                              const CxlDeviceSpec& spec, unsigned downstream_ports) {
  std::string name = kind == Kind::root_port       ? fmt::format("cxl_rp{}", number)
                     : kind == Kind::upstream_port ? fmt::format("cxl_usp{}", number)
                                                   : fmt::format("cxl_dsp{}_{}", number, port);
  cxl::PortParameters parameters;
  parameters.type = kind == Kind::root_port       ? pcie::PortType::root_port
                    : kind == Kind::upstream_port ? pcie::PortType::switch_upstream_port
                                                  : pcie::PortType::switch_downstream_port;
  parameters.vendor_id = spec.registers.vendor_id;
  parameters.device_id = static_cast<std::uint16_t>(0x0010 + static_cast<unsigned>(kind));
  parameters.number = static_cast<std::uint8_t>(kind == Kind::root_port ? number : port);
  parameters.link = spec.registers.link;
  parameters.cpmus = static_cast<unsigned>(cpmus.size());
  parameters.downstream_ports = downstream_ports;
  ports_.push_back(std::make_unique<cxl::PortFunction>(name.c_str(), parameters));
  Component& component =
      components_.emplace_back(Component{kind, number, port, std::move(name), &cpmus, &ports_.back()->function()});
  for (unsigned cpmu = 0; cpmu < cpmus.size(); ++cpmu) component.blocks.push_back(cxl::PortFunction::cpmu_offset(cpmu));
  component.registers = &ports_.back()->component();
  return components_.size() - 1;
}

void CxlPart::add_root(unsigned index, const CxlDeviceSpec& spec) {
  const std::size_t number = add_port(Kind::root_port, index, 0, spec.port.cpmus, spec, 0);
  cxl::PortFunction& port = *ports_.back();
  ecam_->attach(index, 0, port.function());
  // The link has the name of the device at its end. Parts act in the order in which they are made.
  const std::string name =
      spec.below ? fmt::format("cxl_usp{}", switches_.size()) : fmt::format("cxl{}", devices_.size());
  Root& root = *roots_.emplace_back(std::make_unique<Root>(name, engine_, spec));
  bridge_.add(root.host);
  bridges_.push_back({&port, 0, ++last_bus_, 0, components_.size()});
  Bridge& bridge = bridges_.back();
  if (spec.below) {
    add_switch(number, spec);
  } else {
    add_device(number, root.link, root, spec);
  }
  bridge.subordinate = last_bus_;
  bridge.end = components_.size();
  const bool cache = spec.below ? spec.below->devices.front().cache.has_value() : spec.cache.has_value();
  add_cpmus(
      components_[number], root.host.probes().event_groups(cache),
      [&port](unsigned cpmu, cxl::Cpmu& block) { port.attach_cpmu(cpmu, block.socket); },
      [&port](unsigned message) { port.signal(message); }, root.host.probes());
}

void CxlPart::add_switch(std::size_t root, const CxlDeviceSpec& spec) {
  const CxlSwitchSpec& below = *spec.below;
  Root& its_root = *roots_.back();
  const auto number = static_cast<unsigned>(switches_.size());
  Switch& cxl_switch = *switches_.emplace_back(
      std::make_unique<Switch>(fmt::format("cxl_switch{}", number), engine_, its_root.link, below.forward_latency));
  const std::size_t upstream =
      add_port(Kind::upstream_port, number, 0, below.cpmus, spec, static_cast<unsigned>(below.devices.size()));
  cxl_switch.upstream = ports_.back().get();
  cxl::PortFunction& upper = *cxl_switch.upstream;
  bridges_.back().port->function().attach(0, 0, upper.function());
  wires_.push_back({&its_root.link, static_cast<unsigned>(root), static_cast<unsigned>(upstream)});
  const std::uint8_t above = last_bus_;
  bridges_.push_back({&upper, above, ++last_bus_, 0, components_.size()});
  Bridge& bridge = bridges_.back();
  const bool cache = below.devices.front().cache.has_value();
  for (unsigned port = 0; port < below.devices.size(); ++port) {
    const CxlDeviceSpec& device = below.devices[port];
    const std::size_t lower = add_port(Kind::downstream_port, number, port, device.port.cpmus, device, 0);
    cxl::PortFunction& downstream = *ports_.back();
    upper.function().attach(port, 0, downstream.function());
    cxl::Link& link = cxl_switch.links.emplace_back(fmt::format("cxl{}", devices_.size()), engine_, device.link);
    cxl_switch.fabric.add_downstream(link);
    bridges_.push_back({&downstream, bridge.secondary, ++last_bus_, last_bus_, components_.size()});
    add_device(lower, link, its_root, device);
    bridges_.back().end = components_.size();
    cxl::MessageProbes& probes = cxl_switch.fabric.downstream_probes(port);
    add_cpmus(
        components_[lower], probes.event_groups(device.cache.has_value()),
        [&downstream](unsigned cpmu, cxl::Cpmu& block) { downstream.attach_cpmu(cpmu, block.socket); },
        [&downstream](unsigned message) { downstream.signal(message); }, probes);
  }
  bridge.subordinate = last_bus_;
  bridge.end = components_.size();
  cxl::MessageProbes& probes = cxl_switch.fabric.upstream_probes();
  add_cpmus(
      components_[upstream], probes.event_groups(cache),
      [&upper](unsigned cpmu, cxl::Cpmu& block) { upper.attach_cpmu(cpmu, block.socket); },
      [&upper](unsigned message) { upper.signal(message); }, probes);
}

void CxlPart::add_device(std::size_t above, cxl::Link& link, Root& root, const CxlDeviceSpec& spec) {
  const auto number = static_cast<unsigned>(devices_.size());
  const std::string name = fmt::format("cxl{}", number);
  Device& device = *devices_.emplace_back(std::make_unique<Device>(name, engine_, spec, link, root.host));
  device.port = &bridges_.back().port->function();
  device.port->attach(0, 0, device.registers->function());
  wires_.push_back({&link, static_cast<unsigned>(above), static_cast<unsigned>(components_.size())});
  Component& component =
      components_.emplace_back(Component{Kind::device, number, 0, name, &spec.cpmus, &device.registers->function()});
  const std::vector<cxl::BlockId> locator = locator_of(spec);
  for (unsigned entry = 0; entry < locator.size(); ++entry) {
    if (locator[entry] == cxl::BlockId::cpmu) component.blocks.push_back(device.registers->block_offset(entry));
    if (locator[entry] == cxl::BlockId::component) component.registers_offset = device.registers->block_offset(entry);
  }
  component.registers = &device.registers->component();
  add_cpmus(
      component, device.memory.event_groups(device.cache != nullptr),
      [&device](unsigned cpmu, cxl::Cpmu& block) { device.registers->attach_cpmu(cpmu, block.socket); },
      [&device](unsigned message) { device.registers->signal(message); }, device.memory.probes());
  for (const auto& cpmu : component.cpmus) device.cpmus.push_back(cpmu.get());
}

void CxlPart::add_cpmus(Component& component, const std::vector<cxl::EventGroup>& known,
                        const std::function<void(unsigned cpmu, cxl::Cpmu& block)>& attach,
                        const std::function<void(unsigned message)>& signal, cxl::MessageProbes& probes) {
  component.messages = &probes;
  for (unsigned number = 0; number < component.specs->size(); ++number) {
    const CxlCpmuSpec& spec = (*component.specs)[number];
    std::vector<cxl::EventGroup> groups;
    for (const CxlGroupSpec& group : spec.groups) groups.push_back(make_group(group, probes, known));
    const std::string name = fmt::format("{}_cpmu{}", component.name, number);
    cxl::Cpmu& block =
        *component.cpmus.emplace_back(std::make_unique<cxl::Cpmu>(name.c_str(), spec.parameters, std::move(groups)));
    attach(number, block);
    block.on_interrupt([signal, message = spec.parameters.message_number] { signal(message); });
    // Applies to every reset of the function, also one that software starts by its port or by the function itself.
    component.function->on_reset([&block](pcie::ResetKind) { block.reset(); });
  }
}

/// The root ports of a range, ascending.
std::vector<unsigned> CxlPart::roots_of(const CxlRangeSpec& range) const {
  std::vector<unsigned> roots;
  for (const unsigned device : range.devices) {
    if (roots.empty() || roots.back() != places_[device].root) roots.push_back(places_[device].root);
  }
  return roots;
}

/// The ranges as hosts know them. They stay, even if software changes decoders.
void CxlPart::share_ranges() {
  std::vector<unsigned> next(roots_.size());
  for (const CxlRangeSpec& range : ranges_of(places_)) {
    const CxlDecoderSpec& decoder = range.decoder;
    const std::vector<unsigned> below = roots_of(range);
    for (const unsigned root : below)
      roots_[root]->map.set(next[root]++, {.base = decoder.base, .size = decoder.size, .coherency = decoder.coherency});
  }
  bridge_.follow(bridge_registers_);
  // A switch ignores coherency: the registers hold all it needs.
  for (const auto& cxl_switch : switches_) cxl_switch->upstream->follow(cxl_switch->map);
}

void CxlPart::configure() {
  for (const Component& component : components_) component.function->assign_bar(0, component.bar);
  for (const Bridge& bridge : bridges_) {
    bridge.port->function().assign_buses(bridge.primary, bridge.secondary, bridge.subordinate);
    const std::uint64_t size = (bridge.end - bridge.first) * default_map::kCxlBarStride;
    bridge.port->assign_window(default_map::kCxlBars + bridge.first * default_map::kCxlBarStride, size);
  }
  for (std::size_t device = 0; device < devices_.size(); ++device) {
    const std::vector<CxlDecoderSpec>& decoders = places_[device].spec->decoders;
    for (unsigned decoder = 0; decoder < decoders.size(); ++decoder) {
      const CxlDecoderSpec& range = decoders[decoder];
      devices_[device]->registers->program_decoder(
          decoder, {.base = range.base, .size = range.size, .interleave = range.interleave});
    }
  }
  configure_bridge();
  std::vector<unsigned> next(switches_.size());
  for (const CxlRangeSpec& range : ranges_of(places_)) {
    for (unsigned number = 0; number < switches_.size(); ++number) {
      cxl::HdmDecoderSettings settings{.base = range.decoder.base, .size = range.decoder.size};
      unsigned ways = 0;
      for (const unsigned device : range.devices) {
        if (places_[device].switch_number == number)
          settings.targets[ways++] = static_cast<std::uint8_t>(places_[device].port);
      }
      if (ways == 0) continue;
      settings.interleave = {ways, ways == 1 ? 256 : range.decoder.interleave.granularity};
      switches_[number]->upstream->component().program(next[number]++, settings);
    }
  }
}

void CxlPart::configure_bridge() {
  unsigned next = 0;
  for (const CxlRangeSpec& range : ranges_of(places_)) {
    const CxlDecoderSpec& decoder = range.decoder;
    const std::vector<unsigned> roots = roots_of(range);
    const auto ways = static_cast<unsigned>(roots.size());
    cxl::HdmDecoderSettings settings{.base = decoder.base, .size = decoder.size};
    settings.interleave = {ways, ways == 1 ? 256 : decoder.interleave.granularity * decoder.interleave.ways / ways};
    // check_interleave() allows no more ways than there are targets; g++ 14 recognises that only with at().
    for (unsigned way = 0; way < ways; ++way) settings.targets.at(way) = static_cast<std::uint8_t>(roots[way]);
    bridge_registers_.program(next++, settings);
  }
}

void CxlPart::map(MmioBus& bus) {
  bus.map("cxl_ecam", default_map::kEcam, ecam_->size(), ecam_->socket);
  bus.map(kHostBridge, default_map::kCxlHostBridge, cxl::ComponentRegisters::kSize, bridge_registers_.socket);
  for (const Component& component : components_) {
    pcie::Function& function = *component.function;
    bus.map(component.name, component.bar, function.bar_size(0), function.socket(0));
  }
}

void CxlPart::describe(FirmwareDescription& firmware) {
  firmware.pci_segments.push_back(
      {.number = 0,
       .ecam_base = default_map::kEcam,
       .first_bus = 0,
       .last_bus = ecam_->last_bus(),
       .node = 0,
       .cxl_registers = MemoryResource{default_map::kCxlHostBridge, cxl::ComponentRegisters::kSize}});
  for (const CxlRangeSpec& range : ranges_of(places_)) {
    firmware.cxl_windows.push_back({.base = range.decoder.base,
                                    .size = range.decoder.size,
                                    .segment = 0,
                                    .host_only = range.decoder.coherency == cxl::Coherency::hdm_h});
  }
  firmware.msi.address = default_map::kMessageDoorbell;
  for (const Component& component : components_) firmware.msi.sources.push_back(&component.function->messages());
}

void CxlPart::reset() {
  ecam_->reset(pcie::ResetKind::conventional);
  bridge_registers_.reset();
  configure();
}

bool CxlPart::can_reset(const std::string& window) const {
  return std::any_of(components_.begin(), components_.end(),
                     [&](const Component& component) { return component.name == window; });
}

void CxlPart::reset_window(const std::string& window) {
  for (const Component& component : components_) {
    if (component.name != window) continue;
    for (const auto& cpmu : component.cpmus) cpmu->reset();
  }
}

void CxlPart::add_registers(std::vector<NamedRegisters>& banks) const {
  banks.push_back(registers_of(kHostBridge, default_map::kCxlHostBridge, bridge_registers_.bank()));
  for (const Component& component : components_) {
    banks.push_back(registers_of(component.name + ".component", component.bar + component.registers_offset,
                                 component.registers->bank()));
    for (std::size_t number = 0; number < component.cpmus.size(); ++number) {
      banks.push_back(registers_of(fmt::format("{}.cpmu{}", component.name, number),
                                   cpmu_address(component, static_cast<unsigned>(number)),
                                   component.cpmus[number]->bank()));
    }
  }
}

std::uint64_t CxlPart::pending() const {
  std::uint64_t sum = 0;
  for (const auto& root : roots_) sum += root->host.pending();
  for (const auto& cxl_switch : switches_) sum += cxl_switch->fabric.pending();
  for (const Wire& wire : wires_) sum += wire.link->pending();
  for (const auto& device : devices_) {
    sum += device->memory.pending();
    if (device->cache) sum += device->cache->pending();
  }
  return sum;
}

std::uint64_t CxlPart::cpmu_address(std::size_t device, unsigned cpmu) const {
  const auto found = std::find_if(components_.begin(), components_.end(), [device](const Component& component) {
    return component.kind == Kind::device && component.number == device;
  });
  return cpmu_address(*found, cpmu);
}

PartClaims CxlSpec::claims(const PlatformSpec& /*platform*/) const {
  PartClaims claims;
  if (devices.empty()) return claims;
  claims.segments.push_back({0, "the CXL components", {}, "another segment"});
  claims.windows = {
      {"configuration space of PCI segment 0", default_map::kEcam, default_map::kPcieEcamOfSegment},
      {"BARs of CXL components", default_map::kCxlBars, default_map::kCxlBarsSize},
      {"component registers of the CXL host bridge", default_map::kCxlHostBridge, cxl::ComponentRegisters::kSize}};
  for (const CxlDevicePlace& place : devices_of(devices)) {
    for (std::size_t index = 0; index < place.spec->decoders.size(); ++index) {
      const CxlDecoderSpec& decoder = place.spec->decoders[index];
      claims.windows.push_back({"memory of CXL devices", decoder.base, decoder.size,
                                fmt::format("{}.decoders[{}].base", place.field, index),
                                PartClaims::Window::Kind::memory});
    }
  }
  return claims;
}

void CxlSpec::make(const PlatformSpec& /*platform*/, PlatformParts& parts) const {
  if (!devices.empty()) parts.push_back(std::make_unique<CxlPart>(devices));
}

}  // namespace pmufab::platform
