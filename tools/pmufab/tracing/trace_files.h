// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "testbench/run/tracing/timeline_writer.h"
#include "testbench/run/tracing/tracing.h"
#include "tools/pmufab/command.h"
#include "tools/pmufab/output.h"

namespace pmufab::cli {

/// @return --trace-mmio and --trace-filter
[[nodiscard]] Options access_log_options();
/// @return what they do, a paragraph for the description of a command
[[nodiscard]] std::string access_log_description();
/// @return these, and --timeline
[[nodiscard]] Options trace_options();
[[nodiscard]] std::string trace_description();

/// The files of --trace-mmio, of all runs, one after the other, and of --timeline, of one run.
class TraceFiles {
 public:
  /// @param map   may lack --timeline
  /// @param room  bytes for each run, and for the time line
  /// @throws scenario::InputError if a file cannot be written, or the filter is wrong
  TraceFiles(const boost::program_options::variables_map& map, std::uint64_t room);

  [[nodiscard]] bool is_wanted() const noexcept { return options_.access_log || options_.timeline; }
  /// @return true if the access log goes to standard output
  [[nodiscard]] bool is_printed() const noexcept { return is_printed_; }
  /// @throws scenario::InputError if a time line is wanted of more than one run
  void check_runs(std::size_t count) const;
  /// What is to be written down of a run. The files are not named yet.
  [[nodiscard]] const scenario::TraceOptions& options() const noexcept { return options_; }
  /// Take over what was written down of a run. What cannot be written is told; the other file is written all the same.
  void add(const scenario::TraceOptions& run);
  /// The user's files are there.
  void commit();
  /// @return `code`, or the exit code for lost output
  [[nodiscard]] int finish(int code) const { return results_.finish(code); }

 private:
  void add_log(const std::filesystem::path& log);
  void add_timeline(const scenario::TimelineOptions& timeline);
  /// Do what writes a file. @param file  is dropped if it fails
  void write(std::unique_ptr<OutputFile>& file, const std::function<void()>& work);

  scenario::TraceOptions options_;
  bool is_printed_ = false;          // the access log goes to standard output
  std::unique_ptr<OutputFile> log_;  // null: there is none, or it could not be written
  std::unique_ptr<OutputFile> timeline_;
  ResultWriter results_;
  scenario::TimelineFormat format_{};
};

}  // namespace pmufab::cli
