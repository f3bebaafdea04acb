// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/report/kernel_errors.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

namespace pmufab::scenario {

namespace {

constexpr std::size_t kLevel = 3;  // <3>

/// A line that begins with a level: '0' is the worst.
bool has_level(const std::string& line, char least) noexcept {
  return line.size() >= kLevel && line[0] == '<' && line[1] >= '0' && line[1] <= least && line[2] == '>';
}

bool is_error(const std::string& line) noexcept { return has_level(line, '3'); }

}  // namespace

bool is_kernel_warning(const std::string& line) noexcept { return has_level(line, '4'); }

void print_kernel_errors(const std::vector<std::string>& log, const char* source) {
  for (const std::string& line : log) {
    if (is_error(line)) std::fputs(fmt::format("pmufab: {} say: {}\n", source, line.substr(kLevel)).c_str(), stderr);
  }
}

void print_warnings(const perf::PmuCatalog& catalog) {
  for (const std::string& warning : catalog.warnings())
    std::fputs(fmt::format("pmufab: {}\n", warning).c_str(), stderr);
}

void print_failure(const std::vector<std::string>& log, const std::string& sentence) {
  if (std::ranges::none_of(log, is_error)) {
    for (const std::string& line : log) std::fputs((line + "\n").c_str(), stderr);
  }
  const char* const more =
      log.empty() ? "the kernel log is empty: no driver knows this hardware" : "see the kernel log above";
  std::fputs(fmt::format("pmufab: {}; {}\n", sentence, more).c_str(), stderr);
}

}  // namespace pmufab::scenario
