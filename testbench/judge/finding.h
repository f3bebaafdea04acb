// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tlm/clock/clock_domain.h"

namespace pmufab::scoreboard {

/// An observation of the scoreboard beside the counts.
struct Finding {
  enum class Severity : std::uint8_t {
    note,     ///< worth knowing, but harmless
    failure,  ///< the fabric or the driver broke a rule
  };
  Severity severity;
  std::string kind;  ///< stable word for tests and reports, for example "memory_access_missing"
  std::string text;
  Picoseconds when;
};

/// Findings in order. Of each kind, the first few are kept in words; all are counted.
class Findings {
 public:
  static constexpr std::size_t kKeptPerKind = 8;

  void add(Finding::Severity severity, const std::string& kind, const std::string& text, Picoseconds when);
  [[nodiscard]] const std::vector<Finding>& list() const noexcept { return list_; }
  [[nodiscard]] std::uint64_t count(const std::string& kind) const;
  [[nodiscard]] std::uint64_t failures() const noexcept { return failures_; }
  [[nodiscard]] const std::map<std::string, std::uint64_t>& counts() const noexcept { return counts_; }

 private:
  std::vector<Finding> list_;
  std::map<std::string, std::uint64_t> counts_;
  std::uint64_t failures_ = 0;
};

}  // namespace pmufab::scoreboard
