// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/process/process_tree.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

#include <fmt/format.h>

namespace pmufab::process {
namespace {

struct Status {
  char state = 'X';  // dead
  pid_t parent = 0;
};

Status status_of(const std::filesystem::path& folder) {
  Status status;
  // "PID (name) state parent ...", and the name may hold anything but a zero. A process that ends after the opening
  // makes the reading fail, at which an iterator of the stream's buffer would throw.
  std::ifstream file(folder / "stat");
  std::string text;
  std::getline(file, text, '\0');
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return status;
  std::istringstream(text.substr(name_end + 1)) >> status.state >> status.parent;
  return status;
}

Status status_of(pid_t process) { return status_of(std::filesystem::path(fmt::format("/proc/{}", process))); }

bool has_ended(pid_t process) {
  const char state = status_of(process).state;
  return state == 'Z' || state == 'X';
}

}  // namespace

bool is_running(pid_t process) {
  std::error_code error;
  std::filesystem::directory_iterator threads(fmt::format("/proc/{}/task", process), error);
  for (; !error && threads != std::filesystem::directory_iterator(); threads.increment(error)) {
    const char state = status_of(threads->path()).state;
    if (state == 'R' || state == 'D') return true;
  }
  return false;
}

std::vector<pid_t> all_children(pid_t process) {
  std::vector<pid_t> children;
  std::error_code error;
  std::filesystem::directory_iterator threads(fmt::format("/proc/{}/task", process), error);
  for (; !error && threads != std::filesystem::directory_iterator(); threads.increment(error)) {
    std::ifstream file(threads->path() / "children");
    for (pid_t child = 0; file >> child;) children.push_back(child);
  }
  return children;
}

std::vector<pid_t> living_children(pid_t process) {
  std::vector<pid_t> children = all_children(process);
  std::erase_if(children, has_ended);
  return children;
}

std::size_t count_descendants(pid_t process, std::size_t most) {
  std::vector<pid_t> found = living_children(process);
  for (std::size_t i = 0; i < found.size() && found.size() <= most; ++i) {
    for (const pid_t child : living_children(found[i])) found.push_back(child);
  }
  return std::min(found.size(), most + 1);
}

std::vector<pid_t> living_descendants(pid_t process, pid_t without) {
  std::vector<pid_t> found = living_children(process);
  std::erase(found, without);
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const pid_t child : living_children(found[i])) found.push_back(child);
  }
  return found;
}

void adopt_orphans(bool adopt) { prctl(PR_SET_CHILD_SUBREAPER, adopt ? 1 : 0); }

void end_other_children(const std::vector<pid_t>& wanted) {
  constexpr unsigned kMostRounds = 10'000;  // children may go on to make others until each has been found
  for (unsigned round = 0; round < kMostRounds; ++round) {
    bool found = false;
    for (const pid_t child : all_children(getpid())) {
      if (std::find(wanted.begin(), wanted.end(), child) != wanted.end()) continue;
      // It may be another user's (a setuid program).
      if (kill(child, SIGKILL) != 0 && waitpid(child, nullptr, WNOHANG) != child) continue;
      found = true;
      waitpid(child, nullptr, 0);
    }
    if (!found) return;
  }
}

bool has_pending(pid_t process, pid_t thread, int signal) {
  // Example of a line: "ShdPnd:	0000000000002000"
  const std::string name = thread != 0 ? "SigPnd:" : "ShdPnd:";
  std::ifstream file(thread != 0 ? fmt::format("/proc/{}/task/{}/status", process, thread)
                                 : fmt::format("/proc/{}/status", process));
  for (std::string word; file >> word;) {
    std::uint64_t signals = 0;
    if (word == name) return file >> std::hex >> signals && (signals >> (signal - 1) & 1) != 0;
  }
  return false;
}

pid_t parent_of(pid_t process) { return status_of(process).parent; }

}  // namespace pmufab::process
