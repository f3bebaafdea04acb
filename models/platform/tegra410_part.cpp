#include "models/platform/tegra410_part.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace pmufab::platform {

namespace {

constexpr std::uint64_t kPage = 0x1000;

constexpr std::uint64_t base_of(unsigned socket, std::uint64_t offset) {
  return (std::uint64_t{socket} << default_map::kSocketShift) + offset;
}

}  // namespace

Tegra410Part::Tegra410Part(const PlatformSpec& spec)
    : parameters_(*spec.tegra410),
      address_map_(spec.memory, spec.sockets),
      clock_("ucf", parameters_.ucf_clock_hz),
      soc_clock_("soc", parameters_.soc_clock_hz),
      c2c_clock_("c2c", parameters_.c2c_clock_hz) {
  const tegra410::SocketClocks clocks{clock_, c2c_clock_, soc_clock_};
  std::vector<tegra410::Socket*> sockets;
  for (unsigned index = 0; index < spec.sockets; ++index) {
    sockets_.push_back(std::make_unique<tegra410::Socket>(fmt::format("socket{}", index).c_str(), index, parameters_,
                                                          address_map_, clocks, order_));
    sockets.push_back(sockets_.back().get());
    if (parameters_.ucf_pmu.interrupt) {
      ucf_interrupts_.push_back(
          std::make_unique<InterruptLine>(fmt::format("socket{}.ucf_pmu", index), parameters_.ucf_pmu.trigger));
      sockets_.back()->ucf_pmu().connect_interrupt(*ucf_interrupts_.back());
    }
  }
  tegra410::Socket::connect(sockets);
}

void Tegra410Part::map(MmioBus& bus) {
  for (const auto& socket : sockets_) {
    const unsigned index = socket->index();
    const std::string prefix = fmt::format("socket{}.", index);
    bus.map(prefix + "ucf_pmu", base_of(index, default_map::kUcfPmuPage0), kPage, socket->ucf_pmu().socket);
    if (parameters_.ucf_pmu.dual_page) {
      bus.map(prefix + "ucf_pmu.page1", base_of(index, default_map::kUcfPmuPage1), kPage, socket->ucf_pmu().page1);
    }
    bus.map(prefix + "cmem_latency_pmu", base_of(index, default_map::kCmemLatencyPmu),
            std::uint64_t{tegra410::CmemLatencyPmu::kWindows} * tegra410::CmemLatencyPmu::kWindowSize,
            socket->cmem_latency_pmu().socket);
  }
}

void Tegra410Part::describe(FirmwareDescription& firmware) {
  for (const auto& socket : sockets_) {
    const unsigned index = socket->index();
    ApmtNode ucf{};
    ucf.id = static_cast<std::uint32_t>(firmware.apmt.size());
    ucf.type = ApmtNode::Type::cache;
    ucf.instance_primary = index;
    ucf.base0 = base_of(index, default_map::kUcfPmuPage0);
    if (parameters_.ucf_pmu.dual_page) ucf.base1 = base_of(index, default_map::kUcfPmuPage1);
    if (parameters_.ucf_pmu.interrupt) {
      ucf.overflow_interrupt = InterruptResource{default_map::kUcfPmuInterrupt + index, ucf_interrupts_[index].get()};
    }
    ucf.affinity_is_container = true;
    ucf.processor_affinity = index;
    ucf.atomic_64bit = parameters_.ucf_pmu.atomic_64bit;
    ucf.implementation_id = 0;  // the driver finds its back-end by PMIIDR
    firmware.apmt.push_back(ucf);

    AcpiDevice cmem;
    cmem.hid = "NVDA2021";
    cmem.uid = fmt::format("{}", index);
    for (unsigned window = 0; window < tegra410::CmemLatencyPmu::kWindows; ++window) {
      cmem.memory.push_back({base_of(index, default_map::kCmemLatencyPmu) + window * kPage, kPage});
    }
    firmware.devices.push_back(std::move(cmem));
  }
}

void Tegra410Part::set_observer(BoundaryObserver* observer) {
  for (const auto& socket : sockets_) socket->set_observer(observer);
}

void Tegra410Part::reset() {
  for (const auto& socket : sockets_) {
    socket->ucf_pmu().reset();
    socket->cmem_latency_pmu().reset();
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
  }
}

void Tegra410Part::add_probes(std::vector<Probe*>& probes) {
  for (const auto& socket : sockets_) {
    for (unsigned event = 0; event < tegra410::kUcfEventCount; ++event) {
      probes.push_back(&socket->ucf().probe(static_cast<tegra410::UcfEvent>(event)));
    }
  }
}

}  // namespace pmufab::platform
