// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "testbench/run/process/child_process.h"
#include "testbench/run/process/descriptor.h"
#include "tools/pmufab/command.h"
#include "tools/pmufab/end_signals.h"

namespace pmufab::cli {

/// The virtual machine, and the output of its command.
class VirtualMachine {
 public:
  /// Start it.
  /// @param command      of QEMU
  /// @param interactive  it uses the terminal
  /// @param messages     file for QEMU's messages
  /// @param printed      file for the output of the guest's command; none: it goes to QEMU's standard output
  VirtualMachine(const Arguments& command, bool interactive, const std::filesystem::path& messages,
                 const std::filesystem::path& printed);
  ~VirtualMachine();
  VirtualMachine& operator=(VirtualMachine&&) = delete;

  enum class End : std::uint8_t { itself, simulator_died, too_long, told };
  /// Wait until it ends, and print its output.
  /// @param simulator  if it ends, the machine is stopped
  /// @param most       longest time allowed
  /// @param signals    if one comes, the machine is stopped
  End run(pid_t simulator, std::chrono::seconds most, EndSignals& signals);

  [[nodiscard]] const std::string& printed() const noexcept { return printed_; }
  /// @return how its process ended; nothing if we stopped it
  [[nodiscard]] const std::optional<process::ProcessEnd>& process_end() const noexcept { return process_end_; }

 private:
  /// @return true if there was output
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
