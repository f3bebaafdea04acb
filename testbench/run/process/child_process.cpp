// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/process/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "testbench/run/process/captured_output.h"
#include "testbench/run/process/descriptor.h"
#include "testbench/run/process/resource_limits.h"
#include "tlm/spec/printable.h"

namespace pmufab::process {

ProcessEnd process_end(int status) noexcept {
  ProcessEnd end;
  end.exited = WIFEXITED(status);
  end.status = end.exited ? WEXITSTATUS(status) : WTERMSIG(status);
  return end;
}

bool is_killed(const ProcessEnd& end) noexcept {
  return !end.exited && (end.status == SIGKILL || (end.asked && end.status == SIGINT));
}

std::string describe(const ProcessEnd& end) {
  const bool killed = is_killed(end);
  const std::string place = end.place.empty() ? "nothing tells where it was" : fmt::format("it was in {}", end.place);
  if (!end.limit.empty()) {
    const std::string how = end.place.empty() ? "it was killed; " : fmt::format("it was killed in {}; ", end.place);
    return fmt::format("{}; {}the results so far are kept", end.limit, killed ? how : "");
  }
  if (killed && end.timed_out)
    return fmt::format(
        "it took too long (--timeout); it did not answer and was killed ({}); the results so far are kept", place);
  if (killed && (end.stopped || end.asked))
    return fmt::format("stopped by the user; it did not answer and was killed ({}); the results so far are kept",
                       place);
  if (end.exited) return fmt::format("its process ended early with exit code {}", end.status);
  if (killed) return "its process was killed by signal 9 (Killed): by a user, or because memory ran out";
  const char* words = sigdescr_np(end.status);
  return fmt::format("its process was killed by signal {} ({}){}", end.status, words != nullptr ? words : "unknown",
                     end.place.empty() ? "" : ", in " + end.place);
}

pid_t start_child(const std::function<int()>& work) {
  std::fflush(nullptr);  // or the child writes it, too
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    leave_parents_page();
    leave_child(work());
  }
  return child;
}

std::optional<int> ended(pid_t child, rusage* used) {
  int status = 0;
  const pid_t found = wait4(child, &status, WNOHANG, used);
  if (found < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "wait4");
  // A child that let itself be traced tells each of its stops, too.
  return found == child && !WIFSTOPPED(status) ? std::optional(status) : std::nullopt;
}

int wait_for(pid_t child) {
  int status = 0;
  while (true) {
    const pid_t found = waitpid(child, &status, 0);
    if (found < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "waitpid");
    if (found == child && !WIFSTOPPED(status)) return status;
  }
}

Descriptor watch(pid_t process) {
  Descriptor watched(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
  if (!watched) throw std::system_error(errno, std::generic_category(), "pidfd_open");
  return watched;
}

void end_with(pid_t parent, int signal) {
  prctl(PR_SET_PDEATHSIG, signal);
  if (getppid() != parent) std::_Exit(EXIT_FAILURE);
}

void close_parents_files() noexcept { close_range(STDERR_FILENO + 1, ~0U, 0); }

void leave_child(int code) {
  std::fflush(nullptr);
  // On success, let a leak checker run.
  if (code == 0) std::exit(code);
  std::_Exit(code);
}

std::vector<std::string> take_kernel_log(std::string& output) {
  std::vector<std::string> log;
  std::string rest;
  for (std::size_t at = 0; at < output.size();) {
    const std::size_t end = std::min(output.find('\n', at), output.size() - 1) + 1;
    std::string line = output.substr(at, end - at);
    at = end;
    const std::size_t digits = line.find_first_not_of(' ', 1);
    const std::size_t close = digits == std::string::npos ? digits : line.find_first_not_of("0123456789.", digits);
    if (line.front() == '[' && close != std::string::npos && close > digits && line.compare(close, 2, "] ") == 0) {
      while (line.ends_with('\n')) line.pop_back();
      log.push_back(std::move(line));
    } else {
      rest += line;
    }
  }
  output = std::move(rest);
  return log;
}

namespace {

using Clock = std::chrono::steady_clock;  // for the time-out only: nothing of it reaches a result

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Add what is there to a text. Closes the file at its end.
void read_some(Descriptor& file, std::string& text) {
  std::array<char, 4096> piece;
  ssize_t size = 0;
  while (file && (size = read(file.get(), piece.data(), piece.size())) > 0)
    text.append(piece.data(), static_cast<std::size_t>(size));
  if (size == 0) file.reset();
}

/// What guarded work tells, before its text: an exit code alone could come from any call of exit().
constexpr char kDone = 1;

}  // namespace

GuardedEnd run_guarded(const Guard& guard, const std::function<int(std::string& told)>& work) {
  constexpr std::size_t kRoom = 1U << 20;
  constexpr int kTurn = 100;  // ms
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  Descriptor mine(ends[0]);
  Descriptor childs(ends[1]);
  fcntl(mine.get(), F_SETFL, O_NONBLOCK);
  CapturedOutput output(kRoom);
  const pid_t parent = getpid();
  const Clock::time_point begin = Clock::now();
  const pid_t child = start_child([&] {
    if (guard.patience) setpgid(0, 0);
    end_with(parent, SIGKILL);
    output.redirect(!guard.shows_output, !guard.shows_errors);
    std::string told;
    const int code = work(told);
    write_all(childs.get(), kDone + told);
    return code;
  });
  childs.reset();
  output.begin();
  Descriptor end;
  try {
    end = watch(child);
  } catch (const std::system_error&) {
    end = {};  // without a descriptor to spare, it is asked now and then
  }
  GuardedEnd result;
  std::optional<int> status;
  while (!status) {
    // Processes that the child started may keep the pipes open.
    std::array<pollfd, 3> wait{{{output.descriptor(), POLLIN, 0}, {mine.get(), POLLIN, 0}, {end.get(), POLLIN, 0}}};
    poll(wait.data(), wait.size(), kTurn);
    if (output.descriptor() >= 0) output.read();
    read_some(mine, result.told);
    status = ended(child);
    result.process.timed_out = !status && guard.patience && Clock::now() - begin > *guard.patience;
    if (!result.process.timed_out) continue;
    kill(child, SIGKILL);
    status = wait_for(child);
  }
  if (guard.patience) kill(-child, SIGKILL);  // what it has started
  const bool is_late = result.process.timed_out;
  result.process = process_end(*status);
  result.process.timed_out = is_late;
  read_some(mine, result.told);
  result.finished = result.told.starts_with(kDone) && result.process.exited;
  result.told.erase(0, 1);
  result.errors = printable_lines(output.finish());
  result.kernel_log = take_kernel_log(result.errors);
  return result;
}

std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=:,@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

}  // namespace pmufab::process
