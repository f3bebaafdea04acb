// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "testbench/doors/guest/acpi/acpi_tables.h"
#include "tlm/firmware/firmware_description.h"

namespace pmufab::guest {

/// Where tables say that the platform's registers and wired interrupts are.
struct Places {
  struct Interrupt {
    std::uint32_t number;
    bool is_edge;
  };
  std::function<std::uint64_t(const platform::MemoryResource&)> address;
  std::function<Interrupt(const platform::InterruptResource&)> interrupt;
};

/// @return whether there is a CXL hierarchy to describe
[[nodiscard]] bool has_cxl(const platform::FirmwareDescription& firmware);

inline constexpr std::uint32_t kGuestBridge = 0;  ///< _UID of a guest's PCI host bridge; of a platform: its index

/// @return the AML of a guest's DSDT, without the table's header: CPUs in their containers, the serial console, QEMU's
/// PCI host bridge and the platform's devices.
/// @param places  must check the addresses it is asked for
[[nodiscard]] std::string guest_dsdt(const platform::FirmwareDescription& firmware,
                                     const std::vector<platform::Cpu>& cpus, const Places& places);

/// @return the same of the platform itself: CPUs in their containers, its PCI host bridges and its devices.
[[nodiscard]] std::string platform_dsdt(const platform::FirmwareDescription& firmware,
                                        const std::vector<platform::Cpu>& cpus, const Places& places);

}  // namespace pmufab::guest
