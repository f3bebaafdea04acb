// SPDX-License-Identifier: Apache-2.0
#include "testbench/shell/process_tree.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>

#include <fmt/format.h>

namespace pmufab::shell {
namespace {

struct Status {
  char state = 'X';  // dead
  pid_t parent = 0;
};

Status status_of(pid_t process) {
  Status status;
  // "PID (name) state parent ...", and the name may hold anything.
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return status;
  std::istringstream(text.substr(name_end + 1)) >> status.state >> status.parent;
  return status;
}

bool has_ended(pid_t process) {
  const char state = status_of(process).state;
  return state == 'Z' || state == 'X';
}

}  // namespace

std::vector<pid_t> living_children(pid_t process) {
  std::vector<pid_t> children;
  std::error_code error;
  std::filesystem::directory_iterator threads(fmt::format("/proc/{}/task", process), error);
  for (; !error && threads != std::filesystem::directory_iterator(); threads.increment(error)) {
    std::ifstream file(threads->path() / "children");
    for (pid_t child = 0; file >> child;) {
      if (!has_ended(child)) children.push_back(child);
    }
  }
  return children;
}

pid_t parent_of(pid_t process) { return status_of(process).parent; }

}  // namespace pmufab::shell
