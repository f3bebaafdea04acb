// SPDX-License-Identifier: Apache-2.0
#include "models/pcie/configuration_registers.h"

namespace pmufab::pcie {

namespace {

// PCI Express Base Specification, 7.5.1: header.
constexpr FieldSpec kIdFields[] = {{"Vendor ID", 0, 16, Access::ro}, {"Device ID", 16, 16, Access::ro}};
constexpr FieldSpec kCommandFields[] = {{"Memory Space Enable", 1, 1, Access::rw},
                                        {"Bus Master Enable", 2, 1, Access::rw},
                                        {"Interrupt Disable", 10, 1, Access::rw},
                                        {"Capabilities List", 20, 1, Access::ro}};
constexpr FieldSpec kClassFields[] = {{"Revision ID", 0, 8, Access::ro}, {"Class Code", 8, 24, Access::ro}};
constexpr FieldSpec kHeaderFields[] = {{"Header Type", 16, 7, Access::ro}, {"Multi-Function", 23, 1, Access::ro}};
constexpr FieldSpec kBarFields[] = {{"Base Address", 0, 32, Access::rw}};
constexpr FieldSpec kBusFields[] = {{"Primary Bus Number", 0, 8, Access::rw},
                                    {"Secondary Bus Number", 8, 8, Access::rw},
                                    {"Subordinate Bus Number", 16, 8, Access::rw}};
constexpr FieldSpec kPrefetchableFields[] = {
    {"Base Addressing Capability", 0, 4, Access::ro, 0, "1: 64 bits"},
    {"Prefetchable Memory Base", 4, 12, Access::rw, 0, "address bits 31:20"},
    {"Limit Addressing Capability", 16, 4, Access::ro, 0, "1: 64 bits"},
    {"Prefetchable Memory Limit", 20, 12, Access::rw, 0, "address bits 31:20"}};
constexpr FieldSpec kUpperFields[] = {{"Upper 32 Bits", 0, 32, Access::rw}};
constexpr FieldSpec kSubsystemFields[] = {{"Subsystem Vendor ID", 0, 16, Access::ro},
                                          {"Subsystem ID", 16, 16, Access::ro}};

constexpr RegisterSpec kBothKinds[] = {{"ID", 0x00, 32, kIdFields},
                                       {"COMMAND_STATUS", 0x04, 32, kCommandFields},
                                       {"CLASS_REVISION", 0x08, 32, kClassFields},
                                       {"HEADER", 0x0c, 32, kHeaderFields}};
constexpr RegisterSpec kEndpoint[] = {{"BAR", 0x10, 32, kBarFields, 6, 4}, {"SUBSYSTEM", 0x2c, 32, kSubsystemFields}};
constexpr RegisterSpec kPort[] = {{"BAR", 0x10, 32, kBarFields, 2, 4},
                                  {"BUS_NUMBERS", 0x18, 32, kBusFields},
                                  {"PREFETCHABLE_MEMORY", 0x24, 32, kPrefetchableFields},
                                  {"PREFETCHABLE_BASE_UPPER", 0x28, 32, kUpperFields},
                                  {"PREFETCHABLE_LIMIT_UPPER", 0x2c, 32, kUpperFields}};

// 7.5.3: PCI Express capability.
constexpr std::uint8_t kExpressId = 0x10;
constexpr FieldSpec kExpressFields[] = {{"Capability ID", 0, 8, Access::ro},
                                        {"Capability Version", 16, 4, Access::ro},
                                        {"Device/Port Type", 20, 4, Access::ro},
                                        {"Slot Implemented", 24, 1, Access::ro}};
constexpr FieldSpec kLinkFields[] = {{"Max Link Speed", 0, 4, Access::ro},
                                     {"Maximum Link Width", 4, 6, Access::ro},
                                     {"Data Link Layer Link Active Reporting Capable", 20, 1, Access::ro},
                                     {"ASPM Optionality Compliance", 22, 1, Access::ro},
                                     {"Port Number", 24, 8, Access::ro}};

std::vector<RegisterSpec> registers_of(const ConfigurationSpace& space, bool port, std::span<const RegisterSpec> more) {
  std::vector<RegisterSpec> registers(std::begin(kBothKinds), std::end(kBothKinds));
  const std::span<const RegisterSpec> header = port ? std::span<const RegisterSpec>(kPort) : kEndpoint;
  registers.insert(registers.end(), header.begin(), header.end());
  if (const unsigned express = space.find_capability(kExpressId); express != 0) {
    registers.push_back({"PCI_EXPRESS", express, 32, kExpressFields});
    registers.push_back({"LINK_CAPABILITIES", express + 0x0c, 32, kLinkFields});
  }
  registers.insert(registers.end(), more.begin(), more.end());
  return registers;
}

}  // namespace

ConfigurationRegisters::ConfigurationRegisters(ConfigurationSpace& space, bool port, std::span<const RegisterSpec> more)
    : registers_(registers_of(space, port, more)),
      bank_({.name = space.name() + ".configuration", .size = ConfigurationSpace::kSize}, registers_) {
  for (const RegisterSpec& spec : registers_) {
    bank_.on_read(bank_.find(spec.name), [&space, &spec](unsigned element, Picoseconds when) -> std::uint64_t {
      return space.fetch(spec.offset + element * spec.stride, 4, when);
    });
  }
  space.show_by(bank_);
}

}  // namespace pmufab::pcie
