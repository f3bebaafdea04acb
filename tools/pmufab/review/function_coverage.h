// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "tlm/spec/named_fields.h"
#include "tools/pmufab/review/change.h"

namespace pmufab::cli {

/// A function of a driver that a change changes, and what of it ran.
struct ChangedFunction {
  std::string file;                      ///< "arm-cmn.c"
  std::string name;                      ///< without parentheses; empty: outside of functions, as in a macro or a table
  std::uint64_t calls = 0;               ///< in all runs
  std::vector<std::uint64_t> lines;      ///< changed ones that have code, in order
  std::vector<std::uint64_t> not_run;    ///< of these, those that never ran
  std::uint64_t branches = 0;            ///< ways out of branches in changed lines, or before changed jumps
  std::uint64_t branches_not_taken = 0;  ///< of these, those that were never taken
  bool is_removed = false;               ///< the driver has it no more

  static constexpr auto named_fields() {
    return std::tuple(NamedField{"file", &ChangedFunction::file}, NamedField{"function", &ChangedFunction::name},
                      NamedField{"calls", &ChangedFunction::calls}, NamedField{"lines", &ChangedFunction::lines},
                      NamedField{"lines_not_run", &ChangedFunction::not_run},
                      NamedField{"branches", &ChangedFunction::branches},
                      NamedField{"branches_not_taken", &ChangedFunction::branches_not_taken},
                      NamedField{"removed", &ChangedFunction::is_removed});
  }
};

/// What of a change ran.
struct FunctionCoverage {
  bool is_measured = false;  ///< the compiler and gcov told what ran
  std::vector<ChangedFunction> functions;

  static constexpr auto named_fields() {
    return std::tuple(NamedField{"measured", &FunctionCoverage::is_measured},
                      NamedField{"functions", &FunctionCoverage::functions});
  }
};

/// Ask gcov which of the changed lines ran in all runs with these drivers.
[[nodiscard]] FunctionCoverage read_coverage(const ChangedDrivers& drivers);

/// "12-14, 20"
[[nodiscard]] std::string ranges_text(const std::vector<std::uint64_t>& numbers);

}  // namespace pmufab::cli
