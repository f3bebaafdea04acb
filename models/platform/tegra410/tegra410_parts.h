// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/platform/platform_part.h"
#include "models/platform/platform_spec.h"

namespace pmufab::platform {

/// Make the parts of Tegra410 sockets, if the platform has any.
void add_tegra410_parts(const PlatformSpec& spec, PlatformParts& parts);

}  // namespace pmufab::platform
