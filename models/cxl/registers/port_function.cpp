// SPDX-License-Identifier: Apache-2.0
#include "models/cxl/registers/port_function.h"

#include <bit>

#include <fmt/format.h>

#include "models/cxl/cpmu/event_group.h"
#include "models/cxl/registers/type3_parameters.h"
#include "models/pcie/express_capability.h"
#include "tlm/spec/spec_error.h"

namespace pmufab::cxl {
namespace {

constexpr unsigned kMostCpmus = 32;
constexpr unsigned kVectors = 16;  // as many as a CPMU can select
constexpr std::uint32_t kClassBridge = 0x060400;
constexpr std::uint8_t kExpress = 0x10;  // PCI Express capability
constexpr unsigned kPortNumber = 0x0f;   // in it: the highest byte of the link capabilities

// DVSECs of ports (CXL 3.1, 8.1.5, 8.1.6, 8.1.8, 8.1.9).
constexpr std::uint16_t kExtensions = 3;
constexpr unsigned kExtensionsBytes = 0x28;
constexpr std::uint16_t kGlobalPersistentFlush = 4;
constexpr unsigned kGlobalPersistentFlushBytes = 0x10;
constexpr std::uint16_t kFlexBus = 7;
constexpr unsigned kFlexBusBytes = 0x20;
constexpr std::uint16_t kPortRegisterLocator = 8;
constexpr unsigned kPortLocatorEntries = 0x0c;

std::uint64_t blocks_end(unsigned cpmus) { return PortFunction::cpmu_offset(cpmus); }

pcie::FunctionParameters function_parameters(const PortParameters& parameters) {
  if (parameters.cpmus > kMostCpmus)
    throw SpecError("cpmus", fmt::format("are {}, must be at most {}", parameters.cpmus, kMostCpmus));
  pcie::FunctionParameters function;
  function.vendor_id = parameters.vendor_id;
  function.device_id = parameters.device_id;
  function.class_code = kClassBridge;
  function.type = parameters.type;
  function.link = parameters.link;
  const std::uint64_t end = blocks_end(parameters.cpmus);
  function.bars[PortFunction::kBar] = {.size = std::bit_ceil(end + pcie::MsiX::window_size(kVectors)),
                                       .prefetchable = true};
  function.msi_x = {.vectors = kVectors, .bar = PortFunction::kBar, .offset = static_cast<std::uint32_t>(end)};
  return function;
}

}  // namespace

PortFunction::PortFunction(const sc_core::sc_module_name& name, const PortParameters& parameters)
    : sc_core::sc_module(name),
      cpmus_(parameters.cpmus),
      function_("function", function_parameters(parameters)),
      component_("component",
                 parameters.type == pcie::PortType::switch_upstream_port ? parameters.downstream_ports : 0) {
  pcie::ConfigurationSpace& space = function_.space();
  space.define(space.find_capability(kExpress) + kPortNumber, 1, {.value = parameters.number});
  add_port_dvsecs(parameters);
  add_register_locator();
  function_.map(kBar, "component registers", 0, ComponentRegisters::kSize, component_.socket);
  function_.on_reset([this](pcie::ResetKind) { component_.reset(); });
}

void PortFunction::add_port_dvsecs(const PortParameters& parameters) {
  pcie::ConfigurationSpace& space = function_.space();
  const unsigned extensions = space.add_dvsec(kCxlVendor, kExtensions, 2, kExtensionsBytes);
  space.define(extensions + 0x0a, 2, {.value = 0x1});        // status: port power management initialized
  space.define(extensions + 0x0c, 2, {.writable = 0x000f});  // control: unmask secondary bus reset, ...
  if (parameters.type != pcie::PortType::switch_upstream_port) {
    const unsigned flush = space.add_dvsec(kCxlVendor, kGlobalPersistentFlush, 0, kGlobalPersistentFlushBytes);
    space.define(flush + 0x0c, 2, {.writable = 0x0f0f});  // timeouts of its two phases
    space.define(flush + 0x0e, 2, {.writable = 0x0f0f});
  }
  // Cache, IO and memory; 68-byte flits and virtual hierarchies: capable, enabled, and trained.
  constexpr std::uint32_t kProtocols = 0x0027;
  const unsigned flex_bus = space.add_dvsec(kCxlVendor, kFlexBus, 2, kFlexBusBytes);
  space.define(flex_bus + 0x0a, 2, {.value = kProtocols});
  space.define(flex_bus + 0x0c, 2, {.value = kProtocols, .writable = 0x0025});
  space.define(flex_bus + 0x0e, 2, {.value = kProtocols});
}

void PortFunction::add_register_locator() {
  pcie::ConfigurationSpace& space = function_.space();
  const unsigned dvsec = space.add_dvsec(kCxlVendor, kPortRegisterLocator, 0, kPortLocatorEntries + 8 * (1 + cpmus_));
  for (unsigned entry = 0; entry <= cpmus_; ++entry) {
    const auto id = static_cast<std::uint32_t>(entry == 0 ? BlockId::component : BlockId::cpmu);
    const std::uint64_t offset = entry == 0 ? 0 : cpmu_offset(entry - 1);
    space.define(dvsec + kPortLocatorEntries + 8 * entry, 4,
                 {.value = static_cast<std::uint32_t>(offset) | id << 8 | kBar});
  }
}

void PortFunction::attach_cpmu(unsigned instance, tlm::tlm_base_target_socket_b<64>& registers) {
  if (instance >= cpmus_)
    throw SpecError(fmt::format("{}.cpmus", name()), fmt::format("there is no block for CPMU {}", instance));
  constexpr std::uint64_t kBytes = 0x1000;
  function_.map(kBar, fmt::format("CPMU {}", instance), cpmu_offset(instance), kBytes, registers);
}

void PortFunction::assign_window(std::uint64_t base, std::uint64_t size) {
  pcie::assign_prefetchable_window(function_.space(), base, size);
}

void PortFunction::follow(HdmMap& map) {
  component_.on_claim([&map](unsigned decoder, const HdmClaim& claim) {
    HdmRange range = map.range(decoder);  // registers do not hold everything: keep the rest
    range.base = claim.base;
    range.size = claim.size;
    range.interleave = claim.interleave;
    range.targets = claim.targets;
    map.set(decoder, range);
  });
}

}  // namespace pmufab::cxl
