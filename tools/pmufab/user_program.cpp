// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/user_program.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "testbench/run/process/captured_output.h"
#include "testbench/run/process/child_process.h"
#include "testbench/run/process/process_tree.h"
#include "testbench/run/yaml/input_error.h"
#include "tools/pmufab/cli.h"

namespace pmufab::cli {
namespace {

/// Milliseconds from one look at processes that have another parent, or had, to the next.
constexpr int kOrphans = 1000;
constexpr int kEnding = 20;

bool can_read(int descriptor, int timeout_ms) {
  pollfd look{descriptor, POLLIN, 0};
  return poll(&look, 1, timeout_ms) == 1;
}

}  // namespace

void become_program(std::vector<std::string> words) {
  signal(SIGPIPE, SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments.front(), arguments.data());
  const int error = errno;
  complain("pmufab: {}: {}\n", words.front(), std::strerror(error));
  constexpr int kNotExecutable = 126;
  _exit(error == ENOENT ? kNoSuchProgram : kNotExecutable);
}

int exit_code_of(int status) {
  constexpr int kSignal = 128;  // the offset shells use
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignal + WTERMSIG(status);
}

ProgramReply ask_program(const std::vector<std::string>& words) {
  constexpr std::size_t kRoom = 16U << 20;  // a list of a million tasks
  constexpr int kTurn = 1000;               // ms
  process::CapturedOutput out(kRoom);
  process::CapturedOutput errors(kRoom);
  const pid_t child = process::start_child([&]() -> int {
    out.redirect(true, false);
    errors.redirect(false, true);
    become_program(words);
  });
  out.begin();
  errors.begin();
  while (out.descriptor() >= 0 || errors.descriptor() >= 0) {
    std::array<pollfd, 2> files{{{out.descriptor(), POLLIN, 0}, {errors.descriptor(), POLLIN, 0}}};
    poll(files.data(), files.size(), kTurn);
    if (files[0].revents != 0) out.read();
    if (files[1].revents != 0) errors.read();
  }
  const int exit_code = exit_code_of(process::wait_for(child));
  return {exit_code, out.finish(), errors.finish()};
}

UserProgram::UserProgram(EndSignals& signals, pid_t simulator, const std::function<int()>& become)
    : signals_(signals), simulator_(simulator) {
  process::adopt_orphans(true);
  const pid_t parent = getpid();
  pid_ = process::start_child([&] {
    process::end_with(parent, SIGHUP);
    EndSignals::let_go();
    return become();
  });
  process_ = process::watch(pid_);
}

std::optional<int> UserProgram::wait() {
  while (!can_read(process_.get(), 0)) {
    pollfd files[] = {{process_.get(), POLLIN, 0}, {signals_.descriptor(), POLLIN, 0}};
    poll(files, 2, kOrphans);
    collect_orphans();
    while (const std::optional<EndSignals::Signal> signal = signals_.take()) {
      if (signal->number == SIGTERM || signal->number == SIGHUP) {
        end_all();
        return std::nullopt;
      }
      if (!signal->by_key) pass_on(signal->number);
    }
  }
  return process::wait_for(pid_);
}

void UserProgram::pass_on(int signal) const {
  const pid_t group = getpgid(pid_);
  for (const pid_t process : process::living_descendants(getpid(), simulator_)) {
    if (getpgid(process) == group) kill(process, signal);
  }
}

void UserProgram::end_all() const {
  constexpr std::chrono::seconds kGrace{5};
  for (const pid_t process : process::living_descendants(getpid(), simulator_)) {
    kill(process, SIGTERM);
    kill(process, SIGCONT);  // one that is stopped cannot end
  }
  const auto last = std::chrono::steady_clock::now() + kGrace;
  while (!process::living_descendants(getpid(), simulator_).empty()) {
    const std::optional<EndSignals::Signal> again = signals_.take();
    if ((again && !again->by_key) || std::chrono::steady_clock::now() >= last) break;
    static_cast<void>(can_read(signals_.descriptor(), kEnding));
    collect_orphans();
  }
  kill(pid_, SIGKILL);
  static_cast<void>(can_read(process_.get(), kOrphans));  // then its children are ours
  process::end_other_children({simulator_});
}

void UserProgram::collect_orphans() const {
  for (const pid_t child : process::all_children(getpid())) {
    if (child != simulator_ && child != pid_) waitpid(child, nullptr, WNOHANG);
  }
}

void become_gdb(const Arguments& arguments, const std::filesystem::path& commands) {
  std::error_code error;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe", error).string();
  // The function of the drivers' library that loads the kernel modules (testbench/host/runtime/module.c).
  Arguments words = {"gdb",  "-q",
                     "-iex", "set debuginfod enabled off",
                     "-iex", "set breakpoint pending on",
                     "-ex",  "tbreak pmufab_modules_load_for_devices",
                     "-ex",  "run"};
  if (!commands.empty()) words.insert(words.end(), {"-x", commands.string()});
  words.insert(words.end(), {"--args", program});
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execvp("gdb", pointers.data());
  const int reason = errno;
  throw scenario::InputError(reason == ENOENT
                                 ? "there is no program 'gdb'"
                                 : fmt::format("gdb does not start: {}", std::generic_category().message(reason)),
                             "install it (package gdb), or give --in-process to another debugger");
}

}  // namespace pmufab::cli
