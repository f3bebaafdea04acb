// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "testbench/scoreboard/cxl/cxl_meaning.h"

namespace pmufab::scoreboard {

/// What is known of a CPMU's event whose driver's value is wrong.
struct CxlDoubt {
  CxlProgram meant;
  std::uint64_t expected = 0;
  unsigned width = 48;                      ///< of the counter
  std::optional<CxlProgram> written{};      ///< into the counter's registers, if that means something else
  std::optional<unsigned> written_index{};  ///< event group index there
  std::uint64_t written_count = 0;          ///< what a counter with that program had to count
  /// Counts, meant and as written, when an overflow was handled first and nothing unfrozen.
  std::optional<std::uint64_t> at_overflow{};
  std::uint64_t written_at_overflow = 0;
};

/// @return which known mistake of a driver makes the value, in words; empty if none does.
[[nodiscard]] std::string explain_cxl(const CxlDoubt& doubt, std::uint64_t driver);

}  // namespace pmufab::scoreboard
