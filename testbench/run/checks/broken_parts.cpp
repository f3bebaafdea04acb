// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/checks/broken_parts.h"

#include <algorithm>

#include <fmt/format.h>

namespace pmufab::scenario {

bool BrokenParts::has_registers(std::string_view bank) const {
  return std::ranges::any_of(windows, [&](const std::string& window) {
    return bank.starts_with(window) && (bank.size() == window.size() || bank[window.size()] == '.');
  });
}

std::string BrokenParts::added_to(std::string_view text) const {
  if (reasons.empty()) return std::string(text);
  return fmt::format("{}; not judged: {}", text, fmt::join(reasons, " | "));
}

}  // namespace pmufab::scenario
