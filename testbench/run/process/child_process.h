// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>
#include <sys/types.h>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "testbench/run/process/descriptor.h"

namespace pmufab::process {

/// How a child process ended.
struct ProcessEnd {
  bool exited = false;  ///< by exit, with `status`; otherwise by the signal `status`
  int status = 0;
  bool asked = false;      ///< to end, before it did
  bool timed_out = false;  ///< it took too long and was asked to end
  bool stopped = false;    ///< it did not end when asked to, and was killed
  std::string limit{};     ///< the limit at which it was asked to end, in words; empty: none
  std::string place{};     ///< the function that it was in when it was killed; empty: not known
};

/// @param status  from waitpid(), for a process that has ended
[[nodiscard]] ProcessEnd process_end(int status) noexcept;

/// @return true if SIGKILL ended it, or the request to end: it did not answer that itself
[[nodiscard]] bool is_killed(const ProcessEnd& end) noexcept;

/// The end in words for people.
[[nodiscard]] std::string describe(const ProcessEnd& end);

/// Start a child process. Nothing else in this program forks.
/// @param work  runs in the child and must not throw. The child ends with its result, unless it becomes another program
/// @return the child's process id
/// @throws std::system_error if no process can be made
pid_t start_child(const std::function<int()>& work);

/// Wait for a child to end. @return its status from waitpid()
/// @throws std::system_error if there is no such child, or if the system drops what becomes of children (an ignored
///         SIGCHLD)
int wait_for(pid_t child);

/// @return a file descriptor that can be read when a process has ended (a pidfd)
/// @throws std::system_error if there is no such process, or no more descriptors
[[nodiscard]] Descriptor watch(pid_t process);

/// As wait_for(), but does not wait. @return nothing if the child still runs
/// @param used  receives what a child that has ended used
[[nodiscard]] std::optional<int> ended(pid_t child, rusage* used = nullptr);

/// In a new child: be killed when the parent ends, however that happens.
/// @param parent  process id of the parent, asked before the fork: it may have ended since
/// @param signal  what kills the child
void end_with(pid_t parent, int signal);

/// In a new child: close all file descriptors but the standard three. Whatever runs in it cannot reach the parent's
/// files and sockets through them.
void close_parents_files() noexcept;

/// Leave a child process. Nothing that the fork copied from the parent runs a second time.
[[noreturn]] void leave_child(int code);

/// Remove the kernel log's lines, "[ 0.000012] text", from a child's output. @return the lines
std::vector<std::string> take_kernel_log(std::string& output);

/// What becomes of what guarded work prints, and how long it may take.
struct Guard {
  bool shows_output = true;   ///< standard output is the parent's, too; otherwise it is kept with the errors
  bool shows_errors = false;  ///< so is standard error, and it is not kept; otherwise its first and last part are
  /// Then the child is killed, with all it has started. Nothing: it takes as long as it takes.
  std::optional<std::chrono::seconds> patience{};
};

/// The result of guarded work.
struct GuardedEnd {
  bool finished = false;                ///< the work returned; otherwise its process died before that
  ProcessEnd process;                   ///< exited: with the work's result
  std::string told;                     ///< by the work, if it finished
  std::string errors;                   ///< its output on standard error, printable
  std::vector<std::string> kernel_log;  ///< taken out of `errors`
};

/// Do work in a child process, so that a driver or a plug-in can crash only that process.
/// @param work  receives a text that it may fill, of any length, for the parent
/// @throws std::system_error if the process cannot be made
[[nodiscard]] GuardedEnd run_guarded(const Guard& guard, const std::function<int(std::string& told)>& work);

/// @return a word of a command line, in quotes if a shell would take it for something else
[[nodiscard]] std::string shell_word(const std::string& word);

}  // namespace pmufab::process
