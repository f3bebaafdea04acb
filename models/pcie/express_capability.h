// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/pcie/configuration_space.h"
#include "models/pcie/function.h"

namespace pmufab::pcie {

/// Add the PCI Express capability (id 0x10, version 2), as a trained link of that speed and width shows it.
/// @return its offset
/// @throws SpecError for an impossible link
unsigned add_express_capability(ConfigurationSpace& space, PortType type, const LinkParameters& link,
                                bool function_level_reset);

}  // namespace pmufab::pcie
