// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "testbench/process/child_process.h"
#include "testbench/scenario/report/results.h"
#include "testbench/scenario/yaml/input_error.h"

namespace pmufab::scenario {

/// A journal that cannot be written: most likely the disk is full.
class JournalError : public InputError {
 public:
  /// @param number  errno
  JournalError(const std::string& reason, int number);
  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_;
};

/// The journal of a run: one JSON object per line, each with the key "record". Every line is flushed, so that nothing
/// is lost when the process dies.
class Journal {
 public:
  /// @throws JournalError if the file cannot be created
  explicit Journal(const std::filesystem::path& file);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// @throws JournalError
  void write(const std::string& record, Json content);
  /// Write that the run cannot go on. @param input  it is the user's mistake, not ours
  /// @throws JournalError
  void write_error(bool input, const std::string& message);

 private:
  std::FILE* file_ = nullptr;
  pid_t owner_;
  int error_ = 0;  // errno of the first write that failed; the reason of all that follow
};

/// Put a run's result together from its journal. A journal without its last line makes a partial result: crashed,
/// unless the journal or the process says otherwise.
/// @param known  scenario, variant, platform, drivers, seed: what the parent knows already
[[nodiscard]] RunResult read_journal(const std::filesystem::path& file, RunResult known,
                                     const process::ProcessEnd& end);

}  // namespace pmufab::scenario
