// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace pmufab::guest {

/// Settings of a virtual machine.
struct QemuOptions {
  std::filesystem::path guest;    ///< folder that tools/guest/prepare made
  std::filesystem::path session;  ///< folder of the session
  std::string initrd;             ///< file
  unsigned cpus = 1;
  std::uint64_t memory = 0;              ///< bytes
  std::vector<bool> below_ports{};       ///< for each PCI function: below a root port, or on the root bus
  std::filesystem::path clock_plugin{};  ///< makes instructions the guest's clock; empty: the wall clock
  bool interactive = false;  ///< the console is standard input and output; otherwise the command prints to kOutputName
};

/// Names in the folder of a session, beside those of guest_session.h.
inline constexpr const char* kConsoleName = "console";
inline constexpr const char* kStatusName = "status";
inline constexpr const char* kOutputName = "output";
inline constexpr const char* kInitrdName = "initrd";

/// @return QEMU's program and arguments
[[nodiscard]] std::vector<std::string> qemu_command(const QemuOptions& options);

/// @return the archive to append to the guest's initrd: the aperture's address, perf's wrapper, and the command
/// @param command           empty: a shell on the console
/// @param is_deterministic  for a machine with a clock_plugin
[[nodiscard]] std::string boot_archive(std::uint64_t aperture, const std::vector<std::string>& command,
                                       bool is_deterministic);

/// An archive of files as a kernel unpacks it at its start (cpio, format "newc"), to stand behind another one.
class Archive {
 public:
  void add_folder(const std::string& path) { add(path, {}, kFolder); }
  void add_file(const std::string& path, const std::string& content) { add(path, content, kFile); }
  void add_program(const std::string& path, const std::string& content) { add(path, content, kProgram); }
  /// @return the whole; nothing can be added any more
  [[nodiscard]] std::string finish();

 private:
  static constexpr unsigned kFolder = 040755;
  static constexpr unsigned kFile = 0100644;
  static constexpr unsigned kProgram = 0100755;
  void add(const std::string& path, const std::string& content, unsigned mode);
  void pad();

  std::string bytes_;
  unsigned next_ = 1;  // inode
};

/// @param folder  that tools/guest/prepare made
/// @return what kernel and QEMU it has
/// @throws scenario::InputError for a guest with which another version of this program talks, or of which a part
/// is missing
[[nodiscard]] std::string look_at_guest(const std::filesystem::path& folder);

}  // namespace pmufab::guest
