// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/report/kernel_errors.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

namespace pmufab::scenario {

namespace {

constexpr std::size_t kLevel = 3;  // <3>

bool is_error(const std::string& line) {
  return line.size() > kLevel && line[0] == '<' && line[1] >= '0' && line[1] <= '3' && line[2] == '>';
}

}  // namespace

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
  if (std::none_of(log.begin(), log.end(), is_error)) {
    for (const std::string& line : log) std::fputs((line + "\n").c_str(), stderr);
  }
  const char* const more =
      log.empty() ? "the kernel log is empty: no driver knows this hardware" : "see the kernel log above";
  std::fputs(fmt::format("pmufab: {}; {}\n", sentence, more).c_str(), stderr);
}

}  // namespace pmufab::scenario
