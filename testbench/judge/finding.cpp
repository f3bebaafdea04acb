// SPDX-License-Identifier: Apache-2.0
#include "testbench/judge/finding.h"

namespace pmufab::scoreboard {

void Findings::add(Finding::Severity severity, const std::string& kind, const std::string& text, Picoseconds when) {
  if (severity == Finding::Severity::failure) ++failures_;
  if (++counts_[kind] <= kKeptPerKind) list_.push_back({severity, kind, text, when});
}

std::uint64_t Findings::count(const std::string& kind) const {
  const auto found = counts_.find(kind);
  return found == counts_.end() ? 0 : found->second;
}

}  // namespace pmufab::scoreboard
