#include "models/platform/cxl_part.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace pmufab::platform {
namespace {

std::uint64_t bar_address(std::size_t device) { return default_map::kCxlBars + device * default_map::kCxlBarStride; }

pcie::FunctionParameters port_parameters(const CxlDeviceSpec& spec) {
  pcie::FunctionParameters parameters;
  parameters.vendor_id = spec.registers.vendor_id;
  parameters.device_id = 0x0010;
  parameters.class_code = 0x060400;  // PCI-to-PCI bridge
  parameters.type = pcie::PortType::root_port;
  parameters.link = spec.registers.link;
  return parameters;
}

cxl::Type3Parameters register_parameters(const CxlDeviceSpec& spec) {
  constexpr std::uint64_t kCapacityStep = std::uint64_t{256} << 20;
  cxl::Type3Parameters parameters = spec.registers;
  std::uint64_t capacity = 0;
  for (const CxlDecoderSpec& decoder : spec.decoders) capacity += decoder.size;
  parameters.memory.volatile_capacity = std::max(capacity, kCapacityStep);
  if (spec.decoders.size() > parameters.hdm_decoders) {
    // The capability can tell even numbers, and 1.
    parameters.hdm_decoders = static_cast<unsigned>((spec.decoders.size() + 1) / 2 * 2);
  }
  parameters.blocks.assign({{cxl::BlockId::component}, {cxl::BlockId::device}});
  parameters.blocks.insert(parameters.blocks.end(), spec.cpmus.size(), {cxl::BlockId::cpmu});
  return parameters;
}

/// The event capability a specification asks for.
cxl::EventGroup make_group(const CxlGroupSpec& spec, CxlPart::Device& device,
                           const std::vector<cxl::EventGroup>& groups) {
  if (spec.vendor != cxl::kCxlVendor) {
    cxl::EventGroup group{.vendor = spec.vendor, .group = spec.group};
    for (const CxlVendorEvent& event : spec.events) {
      group.supported |= 1U << event.bit;
      group.sources.push_back({event.bit, device.memory.probes().probe(event.message_class, event.opcode)});
    }
    return group;
  }
  if (spec.group == 0) return {.supported = 1};  // clock ticks
  return *std::find_if(groups.begin(), groups.end(),
                       [&](const cxl::EventGroup& group) { return group.group == spec.group; });
}

}  // namespace

CxlPart::Device::Device(const std::string& name, cxl::Engine& engine, const CxlDeviceSpec& spec)
    : port(std::make_unique<pcie::Function>((name + "_port").c_str(), port_parameters(spec))),
      registers(std::make_unique<cxl::Type3Device>(name.c_str(), register_parameters(spec))),
      link(name, engine, spec.link),
      host(name + ".host", engine, link, map, spec.host),
      memory(name, engine, link, map, spec.memory),
      cache(spec.cache ? std::make_unique<cxl::DeviceCache>(engine, link, memory, *spec.cache) : nullptr) {
  port->attach(0, 0, registers->function());
  registers->component().on_claim([this, decoders = spec.decoders](unsigned decoder, const cxl::HdmClaim& claim) {
    cxl::HdmRange range{claim.base, claim.size, claim.device_base, claim.interleave};
    if (decoder < decoders.size()) range.coherency = decoders[decoder].coherency;
    map.set(decoder, range);
  });
}

CxlPart::CxlPart(const std::vector<CxlDeviceSpec>& specs)
    : specs_(specs), ecam_("cxl_ecam", 0, static_cast<std::uint8_t>(specs.size())) {
  for (unsigned index = 0; index < specs_.size(); ++index) {
    devices_.push_back(std::make_unique<Device>(fmt::format("cxl{}", index), engine_, specs_[index]));
    ecam_.attach(index, 0, *devices_.back()->port);
    make_cpmus(index);
  }
  configure();
}

CxlPart::~CxlPart() = default;

