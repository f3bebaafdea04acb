// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/soc/wire/description.h"

namespace pmufab::scoreboard {

/// One described PMU of one socket, as its judge knows it.
struct SocPmuSpec {
  soc::PmuDescription description;
  unsigned socket = 0;
  std::string name;  ///< as its driver calls it
  std::uint64_t page0 = 0;
  std::optional<std::uint64_t> page1;
};

/// The described PMUs of a platform, and what they count.
struct SocJudgeSpec {
  unsigned sockets = 1;
  std::vector<soc::SourceDescription> sources;
  std::vector<SocPmuSpec> pmus;
};

}  // namespace pmufab::scoreboard
