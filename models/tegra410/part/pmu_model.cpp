// SPDX-License-Identifier: Apache-2.0
#include "models/tegra410/part/pmu_model.h"

#include <cstdint>

namespace pmufab::platform {

NamedRegisters coresight_registers(const PmuRow& row, const coresight::CoreSightPmu& pmu) {
  std::vector<std::uint64_t> bases{row.windows.at(0).base};
  if (pmu.options().dual_page) bases.push_back(row.windows.at(1).base);
  return registers_of(row.name, std::move(bases), pmu);
}

std::vector<PmuModel::Target*> CoreSightPmuModel::targets() {
  std::vector<Target*> targets{&pmu_->socket};
  if (pmu_->options().dual_page) targets.push_back(&pmu_->page1);
  return targets;
}

}  // namespace pmufab::platform
