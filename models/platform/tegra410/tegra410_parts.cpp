// SPDX-License-Identifier: Apache-2.0
#include "models/platform/tegra410/tegra410_parts.h"

#include <utility>

#include "models/platform/tegra410/c2c_part.h"
#include "models/platform/tegra410/pcie_part.h"
#include "models/platform/tegra410/pcie_pmu_part.h"
#include "models/platform/tegra410/pcie_spec.h"
#include "models/platform/tegra410/tegra410_part.h"

namespace pmufab::platform {

void add_tegra410_parts(const PlatformSpec& spec, PlatformParts& parts) {
  if (!spec.tegra410) return;
  auto part = std::make_unique<Tegra410Part>(spec);
  Tegra410Part& sockets = *part;
  parts.push_back(std::move(part));
  parts.push_back(std::make_unique<PciePmuPart>(spec, sockets));
  parts.push_back(std::make_unique<C2cPart>(spec, sockets));
  if (!root_complexes_of(spec).empty()) parts.push_back(std::make_unique<PciePart>(spec));
}

}  // namespace pmufab::platform
