// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>

#include "testbench/traffic/core/trace_format.h"

namespace pmufab::traffic {

struct ImportOptions {
  bool keep_instructions = false;  ///< keep instruction fetches ("I" lines)
  std::uint64_t limit = 0;         ///< stop after so many records have been written; 0: no limit
  /// Called now and then with the share of the input that has been read, 0 ... 1.
  std::function<void(double)> progress = {};
};

struct ImportStatistics {
  std::uint64_t lines = 0;       ///< of the input
  std::uint64_t fetches = 0;     ///< "I" lines
  std::uint64_t loads = 0;       ///< " L" lines
  std::uint64_t stores = 0;      ///< " S" lines
  std::uint64_t modifies = 0;    ///< " M" lines
  std::uint64_t records = 0;     ///< written to the trace
  std::uint64_t data_bytes = 0;  ///< touched by loads, stores and modifies (these count twice) that were written
  bool complete = false;         ///< the closing report of valgrind was seen: the program ran to its end
};

/// Turn the text that `valgrind --tool=lackey --trace-mem=yes --log-file=FILE PROGRAM` leaves in FILE into a trace.
///
/// Lines of valgrind itself ("==PID== ...") are skipped. Anything else that is no access is an error: usually the
/// program's own output, which --log-file keeps apart.
/// @param out  its name ends in .csv: CSV form, otherwise binary
/// @throws TraceError naming file and line; `out` is removed then
ImportStatistics import_lackey(const std::filesystem::path& in, const std::filesystem::path& out,
                               const ImportOptions& options = {});

/// As above, from a stream (a pipe, say) of unknown length; `name` is for messages. The caller finishes the writer.
ImportStatistics import_lackey(std::istream& in, const std::string& name, TraceWriter& out,
                               const ImportOptions& options = {});

}  // namespace pmufab::traffic
