// SPDX-License-Identifier: Apache-2.0
#include "models/platform/tegra410/tegra410_part.h"

#include <cstring>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "models/platform/tegra410/pcie_spec.h"

namespace pmufab::platform {

namespace {

constexpr std::uint64_t kPage = 0x1000;

constexpr std::uint64_t base_of(unsigned socket, std::uint64_t offset) {
  return (std::uint64_t{socket} << default_map::kSocketShift) + offset;
}

/// Where the PMUs of a root complex are, and how firmware calls the device with the address filters. There is no public
/// hardware id: the driver takes the one the APMT names. It must not be one Linux has a driver for, as for NVDA1070.
constexpr std::string_view kPcieTgtHid = "NVDA1071";

std::uint64_t pcie_tgt_page0(unsigned socket, unsigned root_complex) {
  return base_of(socket, default_map::kPcieTgtPmu + root_complex * default_map::kPciePmusStride);
}
std::uint64_t pcie_tgt_filters(unsigned socket, unsigned root_complex) {
  return base_of(socket, default_map::kPcieTgtFilters + root_complex * kPage);
}
unsigned number_in_platform(unsigned socket, unsigned root_complex) {
  return socket * tegra410::kRootComplexes + root_complex;
}

/// The eight characters of a hardware id as an APMT node holds them.
std::uint64_t instance_of(std::string_view hid) {
  std::uint64_t value = 0;
  std::memcpy(&value, hid.data(), sizeof(value));  // little endian, and so is the host
  return value;
}

/// What the nodes of all CoreSight PMUs have in common. The driver finds its back-end by PMIIDR.
ApmtNode apmt_node(const FirmwareDescription& firmware, ApmtNode::Type type, unsigned socket, std::uint64_t page0,
                   std::uint64_t page1, const tegra410::CoreSightPmuParameters& parameters) {
  ApmtNode node{};
  node.id = static_cast<std::uint32_t>(firmware.apmt.size());
  node.type = type;
  node.base0 = page0;
  if (parameters.dual_page) node.base1 = page1;
  node.affinity_is_container = true;
  node.processor_affinity = socket;
  node.atomic_64bit = parameters.atomic_64bit;
  return node;
}

void map_pmu(MmioBus& bus, const std::string& name, std::uint64_t page0, std::uint64_t page1, bool dual_page,
             coresight::CoreSightPmu& pmu) {
  bus.map(name, page0, kPage, pmu.socket);
  if (dual_page) bus.map(name + ".page1", page1, kPage, pmu.page1);
}

}  // namespace

Tegra410Part::Tegra410Part(const PlatformSpec& spec)
    : parameters_(*spec.tegra410),
      address_map_(system_map(spec), spec.sockets),
      clock_("ucf", parameters_.ucf_clock_hz),
      soc_clock_("soc", parameters_.soc_clock_hz),
      c2c_clock_("c2c", parameters_.c2c_clock_hz) {
  const tegra410::SocketClocks clocks{clock_, c2c_clock_, soc_clock_};
  const std::vector<tegra410::PcieRootComplex> complexes = root_complexes_of(spec);
  std::vector<tegra410::Socket*> sockets;
  for (unsigned index = 0; index < spec.sockets; ++index) {
    sockets_.push_back(std::make_unique<tegra410::Socket>(fmt::format("socket{}", index).c_str(), index, parameters_,
                                                          address_map_, clocks, complexes, order_));
    sockets.push_back(sockets_.back().get());
    if (parameters_.ucf_pmu.interrupt) {
      ucf_interrupts_.push_back(
          std::make_unique<InterruptLine>(fmt::format("socket{}.ucf_pmu", index), parameters_.ucf_pmu.trigger));
      sockets_.back()->ucf_pmu().connect_interrupt(*ucf_interrupts_.back());
    }
    if (!parameters_.pcie_tgt_pmu.interrupt) continue;
    for (const auto& complex : sockets_.back()->root_complexes()) {
      pcie_tgt_interrupts_.push_back(std::make_unique<InterruptLine>(
          fmt::format("socket{}.rc{}.pcie_tgt_pmu", index, complex->number), parameters_.pcie_tgt_pmu.trigger));
      complex->tgt_pmu.pmu().connect_interrupt(*pcie_tgt_interrupts_.back());
    }
  }
  tegra410::Socket::connect(sockets);
}

void Tegra410Part::map(MmioBus& bus) {
  for (const auto& socket : sockets_) {
    const unsigned index = socket->index();
    const std::string prefix = fmt::format("socket{}.", index);
    map_pmu(bus, prefix + "ucf_pmu", base_of(index, default_map::kUcfPmuPage0),
            base_of(index, default_map::kUcfPmuPage1), parameters_.ucf_pmu.dual_page, socket->ucf_pmu());
    bus.map(prefix + "cmem_latency_pmu", base_of(index, default_map::kCmemLatencyPmu),
            std::uint64_t{tegra410::CmemLatencyPmu::kWindows} * tegra410::CmemLatencyPmu::kWindowSize,
            socket->cmem_latency_pmu().socket);
    for (const auto& complex : socket->root_complexes()) {
      const std::string name = fmt::format("{}rc{}.pcie_tgt_", prefix, complex->number);
      const std::uint64_t page0 = pcie_tgt_page0(index, complex->number);
      map_pmu(bus, name + "pmu", page0, page0 + default_map::kPcieTgtPmuPage1, parameters_.pcie_tgt_pmu.dual_page,
              complex->tgt_pmu.pmu());
      bus.map(name + "filters", pcie_tgt_filters(index, complex->number), kPage, complex->tgt_pmu.filters);
    }
  }
}

void Tegra410Part::describe(FirmwareDescription& firmware) {
  for (const auto& socket : sockets_) {
    const unsigned index = socket->index();
    ApmtNode ucf = apmt_node(firmware, ApmtNode::Type::cache, index, base_of(index, default_map::kUcfPmuPage0),
                             base_of(index, default_map::kUcfPmuPage1), parameters_.ucf_pmu);
    ucf.instance_primary = index;
    if (parameters_.ucf_pmu.interrupt) {
      ucf.overflow_interrupt = InterruptResource{default_map::kUcfPmuInterrupt + index, ucf_interrupts_[index].get()};
    }
    firmware.apmt.push_back(ucf);

    AcpiDevice cmem;
    cmem.hid = "NVDA2021";
    cmem.uid = fmt::format("{}", index);
    for (unsigned window = 0; window < tegra410::CmemLatencyPmu::kWindows; ++window) {
      cmem.memory.push_back({base_of(index, default_map::kCmemLatencyPmu) + window * kPage, kPage});
    }
    firmware.devices.push_back(std::move(cmem));
  }
  describe_pcie_tgt(firmware);
}

/// The PMU is an ACPI device by its APMT node; the device tells root complex and address filters.
void Tegra410Part::describe_pcie_tgt(FirmwareDescription& firmware) {
  std::size_t line = 0;
  for (const auto& socket : sockets_) {
    const unsigned index = socket->index();
    for (const auto& complex : socket->root_complexes()) {
      const unsigned number = number_in_platform(index, complex->number);
      const std::uint64_t page0 = pcie_tgt_page0(index, complex->number);
      ApmtNode node = apmt_node(firmware, ApmtNode::Type::acpi_device, index, page0,
                                page0 + default_map::kPcieTgtPmuPage1, parameters_.pcie_tgt_pmu);
      node.instance_primary = instance_of(kPcieTgtHid);
      node.instance_secondary = number;
      if (parameters_.pcie_tgt_pmu.interrupt)
        node.overflow_interrupt =
            InterruptResource{default_map::kPcieTgtPmuInterrupt + number, pcie_tgt_interrupts_[line++].get()};
      firmware.apmt.push_back(node);

      AcpiDevice device;
      device.hid = kPcieTgtHid;
      device.uid = fmt::format("{}", number);
      device.memory.push_back({pcie_tgt_filters(index, complex->number), kPage});
      device.properties.emplace("instance_id", complex->number);
      firmware.devices.push_back(std::move(device));
    }
  }
}

void Tegra410Part::set_observer(BoundaryObserver* observer) {
  for (const auto& socket : sockets_) socket->set_observer(observer);
}

void Tegra410Part::reset() {
  for (const auto& socket : sockets_) {
    socket->ucf_pmu().reset();
    socket->cmem_latency_pmu().reset();
    for (const auto& complex : socket->root_complexes()) complex->tgt_pmu.reset();
  }
}

void Tegra410Part::add_registers(std::vector<NamedRegisters>& banks) const {
  for (const auto& socket : sockets_) {
    const std::string prefix = fmt::format("socket{}.", socket->index());
    banks.push_back(registers_of(prefix + "ucf_pmu", socket->ucf_pmu()));
    for (unsigned window = 0; window < tegra410::CmemLatencyPmu::kWindows; ++window) {
      const bool broadcast = window == tegra410::kCmemInstances;
      banks.push_back(registers_of(
          prefix + (broadcast ? "cmem_latency_pmu.broadcast" : fmt::format("cmem_latency_pmu.instance{}", window)),
          socket->cmem_latency_pmu().bank(window)));
    }
    for (const auto& complex : socket->root_complexes()) {
      const std::string name = fmt::format("{}rc{}.pcie_tgt_", prefix, complex->number);
      banks.push_back(registers_of(name + "pmu", complex->tgt_pmu.pmu()));
      banks.push_back(registers_of(name + "filters", complex->tgt_pmu.filter_bank()));
    }
  }
}

void Tegra410Part::add_probes(std::vector<Probe*>& probes) {
  for (const auto& socket : sockets_) {
    for (unsigned event = 0; event < tegra410::kUcfEventCount; ++event) {
      probes.push_back(&socket->ucf().probe(static_cast<tegra410::UcfEvent>(event)));
    }
    for (const auto& complex : socket->root_complexes()) {
      for (unsigned event = 0; event < tegra410::kPcieTargetEvents; ++event)
        probes.push_back(&complex->target.probe(static_cast<tegra410::PcieTargetEvent>(event)));
    }
  }
}

}  // namespace pmufab::platform
