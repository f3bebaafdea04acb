// SPDX-License-Identifier: Apache-2.0
#include "models/cxl/registers/device_registers.h"

#include <string>

namespace pmufab::cxl {

namespace {

constexpr std::uint32_t kDeviceStatus = 0x80;
constexpr std::uint32_t kMemoryDeviceStatus = 0x90;
constexpr std::uint32_t kStatusBytes = 8;

// Fields of the memory device status.
constexpr std::uint64_t kMediaStatus = 0x0c;
constexpr std::uint64_t kMediaReady = 0x04;
constexpr std::uint64_t kMailboxReady = 0x10;

constexpr FieldSpec kDeviceArrayFields[] = {
    {.name = "Capability ID", .lsb = 0, .width = 16, .access = Access::ro, .reset = 0},
    {.name = "Version", .lsb = 16, .width = 8, .access = Access::ro, .reset = 1},
    {.name = "Type", .lsb = 24, .width = 4, .access = Access::ro, .reset = 1, .meaning = "memory device"},
    {.name = "Capabilities Count", .lsb = 32, .width = 16, .access = Access::ro},
};
constexpr FieldSpec kHeaderFields[] = {
    {.name = "Capability ID", .lsb = 0, .width = 16, .access = Access::ro},
    {.name = "Version", .lsb = 16, .width = 8, .access = Access::ro},
    {.name = "Offset", .lsb = 32, .width = 32, .access = Access::ro},
};
constexpr FieldSpec kLengthFields[] = {{.name = "Length", .lsb = 0, .width = 32, .access = Access::ro}};
constexpr FieldSpec kEventStatusFields[] = {
    {.name = "Event Status", .lsb = 0, .width = 32, .access = Access::ro, .meaning = "one bit per log with records"},
};
constexpr FieldSpec kMemoryDeviceFields[] = {
    {.name = "Device Fatal", .lsb = 0, .width = 1, .access = Access::ro},
    {.name = "FW Halt", .lsb = 1, .width = 1, .access = Access::ro},
    {.name = "Media Status", .lsb = 2, .width = 2, .access = Access::ro, .meaning = "1: ready"},
    {.name = "Mailbox Interfaces Ready", .lsb = 4, .width = 1, .access = Access::ro},
    {.name = "Reset Needed", .lsb = 5, .width = 3, .access = Access::ro},
};

constexpr RegisterSpec kDeviceRegisters[] = {
    {.name = "Device Capabilities Array",
     .offset = 0,
     .width = 64,
     .fields = kDeviceArrayFields,
     .halves = true,
     .source = "CXL 3.1, 8.2.8.1"},
    {.name = "Capability Header",
     .offset = 0x10,
     .width = 64,
     .fields = kHeaderFields,
     .count = 3,
     .stride = 0x10,
     .halves = true,
     .source = "CXL 3.1, 8.2.8.2"},
    {.name = "Capability Length",
     .offset = 0x18,
     .width = 64,
     .fields = kLengthFields,
     .count = 3,
     .stride = 0x10,
     .halves = true},
    {.name = "Event Status",
     .offset = kDeviceStatus,
     .width = 64,
     .fields = kEventStatusFields,
     .halves = true,
     .source = "CXL 3.1, 8.2.8.3.1"},
    {.name = "Memory Device Status",
     .offset = kMemoryDeviceStatus,
     .width = 64,
     .fields = kMemoryDeviceFields,
     .halves = true,
     .source = "CXL 3.1, 8.2.8.5.1.1"},
};
static_assert(layout_is_valid(kDeviceRegisters, DeviceRegisters::kMailboxOffset));

}  // namespace

DeviceRegisters::DeviceRegisters(const sc_core::sc_module_name& name, MemoryDeviceCommands& commands,
                                 unsigned payload_size_log2, Picoseconds command_latency,
                                 std::optional<DeviceCapability> missing)
    : sc_core::sc_module(name),
      socket("socket"),
      mailbox_(std::string(this->name()) + ".mailbox", payload_size_log2, command_latency,
               [this, &commands](std::uint16_t opcode, const MailboxPayload& input, Picoseconds when) {
                 return commands.execute(opcode, input, mailbox_.payload_size(), when);
               }),
      bank_({.name = this->name(), .size = kMailboxOffset}, kDeviceRegisters),
      memory_device_status_(bank_.find("Memory Device Status")) {
  struct Capability {
    DeviceCapability id;
    std::uint32_t offset;
    std::uint32_t length;
  };
  const Capability capabilities[] = {
      {DeviceCapability::device_status, kDeviceStatus, kStatusBytes},
      {DeviceCapability::primary_mailbox, kMailboxOffset, mailbox_.size()},
      {DeviceCapability::memory_device_status, kMemoryDeviceStatus, kStatusBytes},
  };
  const RegisterId header = bank_.find("Capability Header");
  const RegisterId length = bank_.find("Capability Length");
  unsigned count = 0;
  for (const Capability& capability : capabilities) {
    if (capability.id == missing) continue;
    bank_.set_reset(header, count,
                    static_cast<std::uint64_t>(capability.id) | 1U << 16 | std::uint64_t{capability.offset} << 32);
    bank_.set_reset(length, count, capability.length);
    ++count;
  }
  const RegisterId array = bank_.find("Device Capabilities Array");
  bank_.set_reset(array, 0, bank_.value(array) | std::uint64_t{count} << 32);
  bank_.on_read(bank_.find("Event Status"), [&commands](unsigned, Picoseconds) { return commands.logs().status(); });
  socket.register_b_transport(this, &DeviceRegisters::b_transport);
  socket.register_transport_dbg(this, &DeviceRegisters::transport_dbg);
}

void DeviceRegisters::set_status(std::uint64_t mask, std::uint64_t bits) {
  bank_.set_value(memory_device_status_, (bank_.value(memory_device_status_) & ~mask) | bits);
}

void DeviceRegisters::set_media_ready(bool ready) { set_status(kMediaStatus, ready ? kMediaReady : 0); }

void DeviceRegisters::set_mailbox_ready(bool ready) {
  mailbox_.set_ready(ready);
  set_status(kMailboxReady, ready ? kMailboxReady : 0);
}

void DeviceRegisters::reset() {
  const std::uint64_t status = bank_.value(memory_device_status_);
  bank_.reset();
  bank_.set_value(memory_device_status_, status);
  mailbox_.reset();
}

void DeviceRegisters::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t address = payload.get_address();
  if (address < kMailboxOffset) return bank_.b_transport(payload, delay);
  payload.set_address(address - kMailboxOffset);
  mailbox_.b_transport(payload, delay);
  payload.set_address(address);
}

unsigned DeviceRegisters::transport_dbg(tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  if (address < kMailboxOffset) return bank_.transport_dbg(payload);
  payload.set_address(address - kMailboxOffset);
  const unsigned moved = mailbox_.transport_dbg(payload);
  payload.set_address(address);
  return moved;
}

}  // namespace pmufab::cxl