void CxlPart::make_cpmus(unsigned index) {
  const CxlDeviceSpec& spec = specs_[index];
  Device& device = *devices_[index];
  const std::vector<cxl::EventGroup> known = device.memory.event_groups(device.cache != nullptr);
  for (const cxl::EventGroup& group : known) {
    for (const cxl::EventSource& source : group.sources) device.probes.push_back(source.probe);
  }
  for (unsigned number = 0; number < spec.cpmus.size(); ++number) {
    const CxlCpmuSpec& cpmu = spec.cpmus[number];
    std::vector<cxl::EventGroup> groups;
    for (const CxlGroupSpec& group : cpmu.groups) groups.push_back(make_group(group, device, known));
    device.cpmus.push_back(
        std::make_unique<cxl::Cpmu>(fmt::format("cxl{}_cpmu{}", index, number).c_str(), cpmu.parameters, groups));
    device.registers->attach_cpmu(number, device.cpmus.back()->socket);
    device.cpmus.back()->on_interrupt(
        [&device, message = cpmu.parameters.message_number] { device.registers->signal(message); });
    // Whoever resets the device: also software, by its port or by itself.
    device.registers->function().on_reset([block = device.cpmus.back().get()](pcie::ResetKind) { block->reset(); });
  }
}

void CxlPart::configure() {
  for (std::size_t index = 0; index < devices_.size(); ++index) {
    Device& device = *devices_[index];
    const auto bus = static_cast<std::uint8_t>(1 + index);
    device.port->assign_buses(0, bus, bus);
    device.registers->function().assign_bar(cxl::Type3Device::kBar, bar_address(index));
    for (unsigned decoder = 0; decoder < specs_[index].decoders.size(); ++decoder) {
      const CxlDecoderSpec& range = specs_[index].decoders[decoder];
      device.registers->program_decoder(decoder, {.base = range.base, .size = range.size});
    }
  }
}

void CxlPart::map(MmioBus& bus) {
  bus.map("cxl_ecam", default_map::kEcam, ecam_.size(), ecam_.socket);
  for (std::size_t index = 0; index < devices_.size(); ++index) {
    pcie::Function& function = devices_[index]->registers->function();
    bus.map(fmt::format("cxl{}", index), bar_address(index), function.bar_size(cxl::Type3Device::kBar),
            function.socket(cxl::Type3Device::kBar));
  }
}

void CxlPart::describe(FirmwareDescription& firmware) {
  firmware.pci_segments.push_back(
      {.number = 0, .ecam_base = default_map::kEcam, .first_bus = 0, .last_bus = ecam_.last_bus(), .node = 0});
  firmware.msi.address = default_map::kMessageDoorbell;
  for (const auto& device : devices_) {
    firmware.msi.sources.push_back(&device->port->messages());
    firmware.msi.sources.push_back(&device->registers->function().messages());
  }
}

void CxlPart::reset() {
  ecam_.reset(pcie::ResetKind::conventional);
  configure();
}

void CxlPart::add_registers(std::vector<NamedRegisters>& banks) const {
  for (std::size_t index = 0; index < devices_.size(); ++index) {
    for (std::size_t number = 0; number < devices_[index]->cpmus.size(); ++number) {
      const cxl::Cpmu* const cpmu = devices_[index]->cpmus[number].get();
      banks.push_back({fmt::format("cxl{}.cpmu{}", index, number),
                       [cpmu](std::ostream& out, Picoseconds when) { cpmu->dump_text(out, when); },
                       [cpmu](Picoseconds when) { return nlohmann::json::array({cpmu->dump_json(when)}); },
                       [cpmu](std::ostream& out) { cpmu->dump_markdown(out); }});
    }
  }
}

void CxlPart::add_probes(std::vector<Probe*>& probes) {
  for (const auto& device : devices_) probes.insert(probes.end(), device->probes.begin(), device->probes.end());
}

std::uint64_t CxlPart::cpmu_address(std::size_t device, unsigned cpmu) const {
  constexpr unsigned kBlocksBefore = 2;  // component and device registers
  return bar_address(device) + devices_.at(device)->registers->block_offset(kBlocksBefore + cpmu);
}

}  // namespace pmufab::platform
