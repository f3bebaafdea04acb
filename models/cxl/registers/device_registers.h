// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include "models/cxl/registers/mailbox.h"
#include "models/cxl/registers/memory_device_commands.h"
#include "tlm/registers/register_bank.h"

namespace pmufab::cxl {

/// Capabilities of the device register block (ids of their headers).
enum class DeviceCapability : std::uint16_t {
  device_status = 0x1,
  primary_mailbox = 0x2,
  memory_device_status = 0x4000,
};

/// The device register block of a memory device (register locator block id 3, CXL 3.1, 8.2.8): the capability array,
/// device status at 0x80, memory device status at 0x90, and the mailbox from 0x100 on.
class DeviceRegisters : public sc_core::sc_module {
 public:
  static constexpr std::uint32_t kMailboxOffset = 0x100;

  /// @param commands  executes the mailbox commands; must outlive the block
  /// @param missing   a capability to leave out of the array, for tests of software
  /// @throws SpecError as Mailbox does
  DeviceRegisters(const sc_core::sc_module_name& name, MemoryDeviceCommands& commands, unsigned payload_size_log2,
                  Picoseconds command_latency, std::optional<DeviceCapability> missing = std::nullopt);

  /// May stay unbound.
  tlm_utils::simple_target_socket_optional<DeviceRegisters, 64> socket;

  /// @return the bytes of registers; the block in the BAR is this, rounded up to 64 KiB.
  [[nodiscard]] std::uint32_t size() const noexcept { return kMailboxOffset + mailbox_.size(); }
  [[nodiscard]] Mailbox& mailbox() noexcept { return mailbox_; }

  /// Set Media Status and Mailbox Interfaces Ready of the memory device status register.
  void set_media_ready(bool ready);
  void set_mailbox_ready(bool ready);

  /// Reset mailbox and registers; readiness stays.
  void reset();
  [[nodiscard]] std::uint64_t guest_errors() const noexcept { return mailbox_.guest_errors() + bank_.guest_errors(); }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);
  void set_status(std::uint64_t mask, std::uint64_t bits);

  Mailbox mailbox_;
  RegisterBank bank_;
  RegisterId memory_device_status_;
};

}  // namespace pmufab::cxl
