// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <ios>
#include <string>

#include <boost/program_options/variables_map.hpp>

#include "testbench/run/process/descriptor.h"

namespace pmufab::cli {

/// While there is one, the signals that end a program (SIGINT, SIGTERM, SIGHUP, SIGQUIT) wait. Those that are ignored
/// stay so.
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals& operator=(HeldSignals&&) = delete;
  /// What is held.
  [[nodiscard]] const sigset_t& signals() const noexcept { return signals_; }

 private:
  sigset_t signals_{};
  sigset_t before_{};
};

/// A file of results being written. The file of that name stays unchanged until commit(), and nobody sees half of the
/// new one: a regular file is written beside its place and renamed. Symbolic links stay links. Something else, such as
/// a device or a named pipe, is written to and not replaced. The folder must exist. In a folder that everybody may
/// write to, such as /tmp, links and named pipes of other users are refused. If a signal or a crash ends the program,
/// the file beside the place stays at most until the next one for the same place.
class OutputFile {
 public:
  /// Whether the file beside the place is of use to others.
  enum class Beside : std::uint8_t {
    hidden,   ///< NAME.new-XXXXXX
    partial,  ///< NAME.partial: all that was written until then can be read there, also if the program is killed. As
              ///< hidden, if another program writes one for the same place
  };
  /// @param file  as the user named it
  /// @throws scenario::InputError if nothing can be written there
  explicit OutputFile(const std::filesystem::path& file, Beside beside = Beside::hidden);
  /// Without commit() the user's file is unchanged.
  ~OutputFile();
  OutputFile& operator=(OutputFile&&) = delete;

  /// The temporary file to write to. Its extension is the user's.
  [[nodiscard]] const std::filesystem::path& temporary() const noexcept { return temporary_; }
  /// @throws scenario::InputError if it cannot be written
  void write(const std::string& content) const;
  /// Add to what was written. @throws scenario::InputError if it cannot be written
  void append(const std::string& content) const;
  /// Move the written file to its place. @throws scenario::InputError
  void commit();
  /// The same, and a crash of the machine leaves the old file or the new one. @throws scenario::InputError
  void commit_durably();

  /// Remove the temporary files of this process. For signal handlers.
  static void remove_all_temporary() noexcept;

 private:
  void put(const std::string& content, std::ios::openmode mode) const;
  void pass_on() const;
  /// @throws scenario::InputError if the program has read the file, or will read it
  void check_no_input() const;
  [[noreturn]] void fail(int error) const;

  std::filesystem::path named_;      // by the user
  std::filesystem::path target_;     // where links lead to
  std::filesystem::path temporary_;  // empty: no longer there
  bool replace_ = true;              // false: written in place
  process::Descriptor lock_;         // on the temporary file: it is in use
  pid_t process_ = -1;               // that made it
  OutputFile* next_ = nullptr;
  static OutputFile* open_files_;  // all there are; changed only while signals are held
};

/// Writes nothing. @throws scenario::InputError if the file could not be written
void check_writable(const std::filesystem::path& file);

/// Write a whole file. @throws scenario::InputError if it cannot be written
void write_file(const std::filesystem::path& file, const std::string& content);

/// The same, and a crash of the machine leaves the old file or the new one, whole.
void write_file_durably(const std::filesystem::path& file, const std::string& content);

/// Writes results. What cannot be written is told, and the rest is written.
class ResultWriter {
 public:
  /// @param work  may throw scenario::InputError, which is told. @return false if it did
  bool write(const std::function<void()>& work);
  /// @return `code`, or the exit code for lost output
  [[nodiscard]] int finish(int code) const;

 private:
  bool lost_ = false;
};

/// Two reports in one file would overwrite each other. @param options  that name files of reports
/// @throws scenario::InputError if two name the same
void check_reports(const boost::program_options::variables_map& map, std::initializer_list<const char*> options);

/// While there is one, no other pmufab of the same user has one for the folder. It ends with the process.
class OutFolderLock {
 public:
  /// @throws scenario::InputError if another process has one. @param what  that it does there: "another campaign"
  OutFolderLock(const std::filesystem::path& folder, const std::string& what);

 private:
  process::Descriptor lock_;
};

/// @return true if not even a mebibyte more can be written there: no room, no quota, or files may not grow
[[nodiscard]] bool is_full(const std::filesystem::path& folder);

/// @return the folder for temporary files ($TMPDIR). @throws scenario::InputError if there is none
[[nodiscard]] std::filesystem::path temporary_folder();

/// A folder that is removed with its object. If the program is killed (SIGKILL), it stays until the same user makes the
/// next one. A lock tells that it is in use: it ends with the last process that holds it.
class ScratchFolder {
 public:
  /// @throws scenario::InputError if there is no place for it ($TMPDIR)
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
  process::Descriptor lock_;
};

/// Call this first. A standard stream that is closed must not become the first file opened. A reader that goes away, or
/// a file that may not grow (ulimit -f), must not end the program before its reports are written: both are errors of
/// writing. If the parent ignores SIGCHLD, so would this program, and could not learn how its children end. A signal
/// that ends the program from now on removes its unfinished files.
void prepare_process();

/// Call this after all output to standard error, if that output is a result. Checks that all of it was written.
/// @return `code`, or the exit code for lost output
[[nodiscard]] int finish_standard_error(int code);

/// Call this last. Checks that all output to standard output was written. If not, prints so on standard error.
/// @return `code`, or the exit code for lost output. A pipe whose reader went away has lost nothing.
[[nodiscard]] int finish_standard_output(int code);

}  // namespace pmufab::cli
