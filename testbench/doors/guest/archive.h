// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace pmufab::guest {

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

}  // namespace pmufab::guest
