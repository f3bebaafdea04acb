#include "testbench/scenario/kernel_errors.h"

#include <cstdio>

#include <fmt/format.h>

namespace pmufab::scenario {

bool print_kernel_errors(const std::vector<std::string>& log, const char* who) {
  constexpr std::size_t kLevel = 3;  // <3>
  bool any = false;
  for (const std::string& line : log) {
    if (line.size() <= kLevel || line[0] != '<' || line[1] < '0' || line[1] > '3' || line[2] != '>') continue;
    std::fputs(fmt::format("pmufab: {} say: {}\n", who, line.substr(kLevel)).c_str(), stderr);
    any = true;
  }
  return any;
}

void print_failure(const std::vector<std::string>& log, bool errors_printed, const std::string& sentence) {
  if (!errors_printed) {
    for (const std::string& line : log) std::fputs((line + "\n").c_str(), stderr);
  }
  const char* const more = log.empty() ? "the kernel log is empty: none of them knows this hardware"
                                       : "above is what the kernel log has of it";
  std::fputs(fmt::format("pmufab: {}; {}\n", sentence, more).c_str(), stderr);
}

}  // namespace pmufab::scenario
