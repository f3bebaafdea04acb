// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "testbench/run/process/child_process.h"
#include "testbench/run/results/results.h"
#include "testbench/run/yaml/input_error.h"

namespace pmufab::scenario {

/// A file of a run or a session that cannot be written: most likely the disk is full.
class JournalError : public InputError {
 public:
  /// @param number  errno
  JournalError(const std::string& reason, int number);
  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_;
};

/// Write a file of a session, such as what its other programs read. @throws JournalError, with the file and the reason
void write_whole(const std::filesystem::path& file, std::string_view content);

/// A text file that only this process writes. What was written is in the file when the process dies.
class LineFile {
 public:
  /// @throws JournalError if the file cannot be created
  explicit LineFile(const std::filesystem::path& file);
  ~LineFile();
  LineFile& operator=(LineFile&&) = delete;

  /// @param text  whole lines. @throws JournalError, with the file and the reason
  void write(std::string_view text);

 private:
  std::string name_;
  std::FILE* file_ = nullptr;
  pid_t owner_;
  int error_ = 0;  // errno of the first write that failed; the reason of all that follow
};

/// What a run or a session finds: one JSON object per line, with the keys "record" (its kind) and "content".
class Journal {
 public:
  /// @throws JournalError if the file cannot be created
  explicit Journal(const std::filesystem::path& file) : file_(file) {}

  /// @throws JournalError, with the file and the reason
  void write(const std::string& record, Json content);
  enum class Cause : std::uint8_t {
    input,     ///< the user's mistake
    output,    ///< files cannot be written, as on a full disk
    internal,  ///< our mistake
  };
  /// Write that the run cannot go on. @throws JournalError
  void write_error(Cause cause, const std::string& message);

 private:
  LineFile file_;
};

/// Put a run's result together from its journal. A journal without its last line makes a partial result: crashed,
/// unless the journal or the process says otherwise.
/// @param known  scenario, variant, platform, drivers, seed: what the parent knows already
[[nodiscard]] RunResult read_journal(const std::filesystem::path& file, RunResult known,
                                     const process::ProcessEnd& end);

/// Read a journal up to its end, or to the line in which its process died.
/// @param take  receives each record's kind and content; may throw nlohmann::json::exception, which ends the reading
void read_records(const std::filesystem::path& file,
                  const std::function<void(const std::string& record, const Json& content)>& take);

}  // namespace pmufab::scenario
