// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/cxl/registers/device_registers.h"
#include "models/cxl/registers/memory_device_commands.h"
#include "models/pcie/function.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::cxl {

/// Register block identifiers of the register locator (CXL 3.1, 8.1.9).
enum class BlockId : std::uint8_t {
  empty = 0,
  component = 1,
  bar_virtualization_acl = 2,
  device = 3,
  cpmu = 4,
  chmu = 5,
  vendor_specific = 0xff,
};

/// An entry of the register locator. The n-th one with id cpmu is the device's n-th CPMU.
struct RegisterBlock {
  BlockId id = BlockId::cpmu;
  /// Offset in the BAR in bytes, a multiple of 64 KiB. Empty: after the entries before it. A given offset does not
  /// enlarge the BAR. If it lies beyond the BAR, or where an earlier entry has its registers, the entry has none (wrong
  /// devices, for tests).
  std::optional<std::uint64_t> offset{};
};

/// The design choices of a memory expander, and its possible defects.
struct Type3Parameters {
  std::uint16_t vendor_id = 0x1e98;
  std::uint16_t device_id = 0x0003;
  std::uint64_t serial_number = 0;
  pcie::LinkParameters link{};

  MemoryCommandsParameters memory{};  ///< capacity, and answers of the mailbox
  unsigned memory_ranges = 1;         ///< HDM count of the CXL device DVSEC, 0 ... 2: ranges that show the capacity
  unsigned hdm_decoders = 4;          ///< 1, 2, 4, 6, 8 or 10

  /// The order is that of the register locator.
  std::vector<RegisterBlock> blocks{{BlockId::component}, {BlockId::device}, {BlockId::cpmu}};

  unsigned msi_x_vectors = 16;              ///< 0: no MSI-X, else 1 ... 2048; software uses at most 16
  unsigned msi_vectors = 0;                 ///< 0: no MSI, else 1, 2, 4, 8, 16 or 32
  unsigned payload_size_log2 = 11;          ///< mailbox: 8 ... 20, 256 bytes to 1 MiB
  Picoseconds command_latency = 1'000'000;  ///< latency of a mailbox command
  /// Time from a reset (other than a function level reset) until media and mailbox are ready. Empty: never.
  std::optional<Picoseconds> media_ready_after = 0;
  std::optional<Picoseconds> mailbox_ready_after = 0;
  std::optional<DeviceCapability> missing_capability{};  ///< left out of the device register block
};

}  // namespace pmufab::cxl
