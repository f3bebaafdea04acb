// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/dwc/wire/description.h"

namespace pmufab::scoreboard {

/// One DesignWare root port, as its judge knows it.
struct DwcPortSpec {
  dwc::RootPortDescription description;
  std::string name;                 ///< as its driver calls its PMU
  std::uint64_t configuration = 0;  ///< address of its configuration space
};

/// The DesignWare root ports of a platform, in the order of the description.
struct DwcJudgeSpec {
  std::vector<DwcPortSpec> ports;
};

}  // namespace pmufab::scoreboard
