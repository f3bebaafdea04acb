// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/soc/wire/description.h"

namespace pmufab::scoreboard {

/// One described PMU of one socket, as its judge knows it.
struct SocPmuSpec {
  soc::PmuDescription description;
  unsigned socket = 0;
  std::string name;                    ///< as its driver calls it
  std::vector<std::uint64_t> windows;  ///< physical addresses; of a CoreSight PMU, its pages
};

/// The described PMUs of a platform, and what they count.
struct SocJudgeSpec {
  unsigned sockets = 1;
  std::vector<soc::SourceDescription> sources;
  std::vector<SocPmuSpec> pmus;
};

}  // namespace pmufab::scoreboard
