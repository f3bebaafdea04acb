// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "testbench/guest/acpi/acpi_tables.h"
#include "tlm/firmware/firmware_description.h"

namespace pmufab::guest {

/// @return the AML of the DSDT, without the table's header: CPUs in their containers, the serial console, the PCI host
/// bridge and the platform's devices.
/// @param map  must check the addresses it is asked for
[[nodiscard]] std::string dsdt_code(const platform::FirmwareDescription& firmware,
                                    const std::vector<platform::Cpu>& cpus, const GuestMap& map);

}  // namespace pmufab::guest
