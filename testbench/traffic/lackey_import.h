// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>

#include "testbench/traffic/trace_format.h"

namespace pmufab::traffic {

struct ImportOptions {
  bool keep_instructions = false;  ///< keep instruction fetches ("I" lines)
  std::uint64_t limit = 0;         ///< stop after writing so many records; 0: no limit
  /// Called from time to time with the share of the input read so far, 0 ... 1.
  std::function<void(double)> progress = {};
};

struct ImportStatistics {
  std::uint64_t lines = 0;       ///< of the input
  std::uint64_t fetches = 0;     ///< "I" lines
  std::uint64_t loads = 0;       ///< " L" lines
  std::uint64_t stores = 0;      ///< " S" lines
  std::uint64_t modifies = 0;    ///< " M" lines
  std::uint64_t records = 0;     ///< written to the trace
  std::uint64_t data_bytes = 0;  ///< bytes of written loads, stores and modifies (these count twice)
  bool complete = false;         ///< valgrind's closing report was seen: the program ran to its end
};

/// Convert the text that `valgrind --tool=lackey --trace-mem=yes --log-file=FILE PROGRAM` writes to FILE into a trace.
///
/// Lines of valgrind itself ("==PID== ...") are skipped. Any other line that is no access is an error: usually the
/// program's own output, which --log-file keeps separate.
/// @param out  a name ending in .csv selects the CSV form, otherwise binary
/// @throws TraceError naming file and line; `out` is removed then
ImportStatistics import_lackey(const std::filesystem::path& in, const std::filesystem::path& out,
                               const ImportOptions& options = {});

/// The same from a stream (a pipe, for example) of unknown length; `name` is for messages. The caller finishes the
/// writer.
ImportStatistics import_lackey(std::istream& in, const std::string& name, TraceWriter& out,
                               const ImportOptions& options = {});

}  // namespace pmufab::traffic
