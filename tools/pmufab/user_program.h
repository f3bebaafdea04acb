// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "testbench/run/process/descriptor.h"
#include "tools/pmufab/command.h"
#include "tools/pmufab/end_signals.h"

namespace pmufab::cli {

/// In a child: become a command of the user, which is looked for as a shell does. If that is not possible, say why and
/// end as a shell does.
[[noreturn]] void become_program(std::vector<std::string> words);
/// @param status  of a program, from waitpid()
/// @return the exit code a shell shows for it
[[nodiscard]] int exit_code_of(int status);

/// Exit codes of a shell, and of the program `timeout`.
inline constexpr int kNoSuchProgram = 127;
inline constexpr int kTimedOut = 124;

/// What a program has printed, and the exit code a shell shows for it: kNoSuchProgram if there is none of that name.
struct ProgramReply {
  int exit_code = 0;
  std::string out;
  std::string errors;
};
/// Run a program of the user and wait for it. @throws std::system_error if no process can be made
[[nodiscard]] ProgramReply ask_program(const std::vector<std::string>& words);

/// The user's program, and every program it starts.
///
/// Ctrl-C and Ctrl-\ are for the program, as in a shell. SIGINT and SIGQUIT that a process sends to pmufab are passed on
/// to it and to its process group. SIGTERM and SIGHUP end all its processes: with SIGTERM, and with SIGKILL those that
/// are still there five seconds, or another of these signals, later.
class UserProgram {
 public:
  /// Start it.
  /// @param simulator  a child that is none of the program's processes
  /// @param become     in the child: becomes the program
  /// @throws std::system_error if no process can be made
  UserProgram(EndSignals& signals, pid_t simulator, const std::function<int()>& become);
  UserProgram& operator=(UserProgram&&) = delete;

  /// Wait until it has ended. @return its status from waitpid(); nothing if a signal to pmufab ended all its processes
  [[nodiscard]] std::optional<int> wait();

 private:
  void pass_on(int signal) const;
  void end_all() const;
  /// Collect processes whose own parent has ended.
  void collect_orphans() const;

  EndSignals& signals_;
  const pid_t simulator_;
  pid_t pid_;
  process::Descriptor process_;  // can be read when it has ended
};

/// Exit code of tools/build-drivers: a patch does not fit the kernel.
inline constexpr int kUnfitPatch = 3;

/// Where what a script prints goes.
enum class ScriptOutput : std::uint8_t {
  standard,
  error,  ///< to the standard error, because the program itself prints something else
};

/// Run a script that comes with pmufab (tools/ in the source tree), with this program's standard streams.
/// @return its exit code; 128 + the number of the signal that ended it
/// @throws scenario::InputError if it is not there
int run_script(const std::string& name, const Arguments& arguments, ScriptOutput output = ScriptOutput::standard);

/// Become gdb, which runs this program and stops before the drivers are loaded, with their symbols.
/// @param arguments  of this program there
/// @param commands   a file of gdb commands, carried out then; empty: none
/// @throws scenario::InputError if there is no gdb
[[noreturn]] void become_gdb(const Arguments& arguments, const std::filesystem::path& commands);

}  // namespace pmufab::cli
