// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/user_program.h"

#include <poll.h>
#include <spawn.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "testbench/run/process/child_process.h"
#include "testbench/run/process/descriptor.h"
#include "testbench/run/process/process_tree.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/end_signals.h"
#include "tools/pmufab/output.h"
#include "tools/pmufab/places.h"

namespace pmufab::cli {
namespace {

constexpr int kOrphaned = SIGUSR1;  // what the keeper of a script gets when pmufab ends

/// The signals of a keeper: it waits for two of them, and outlives those that end pmufab and the script.
sigset_t keeper_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGCHLD, kOrphaned}) sigaddset(&signals, number);
  for (const int number : kEndSignals) sigaddset(&signals, number);
  return signals;
}

/// Start a script, without the keeper's blocked signals. @return its process id; negative: errno
pid_t spawn(const std::string& name, Arguments arguments) {
  sigset_t mask;
  sigemptyset(&mask);
  arguments.insert(arguments.begin(), name);
  std::vector<char*> words;
  for (std::string& word : arguments) words.push_back(word.data());
  words.push_back(nullptr);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &mask);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t child = 0;
  const int error = posix_spawn(&child, name.c_str(), nullptr, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  return error == 0 ? child : -error;
}

/// Ask all descendants of this process to end, so that they can remove their files, and then make them.
void end_descendants() {
  constexpr std::chrono::seconds kPatience{2};
  constexpr std::chrono::milliseconds kTurn{10};
  for (const pid_t one : process::living_descendants(getpid())) kill(one, SIGTERM);
  const auto last = std::chrono::steady_clock::now() + kPatience;
  while (!process::living_children(getpid()).empty() && std::chrono::steady_clock::now() < last)
    std::this_thread::sleep_for(kTurn);
  process::end_other_children({});
}

/// The process between pmufab and a script: however pmufab ends, no process of the script stays, and no temporary file.
/// @return the exit code of the script
int keep(const std::string& name, const Arguments& arguments, const std::filesystem::path& folder, pid_t parent) {
  const sigset_t signals = keeper_signals();
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  process::end_with(parent, kOrphaned);
  process::adopt_orphans(true);
  setenv("TMPDIR", folder.c_str(), 1);
  const pid_t script = spawn(name, arguments);
  if (script < 0) {
    complain("pmufab: cannot run {}: {}\n", name, std::generic_category().message(-script));
    return kInternalError;
  }
  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGCHLD);
  sigaddset(&awaited, kOrphaned);
  while (true) {
    int told = 0;
    sigwait(&awaited, &told);
    if (told == kOrphaned) {
      end_descendants();
      std::error_code ignored;  // pmufab may have been killed
      std::filesystem::remove_all(folder, ignored);
      return kCheckFailed;
    }
    int status = 0;
    for (pid_t child = waitpid(-1, &status, WNOHANG); child > 0; child = waitpid(-1, &status, WNOHANG)) {
      constexpr int kSignalled = 128;
      if (child == script) return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status);
    }
  }
}

}  // namespace

int run_script(const std::string& script, const Arguments& arguments, ScriptOutput output) {
  const std::string name = find_script(script).string();
  // A signal that ends pmufab waits until the script has ended, and its files are gone.
  const HeldSignals held;
  const ScratchFolder scratch;
  const process::Descriptor told(signalfd(-1, &held.signals(), SFD_CLOEXEC));
  const pid_t parent = getpid();
  const pid_t keeper = process::start_child([&] {
    if (output == ScriptOutput::error) dup2(STDERR_FILENO, STDOUT_FILENO);
    return keep(name, arguments, scratch.path(), parent);
  });
  const process::Descriptor ended = process::watch(keeper);
  std::array<pollfd, 2> files{{{ended.get(), POLLIN, 0}, {told.get(), POLLIN, 0}}};
  while (poll(files.data(), files.size(), -1) < 0 && errno == EINTR) continue;
  if (files[0].revents == 0 && files[1].revents != 0) kill(keeper, kOrphaned);
  const process::ProcessEnd end = process::process_end(process::wait_for(keeper));
  return end.exited ? end.status : kInternalError;
}

}  // namespace pmufab::cli
