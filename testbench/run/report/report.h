// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/run/results/results.h"

namespace pmufab::scenario {

struct TextReportOptions {
  bool marks = true;        ///< a check mark and a cross instead of "ok" and "WRONG" (needs a UTF-8 terminal)
  bool everything = false;  ///< do not leave exact counters out of long tables
  bool compact = false;     ///< one line for a run whose exit code is 0
};

/// @return the version of this program, "0.1.0".
[[nodiscard]] std::string version();

/// The result of a run as a table for people, like perf stat with the scoreboard's column beside the driver's.
void write_text(std::ostream& out, const RunResult& run, const TextReportOptions& options);

/// The counts of each interval, a line each, as perf stat -I prints them; nothing if there are no intervals.
void write_intervals(std::ostream& out, const RunResult& run);

/// Results of scenarios that are reported and not judged: for each set of settings that the variants vary, a table of
/// the driver's counts beside what happened. Other runs are not in it.
class ComparisonTables {
 public:
  void add(const RunResult& run);
  /// Nothing, if there are no such runs.
  void write(std::ostream& out) const;

 private:
  struct Row {
    std::string values;
    std::string reported;
    std::string expected;
    std::string difference;
    std::string happened;
    std::string event;
    std::string lost;
  };
  struct Table {
    std::string title;
    std::string keys;
    bool has_happened = false;  // with that column, and what was lost
    std::vector<Row> rows;
  };
  static void write(std::ostream& out, const Table& table);
  std::vector<Table> tables_;  // in the order in which they come
};

/// One line over several runs, after their tables, and one for each that did not pass.
class Summary {
 public:
  void add(const RunResult& run);
  void write(std::ostream& out) const;
  [[nodiscard]] std::uint64_t runs() const noexcept { return runs_; }

 private:
  std::uint64_t runs_ = 0;
  std::uint64_t passed_ = 0;
  std::uint64_t not_judged_ = 0;
  std::uint64_t not_run_ = 0;
  CounterTotals totals_;
  struct Other {
    std::string text;
    std::string mistake;  // in the input: runs that share it share a line
    std::uint64_t more = 0;
  };
  std::vector<Other> others_;
};

/// A report that gets its runs one after the other and keeps none.
class ReportWriter {
 public:
  explicit ReportWriter(std::ostream& out) : out_(out) {}
  virtual ~ReportWriter() = default;
  ReportWriter& operator=(ReportWriter&&) = delete;
  /// @param seconds  of host time that the run took: in JUnit reports, and nowhere else
  virtual void add(const RunResult& run, std::optional<double> seconds) = 0;
  void add(const RunResult& run) { add(run, {}); }
  /// After the last run.
  virtual void finish() {}

 protected:
  std::ostream& out_;  // NOLINT(cppcoreguidelines-non-private-member-variables-in-classes): an interface's only datum
};

enum class ReportKind : std::uint8_t {
  json,   ///< one document: {"program", "version", "runs": [...]}
  junit,  ///< XML: a test suite for each run, a test case for each counter and check
  csv,    ///< every counter of every run as a line of comma-separated values, with a heading
};
[[nodiscard]] std::unique_ptr<ReportWriter> make_report(ReportKind kind, std::ostream& out);

/// A report of one run.
void write_report(std::ostream& out, ReportKind kind, const RunResult& run);

/// @return a field of comma-separated values (RFC 4180), in quotes if it needs them
[[nodiscard]] std::string csv_field(std::string_view text);

/// @return text as part of XML. Control characters, which XML cannot hold, become question marks.
[[nodiscard]] std::string xml_text(std::string_view text);

/// Exactly what `perf stat -x SEPARATOR` prints: value, unit, event, run time in ns, percentage of the time it ran, value
/// and unit of a metric (all units and the metric are empty). With intervals, the time in seconds since counting began
/// goes first, and every field is that of the interval. Counts are scaled as perf scales them.
void write_perf_csv(std::ostream& out, const RunResult& run, const std::string& separator);

/// Exactly what `perf stat -j` of perf 6.1 prints: one JSON object per line.
void write_perf_json(std::ostream& out, const RunResult& run);

/// @return 0 it passed, 1 a check failed, or it was stopped or took too long, 2 bad input, 3 it crashed, 4 nothing
///         failed, and not one count could be judged
[[nodiscard]] int exit_code(const RunResult& run);
/// @return the graver of two exit codes of runs; 3 is the gravest, then 2, 1, 4 and 0
[[nodiscard]] int graver(int one, int other) noexcept;

}  // namespace pmufab::scenario
