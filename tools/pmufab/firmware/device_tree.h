// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tlm/firmware/firmware_description.h"

namespace pmufab::cli {

/// @return the source of a device tree (DTS version 1) with the processors and the devices that have a binding of Linux:
/// meshes, and CoreSight PMUs that need nothing of ACPI. A comment lists the others, with reasons.
/// @param name  the platform's
[[nodiscard]] std::string to_device_tree(const platform::FirmwareDescription& firmware, const std::string& name);

}  // namespace pmufab::cli
