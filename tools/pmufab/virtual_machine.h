// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "testbench/process/child_process.h"
#include "testbench/process/descriptor.h"
#include "tools/pmufab/command.h"

namespace pmufab::cli {

/// Signals that ask for an end, without those that were ignored when this was called first: nohup means it.
[[nodiscard]] const sigset_t& end_signals();

/// The virtual machine, and what the command in it prints.
class VirtualMachine {
 public:
  /// Start it.
  /// @param command      of QEMU
  /// @param interactive  it has the terminal
  /// @param messages     file for what QEMU says
  /// @param printed      file the command in it prints to; none: it prints to QEMU's standard output
  VirtualMachine(const Arguments& command, bool interactive, const std::filesystem::path& messages,
                 const std::filesystem::path& printed);
  ~VirtualMachine();
  VirtualMachine(const VirtualMachine&) = delete;
  VirtualMachine& operator=(const VirtualMachine&) = delete;

  enum class End : std::uint8_t { itself, simulator_died, too_long, told };
  /// Wait for its end, printing what comes.
  /// @param simulator  without which it is stopped
  /// @param most       how long it may take
  End run(pid_t simulator, std::chrono::seconds most);

  [[nodiscard]] const std::string& printed() const noexcept { return printed_; }
  /// @return how its process ended; nothing unless it did by itself or by somebody else's doing
  [[nodiscard]] const std::optional<process::ProcessEnd>& process_end() const noexcept { return process_end_; }

 private:
  /// @return true if something came
  bool pass_on();

  pid_t pid_ = -1;
  termios terminal_{};
  const bool has_terminal_ = tcgetattr(STDIN_FILENO, &terminal_) == 0;
  const bool is_file_;
  process::Descriptor output_;
  process::Descriptor process_;
  std::string printed_;
  std::optional<process::ProcessEnd> process_end_;
};

}  // namespace pmufab::cli
