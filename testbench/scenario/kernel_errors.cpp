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

}  // namespace pmufab::scenario
