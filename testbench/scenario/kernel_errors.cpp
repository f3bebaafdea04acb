#include "testbench/scenario/kernel_errors.h"

namespace pmufab::scenario {

std::vector<std::string> kernel_errors(const std::vector<std::string>& log) {
  std::vector<std::string> errors;
  for (const std::string& line : log) {
    if (line.size() > 3 && line[0] == '<' && line[1] >= '0' && line[1] <= '3' && line[2] == '>')
      errors.push_back(line.substr(3));
  }
  return errors;
}

}  // namespace pmufab::scenario
