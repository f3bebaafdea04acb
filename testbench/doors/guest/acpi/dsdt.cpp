// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/guest/acpi/dsdt.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include "testbench/doors/guest/acpi/aml.h"
#include "testbench/doors/guest/qemu_virt.h"

namespace pmufab::guest {
namespace {

using aml::Term;
using platform::AcpiDevice;
using platform::FirmwareDescription;

Term container(std::size_t number, std::uint32_t uid, const std::vector<Term>& cpus) {
  std::vector<Term> objects{aml::name("_HID", aml::string("ACPI0010")), aml::name("_UID", aml::integer(uid))};
  objects.insert(objects.end(), cpus.begin(), cpus.end());
  return aml::device(fmt::format("P{:03X}", number), objects);
}

/// Adds each container with its CPUs, in the order of the CPUs.
void add_cpus(const std::vector<platform::Cpu>& cpus, std::vector<Term>& objects) {
  std::size_t containers = 0;
  for (auto first = cpus.begin(); first != cpus.end();) {
    const auto last = std::find_if(first, cpus.end(),
                                   [&](const platform::Cpu& cpu) { return cpu.container_uid != first->container_uid; });
    std::vector<Term> devices;
    for (auto cpu = first; cpu != last; ++cpu) {
      devices.push_back(
          aml::device(fmt::format("C{:03X}", cpu - cpus.begin()),
                      {aml::name("_HID", aml::string("ACPI0007")), aml::name("_UID", aml::integer(cpu->uid))}));
    }
    objects.push_back(container(containers++, first->container_uid, devices));
    first = last;
  }
}

Term serial_console() {
  return aml::device(
      "COM0",
      {aml::name("_HID", aml::string("ARMH0011")), aml::name("_UID", aml::integer(0)),
       aml::name("_CRS", aml::resources(aml::memory_range(qemu_virt::kUart, qemu_virt::kUartSize, aml::Use::consumer) +
                                        aml::interrupt(qemu_virt::kUartInterrupt, false)))});
}

/// The _OSC method: reduces the control that the operating system asks for to what it may have (PCI Firmware
/// Specification 3.3, 4.5.1; CXL 3.1, 9.18.2: a CXL host bridge has the capabilities of a PCI Express one and two more
/// words).
Term operating_system_capabilities(bool native_cxl_error) {
  const Term uuid = aml::argument(0);
  const Term words = aml::argument(2);
  const Term capabilities = aml::argument(3);
  // Native hot plug of PCI Express and SHPC, PME, AER, the PCI Express capability structure.
  constexpr unsigned kPciControl = 0x1f;
  constexpr unsigned kUnknownUuid = 0x04;
  constexpr unsigned kMasked = 0x10;
  const unsigned cxl_control = native_cxl_error ? 1 : 0;
  const auto cut = [&](std::uint64_t offset, const char* field, unsigned granted) -> Term {
    return aml::dword_field(capabilities, offset, field) + aml::bit_and(field, aml::integer(granted), aml::kLocal0) +
           aml::if_then(aml::negation(aml::equal(field, aml::kLocal0)),
                        {aml::bit_or("CDW1", aml::integer(kMasked), "CDW1")}) +
           aml::store(aml::kLocal0, field);
  };
  return aml::method(
      "_OSC", 4,
      {aml::dword_field(capabilities, 0, "CDW1"),
       aml::if_then(aml::either(aml::equal(uuid, aml::uuid("33db4d5b-1ff7-401c-9657-7441c03dd766")),
                                aml::equal(uuid, aml::uuid("68f2d50b-c469-4d8a-bd3d-941a103fd3fc"))),
                    {cut(8, "CDW3", kPciControl),
                     aml::if_then(aml::greater(words, aml::integer(4)), {cut(16, "CDW5", cxl_control)})}),
       aml::otherwise({aml::bit_or("CDW1", aml::integer(kUnknownUuid), "CDW1")}), aml::return_value(capabilities)});
}

Term interrupt_routes() {
  std::vector<Term> routes;
  for (unsigned device = 0; device < qemu_virt::kPciDevices; ++device) {
    for (unsigned pin = 0; pin < 4; ++pin) {
      routes.push_back(
          aml::package({aml::integer(std::uint64_t{device} << 16 | 0xffff), aml::integer(pin), aml::integer(0),
                        aml::integer(qemu_virt::kFirstPciInterrupt + (device + pin) % 4)}));
    }
  }
  return aml::package(routes);
}

/// A CXL host bridge, because only such a bridge can give control of CXL errors. Its functions need not be CXL.
/// @param specific  the objects that not every bridge has
Term host_bridge(std::string_view name, const platform::PciSegment& segment, unsigned uid, const std::string& windows,
                 const std::vector<Term>& specific) {
  std::vector<Term> objects{aml::name("_HID", aml::string("ACPI0016")),
                            aml::name("_CID", aml::package({aml::eisa_id("PNP0A08"), aml::eisa_id("PNP0A03")})),
                            aml::name("_UID", aml::integer(uid)),
                            aml::name("_SEG", aml::integer(segment.number)),
                            aml::name("_BBN", aml::integer(segment.first_bus)),
                            aml::name("_CCA", aml::integer(1))};
  if (segment.node) objects.push_back(aml::name("_PXM", aml::integer(*segment.node)));
  objects.push_back(aml::name("_CRS", aml::resources(windows)));
  objects.push_back(operating_system_capabilities(segment.native_cxl_error));
  objects.insert(objects.end(), specific.begin(), specific.end());
  return aml::device(name, objects);
}

Term guest_bridge(bool native_cxl_error) {
  const Term configuration_space =
      aml::device("RES0", {aml::name("_HID", aml::eisa_id("PNP0C02")),
                           aml::name("_CRS", aml::resources(aml::memory_range(
                                                 qemu_virt::kPciEcam, qemu_virt::kPciEcamSize, aml::Use::consumer)))});
  const std::string windows =
      aml::bus_numbers(0, 0xff) +
      aml::memory_range(qemu_virt::kPciMemory32, qemu_virt::kPciMemory32Size, aml::Use::producer) +
      aml::port_window(qemu_virt::kPciIo, qemu_virt::kPciIoSize) +
      aml::memory_range(qemu_virt::kPciMemory64, kPlatformBegin - qemu_virt::kPciMemory64, aml::Use::producer);
  return host_bridge("PCI0", {.number = 0, .ecam_base = 0, .node = 0, .native_cxl_error = native_cxl_error},
                     kGuestBridge, windows, {aml::name("_PRT", interrupt_routes()), configuration_space});
}

/// @return a device of the device tree as the ACPI namespace describes it.
AcpiDevice as_acpi(AcpiDevice device) {
  if (!device.hid.empty()) return device;
  if (device.in_acpi) {
    device.hid = device.in_acpi->hid;
    device.memory = device.in_acpi->memory;
    device.properties.clear();
    device.properties_u64.clear();
  } else {
    device.hid = "PRP0001";
  }
  return device;
}

Term properties_of(const AcpiDevice& device) {
  std::vector<Term> properties;
  const auto add = [&](const std::string& name, const Term& value) {
    properties.push_back(aml::package({aml::string(name), value}));
  };
  if (device.hid == "PRP0001") {
    std::vector<Term> names;
    std::istringstream words(device.compatible);
    for (std::string name; words >> name;) names.push_back(aml::string(name));
    add("compatible", names.size() == 1 ? names.front() : aml::package(names));
  }
  for (const auto& [name, value] : device.properties) add(name, aml::integer(value));
  for (const auto& [name, value] : device.properties_u64) add(name, aml::integer(value));
  if (properties.empty()) return {};
  return aml::name("_DSD", aml::package({aml::uuid("daffd814-6eba-4d8c-8a91-bc9bbf4aa301"), aml::package(properties)}));
}

Term platform_device(std::size_t number, const AcpiDevice& described, const Places& places) {
  const AcpiDevice device = as_acpi(described);
  std::string descriptors;
  for (const platform::MemoryResource& range : device.memory)
    descriptors += aml::memory_range(places.address(range), range.size, aml::Use::consumer);
  for (const platform::InterruptResource& resource : device.interrupts) {
    const Places::Interrupt interrupt = places.interrupt(resource);
    descriptors += aml::interrupt(interrupt.number, interrupt.is_edge);
  }
  std::vector<Term> objects{aml::name("_HID", aml::string(device.hid)), aml::name("_UID", aml::string(device.uid))};
  if (device.node) objects.push_back(aml::name("_PXM", aml::integer(*device.node)));
  if (!descriptors.empty()) objects.push_back(aml::name("_CRS", aml::resources(descriptors)));
  objects.push_back(properties_of(device));
  return aml::device(fmt::format("D{:03X}", number), objects);
}

/// What stands for the whole CXL hierarchy (CXL 3.1, 9.18.2): the CEDT describes it.
void add_cxl(const FirmwareDescription& firmware, std::vector<Term>& objects) {
  if (has_cxl(firmware)) objects.push_back(aml::device("CXL0", {aml::name("_HID", aml::string("ACPI0017"))}));
}

void add_devices(const FirmwareDescription& firmware, const Places& places, std::vector<Term>& objects) {
  std::map<std::string, std::vector<Term>> containers;
  for (std::size_t number = 0; number < firmware.devices.size(); ++number) {
    AcpiDevice device = firmware.devices[number];
    const std::size_t slash = device.uid.find('/');
    const bool is_inside = slash != std::string::npos;
    std::vector<Term>& around = is_inside ? containers[device.uid.substr(0, slash)] : objects;
    if (is_inside) device.uid.erase(0, slash + 1);
    around.push_back(platform_device(number, device, places));
  }
  for (unsigned number = 0; auto& [uid, inside] : containers) {
    std::vector<Term> all{aml::name("_HID", aml::string("ACPI0004")), aml::name("_UID", aml::string(uid))};
    all.insert(all.end(), inside.begin(), inside.end());
    objects.push_back(aml::device(fmt::format("M{:03X}", number++), all));
  }
}

}  // namespace

bool has_cxl(const FirmwareDescription& firmware) {
  return std::ranges::any_of(firmware.pci_segments,
                             [](const platform::PciSegment& bridge) { return bridge.cxl_registers.has_value(); });
}

std::string guest_dsdt(const FirmwareDescription& firmware, const std::vector<platform::Cpu>& cpus,
                       const Places& places) {
  const bool native_cxl_error = std::ranges::all_of(
      firmware.pci_segments, [](const platform::PciSegment& segment) { return segment.native_cxl_error; });
  std::vector<Term> objects;
  add_cpus(cpus, objects);
  objects.push_back(serial_console());
  objects.push_back(guest_bridge(native_cxl_error));
  add_cxl(firmware, objects);
  add_devices(firmware, places, objects);
  return aml::scope("\\_SB_", objects);
}

std::string platform_dsdt(const FirmwareDescription& firmware, const std::vector<platform::Cpu>& cpus,
                          const Places& places) {
  std::vector<Term> objects;
  add_cpus(cpus, objects);
  for (unsigned number = 0; number < firmware.pci_segments.size(); ++number) {
    const platform::PciSegment& segment = firmware.pci_segments[number];
    objects.push_back(host_bridge(fmt::format("B{:03X}", number), segment, number,
                                  aml::bus_numbers(segment.first_bus, segment.last_bus), {}));
  }
  add_cxl(firmware, objects);
  add_devices(firmware, places, objects);
  return aml::scope("\\_SB_", objects);
}

}  // namespace pmufab::guest
