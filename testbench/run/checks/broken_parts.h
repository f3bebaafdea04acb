// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace pmufab::scenario {

/// Hardware that faults keep from drivers at the end of a run: what is judged there says nothing of it.
struct BrokenParts {
  std::set<std::string> pmus;        ///< whose drivers use it
  std::set<std::string> windows;     ///< of registers: "socket0.ucf_pmu"
  std::vector<std::string> reasons;  ///< "arm_cmn_0: faults[1] (reads_all_ones) lasts until the end"

  /// @return true if a bank of registers is in one of the windows: "cxl0.cpmu0" is in "cxl0"
  [[nodiscard]] bool has_registers(std::string_view bank) const;
  /// @return the text, and behind it what is not judged
  [[nodiscard]] std::string added_to(std::string_view text) const;
};

}  // namespace pmufab::scenario
