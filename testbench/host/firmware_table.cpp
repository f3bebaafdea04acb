// SPDX-License-Identifier: Apache-2.0
#include "testbench/host/firmware_table.h"

namespace pmufab::driver_host {
namespace {

pmufab_apmt_node to_abi(const platform::ApmtNode& from) {
  pmufab_apmt_node to{};
  to.id = from.id;
  to.type = static_cast<std::uint8_t>(from.type);
  to.instance_primary = from.instance_primary;
  to.instance_secondary = from.instance_secondary;
  to.base0 = from.base0;
  to.base1 = from.base1.value_or(0);
  to.dual_page = from.base1 ? 1 : 0;
  if (from.overflow_interrupt) {
    to.interrupt = from.overflow_interrupt->number;
    const InterruptLine* line = from.overflow_interrupt->line;
    to.interrupt_is_edge = line != nullptr && line->trigger() == InterruptTrigger::edge ? 1 : 0;
  }
  to.affinity_is_container = from.affinity_is_container ? 1 : 0;
  to.processor_affinity = from.processor_affinity;
  to.atomic_64bit = from.atomic_64bit ? 1 : 0;
  to.implementation_id = from.implementation_id;
  return to;
}

}  // namespace

FirmwareTable::FirmwareTable(const platform::FirmwareDescription& firmware, const std::set<unsigned>& offline)
    : lists_(firmware.devices.size()) {
  for (const platform::Cpu& cpu : firmware.cpus) {
    const bool is_offline = offline.contains(static_cast<unsigned>(cpus_.size()));
    cpus_.push_back(
        {.uid = cpu.uid, .container_uid = cpu.container_uid, .node = cpu.node, .online = is_offline ? 0 : 1});
  }
  for (const platform::ApmtNode& node : firmware.apmt) apmt_.push_back(to_abi(node));
  for (std::size_t i = 0; i < firmware.devices.size(); ++i) {
    const platform::AcpiDevice& from = firmware.devices[i];
    Lists& lists = lists_[i];
    for (const platform::MemoryResource& memory : from.memory) {
      lists.memory.push_back({.base = memory.base, .size = memory.size});
    }
    for (const platform::InterruptResource& interrupt : from.interrupts) lists.interrupts.push_back(interrupt.number);
    for (const auto& [name, value] : from.properties)
      lists.properties.push_back({.name = name.c_str(), .value = value, .is_64bit = 0});
    for (const auto& [name, value] : from.properties_u64)
      lists.properties.push_back({.name = name.c_str(), .value = value, .is_64bit = 1});
    devices_.push_back({.hid = from.hid.c_str(),
                        .uid = from.uid.c_str(),
                        .compatible = from.compatible.c_str(),
                        .memory = lists.memory.data(),
                        .memory_count = lists.memory.size(),
                        .interrupts = lists.interrupts.data(),
                        .interrupt_count = lists.interrupts.size(),
                        .properties = lists.properties.data(),
                        .property_count = lists.properties.size(),
                        .node = from.node ? static_cast<int>(*from.node) : -1});
  }
  for (const platform::PciSegment& segment : firmware.pci_segments) {
    pci_segments_.push_back({.number = segment.number,
                             .ecam = segment.ecam_base,
                             .first_bus = segment.first_bus,
                             .last_bus = segment.last_bus,
                             .node = segment.node ? static_cast<int>(*segment.node) : -1,
                             .native_cxl_error = segment.native_cxl_error ? 1 : 0});
  }
  firmware_ = {.cpus = cpus_.data(),
               .cpu_count = cpus_.size(),
               .apmt = apmt_.data(),
               .apmt_count = apmt_.size(),
               .devices = devices_.data(),
               .device_count = devices_.size(),
               .pci_segments = pci_segments_.data(),
               .pci_segment_count = pci_segments_.size(),
               .msi_doorbell = firmware.msi.address,
               .msi_first = firmware.msi.first_number,
               .msi_count = firmware.msi.count};
}

}  // namespace pmufab::driver_host
