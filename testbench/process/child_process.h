// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace pmufab::scenario {

/// How a process ended that work was done in.
struct ProcessEnd {
  bool exited = false;  ///< by itself, with `status`; otherwise by the signal `status`
  int status = 0;
  bool timed_out = false;  ///< it was asked to end for taking too long
  bool stopped = false;    ///< it was killed because it did not end when asked to
};

/// @param status  what waitpid() says of a process that has ended
[[nodiscard]] ProcessEnd process_end(int status) noexcept;

/// In words for people.
/// @param has_drivers  they may be to blame
[[nodiscard]] std::string describe(const ProcessEnd& end, bool has_drivers = true);

/// In a new child: let what is written to standard output and standard error, one or both, go to a file.
void redirect_output(const std::filesystem::path& file, bool standard_output, bool standard_error);

/// Leave a child process: nothing of the parent's that was copied by the fork runs a second time.
[[noreturn]] void leave_child(int code);

/// Take the kernel log's lines, "[    0.000012] text", out of what a child wrote. @return the lines
std::vector<std::string> take_kernel_log(std::string& output);

/// What came of guarded work.
struct GuardedEnd {
  bool finished = false;                ///< the work came to its end; otherwise its process died on the way
  ProcessEnd process;                   ///< exited: with what the work returned
  std::string errors;                   ///< what it wrote to standard error
  std::vector<std::string> kernel_log;  ///< taken out of `errors`
};

/// Do work in a child process: what a driver does to its process it does to that one. Standard output is the parent's.
/// @param scratch   folder for what the work leaves behind
/// @param show_errors  standard error is the parent's too: nothing of it is kept
/// @throws std::system_error if there can be no such process
[[nodiscard]] GuardedEnd run_guarded(const std::filesystem::path& scratch, bool show_errors,
                                     const std::function<int()>& work);

}  // namespace pmufab::scenario
