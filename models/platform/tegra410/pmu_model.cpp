// SPDX-License-Identifier: Apache-2.0
#include "models/platform/tegra410/pmu_model.h"

namespace pmufab::platform {

std::vector<PmuModel::Target*> CoreSightPmuModel::targets() {
  std::vector<Target*> targets{&pmu_->socket};
  if (pmu_->options().dual_page) targets.push_back(&pmu_->page1);
  return targets;
}

}  // namespace pmufab::platform
