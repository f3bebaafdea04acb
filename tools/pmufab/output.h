// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace pmufab::cli {

/// A file of results being written. What stands at its name stays as it is until commit(), and nobody sees half of it:
/// a regular file is written beside its place and renamed. Symbolic links stay links. What is neither a regular file
/// nor missing (a device, a named pipe) is written to, not replaced. Its folder must be there.
class OutputFile {
 public:
  /// @param file  as the user named it
  /// @throws scenario::InputError if nothing can be written there
  explicit OutputFile(const std::filesystem::path& file);
  /// Without commit() nothing has happened to the user's file.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// The temporary file to write to. Its extension is the user's.
  [[nodiscard]] const std::filesystem::path& temporary() const noexcept { return temporary_; }
  /// @throws scenario::InputError if it cannot be written
  void write(const std::string& content) const;
  /// Put what was written in its place. @throws scenario::InputError
  void commit();

 private:
  void pass_on() const;
  [[noreturn]] void fail(int error) const;

  std::filesystem::path named_;      // by the user
  std::filesystem::path target_;     // where links lead to
  std::filesystem::path temporary_;  // empty: there is none any more
  bool replace_ = true;              // otherwise written through
};

/// Nothing is written. @throws scenario::InputError if the file could not be written
void check_writable(const std::filesystem::path& file);

/// Write a whole file. @throws scenario::InputError if it cannot be written
void write_file(const std::filesystem::path& file, const std::string& content);

/// A folder that vanishes with its object. When the program is killed (SIGKILL) it stays.
class ScratchFolder {
 public:
  /// @throws scenario::InputError if there is no place for it ($TMPDIR)
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

/// Before anything else: a standard stream that is closed must not become the first file opened, and a reader that goes
/// away must not end the program before its reports are written.
void prepare_standard_streams();

/// After everything that is said on standard error, where that is a result: has it taken all?
/// @return `code`, or the exit code for output that was lost
[[nodiscard]] int finish_standard_error(int code);

/// After everything else: has standard output taken all that was printed? If not, say so on standard error.
/// @return `code`, or the exit code for output that was lost. A pipe whose reader went away has lost nothing.
[[nodiscard]] int finish_standard_output(int code);

}  // namespace pmufab::cli
