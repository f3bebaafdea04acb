// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "testbench/fabrics/cxl/judge/cxl_meaning.h"

namespace pmufab::scoreboard {

/// What is known about a CPMU's event whose driver's value is wrong.
struct CxlDoubt {
  CxlProgram meant;
  std::uint64_t expected = 0;
  unsigned width = 48;                      ///< of the counter
  std::optional<CxlProgram> written{};      ///< the program in the counter's registers, if it differs
  std::optional<unsigned> written_index{};  ///< event group index in the registers
  std::uint64_t written_count = 0;          ///< count of a correct counter with that program
  /// Counts, as meant and as written, up to the first overflow, if the driver never unfreezes.
  std::optional<std::uint64_t> at_overflow{};
  std::uint64_t written_at_overflow = 0;
  bool is_frozen_loss = false;  ///< what is missing passed between overflows and the handlers that unfroze the counters
};

/// @return the known mistake of a driver that explains the value, in words; empty if none does.
[[nodiscard]] std::string explain_cxl(const CxlDoubt& doubt, std::uint64_t driver);

}  // namespace pmufab::scoreboard
