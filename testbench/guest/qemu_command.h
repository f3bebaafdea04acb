// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace pmufab::guest {

/// The settings a virtual machine is started with.
struct QemuOptions {
  std::filesystem::path guest;    ///< folder that tools/guest/prepare made
  std::filesystem::path session;  ///< folder of the session
  std::string initrd;             ///< file
  unsigned cpus = 1;
  std::uint64_t memory = 0;         ///< bytes
  std::vector<bool> below_ports{};  ///< for each PCI function whether it is below a root port, or on the root bus
  std::filesystem::path
      clock_plugin{};  ///< counts instructions, which are the guest's clock; none: the clock on the wall
  bool interactive =
      false;  ///< the guest's console is standard input and output; else what the command prints is in kOutputName
};

/// Names in the folder of a session, beside those of guest_session.h.
inline constexpr const char* kConsoleName = "console";
inline constexpr const char* kStatusName = "status";
inline constexpr const char* kOutputName = "output";
inline constexpr const char* kInitrdName = "initrd";

/// @return QEMU's program and arguments
[[nodiscard]] std::vector<std::string> qemu_command(const QemuOptions& options);

/// What is put behind the guest's own initrd: where the aperture is to be, perf's wrapper, and what to run.
/// @param command           nothing: a shell on the console
/// @param is_deterministic  for a machine with a clock_plugin
[[nodiscard]] std::string boot_archive(std::uint64_t aperture, const std::vector<std::string>& command,
                                       bool is_deterministic);

}  // namespace pmufab::guest
