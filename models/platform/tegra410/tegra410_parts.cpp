// SPDX-License-Identifier: Apache-2.0
#include "models/platform/tegra410/tegra410_parts.h"

#include "models/platform/tegra410/pcie_part.h"
#include "models/platform/tegra410/pcie_spec.h"
#include "models/platform/tegra410/tegra410_part.h"

namespace pmufab::platform {

void add_tegra410_parts(const PlatformSpec& spec, PlatformParts& parts) {
  if (!spec.tegra410) return;
  parts.push_back(std::make_unique<Tegra410Part>(spec));
  if (!root_complexes_of(spec).empty()) parts.push_back(std::make_unique<PciePart>(spec));
}

}  // namespace pmufab::platform
