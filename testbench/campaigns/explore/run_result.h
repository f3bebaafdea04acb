// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pmufab::explore {

/// What one run gave.
struct Result {
  std::string key;      ///< of what was run: configuration, drivers, program, measured values
  std::string drivers;  ///< version of Linux
  std::uint64_t seed = 0;
  std::string status;  ///< as in the JSON report: "passed"
  std::string message;
  std::vector<std::optional<double>> values;  ///< the study's responses, in its order
  double seconds = 0;
  double processor_seconds = 0;
  std::uint64_t memory_kib = 0;

  /// @return true if its run has ended. Another one is tried again: time, a limit, or a file may have been mended.
  [[nodiscard]] bool is_final() const {
    return status != "crashed" && status != "timed_out" && status != "interrupted" && status != "bad_input";
  }
};

}  // namespace pmufab::explore
