// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/virtual_machine.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tools/pmufab/cli.h"

namespace pmufab::cli {
namespace {

using process::Descriptor;

constexpr mode_t kMine = 0600;

/// In the child: replace the process by QEMU.
[[noreturn]] void start(const Arguments& command, int output, pid_t parent, const std::filesystem::path& messages) {
  process::end_with(parent, SIGKILL);
  EndSignals::let_go();
  if (output >= 0) {
    // A process group of its own, so that Ctrl-C reaches only us.
    setpgid(0, 0);
    dup2(output, STDOUT_FILENO);
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
  }
  const int told = open(messages.c_str(), O_WRONLY | O_CREAT | O_APPEND, kMine);
  dup2(told, STDERR_FILENO);
  std::vector<char*> words;
  Arguments copy = command;
  for (std::string& word : copy) words.push_back(word.data());
  words.push_back(nullptr);
  execv(words.front(), words.data());
  complain("pmufab: {}: {}\n", command.front(), std::strerror(errno));
  _exit(kInternalError);
}

/// @return true if standard output takes at least what pass_on() prints, or has failed
bool is_taken() {
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  return poll(&output, 1, 0) != 0;
}

}  // namespace

VirtualMachine::VirtualMachine(const Arguments& command, bool interactive, const std::filesystem::path& messages,
                               const std::filesystem::path& printed)
    : is_file_(!printed.empty()) {
  int output[2] = {-1, -1};
  if (!interactive && pipe2(output, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  const pid_t parent = getpid();
  pid_ = process::start_child([&]() -> int { start(command, output[1], parent, messages); });
  if (!interactive) {
    close(output[1]);
    output_ = Descriptor(output[0]);
    if (is_file_) output_ = Descriptor(open(printed.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, kMine));
  }
  process_ = process::watch(pid_);
}

VirtualMachine::~VirtualMachine() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  // QEMU restores the terminal only if it ends by itself.
  if (has_terminal_) tcsetattr(STDIN_FILENO, TCSANOW, &terminal_);
}

VirtualMachine::End VirtualMachine::run(pid_t simulator, std::chrono::seconds most, EndSignals& signals) {
  const Descriptor other = process::watch(simulator);
  const auto last = std::chrono::steady_clock::now() + most;
  bool ended = false;
  while (true) {
    // A reader that does not read must not block the end.
    const bool taken = is_taken();
    std::array<pollfd, 4> files{{{is_file_ || !taken ? -1 : output_.get(), POLLIN, 0},
                                 {ended ? -1 : process_.get(), POLLIN, 0},
                                 {other.get(), POLLIN, 0},
                                 {signals.descriptor(), POLLIN, 0}}};
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(last - std::chrono::steady_clock::now()).count();
    if (left <= 0) return End::too_long;
    // There is no notification that a file has grown.
    const std::int64_t longest = ended && taken ? 0 : is_file_ || !taken ? 100 : 1000;
    if (poll(files.data(), files.size(), static_cast<int>(std::min(left, longest))) < 0) continue;
    if (files[3].revents != 0 && signals.take()) return End::told;
    if (files[1].revents != 0) {
      process_end_ = process::process_end(process::wait_for(std::exchange(pid_, -1)));
      ended = true;
    }
    if (!ended && files[2].revents != 0) return End::simulator_died;
    if (!taken) continue;
    const bool more = (ended || is_file_ || files[0].revents != 0) && pass_on();
    if (ended && !more) return End::itself;
  }
}

bool VirtualMachine::pass_on() {
  if (!output_) return false;
  std::array<char, 4096> bytes;
  const ssize_t size = read(output_.get(), bytes.data(), bytes.size());
  if (size <= 0) {
    if (size == 0 ? !is_file_ : errno != EINTR) output_.reset();
    return size < 0 && errno == EINTR;
  }
  // This much is compared at the end. The rest of an endless output is only passed on.
  constexpr std::size_t kMost = 64 << 20;
  if (printed_.size() < kMost) printed_.append(bytes.data(), static_cast<std::size_t>(size));
  std::fwrite(bytes.data(), 1, static_cast<std::size_t>(size), stdout);
  std::fflush(stdout);
  return true;
}

}  // namespace pmufab::cli
