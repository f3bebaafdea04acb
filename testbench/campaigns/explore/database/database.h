// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "testbench/campaigns/explore/database/statement.h"
#include "testbench/campaigns/explore/run_result.h"
#include "testbench/campaigns/explore/study/study.h"

namespace pmufab::explore {

/// What runs have cost so far.
struct CostSummary {
  std::uint64_t runs = 0;
  double mean_seconds = 0;
  std::uint64_t most_memory_kib = 0;
};

/// The file of a study: each run as it ends, and which run belongs to which point.
///
/// Tables: `results` has a row for each run that was ever done, with its measured values. It is never emptied, so
/// another version of the study finds what it needs. `positions` has the points of the present study: their axes, their
/// computed values, and the key of their run. The view `points` joins both.
class Database {
 public:
  enum class Mode : std::uint8_t { read, write };
  /// @param mode  write: the file is made if it is not there
  /// @throws DatabaseError
  Database(const std::filesystem::path& file, Mode mode);

  /// Make it the file of a study. What was run before stays.
  /// @param text  all that the points' runs depend on: study, scenario, drivers, program. Another text begins with no
  ///              points
  void begin(const Study& study, const std::string& text);
  /// @return the study's text. @throws DatabaseError if it has none
  [[nodiscard]] std::string study_text();
  [[nodiscard]] std::string note(const std::string& name);
  void set_note(const std::string& name, const std::string& value);

  /// A run that has ended, and the points that it answers: together, or not at all.
  /// @throws DatabaseError if another study has begun in the file since begin()
  void put(const Study& study, const Result& result, const std::vector<std::uint64_t>& positions);
  /// Points whose run is there. @throws DatabaseError as put() does
  void place(const Study& study, const Result& result, std::uint64_t position);
  /// @return the run of that key, its computed values left out
  [[nodiscard]] std::optional<Result> find(const Study& study, const std::string& key);
  /// @return the run of that point of the study, its computed values left out
  [[nodiscard]] std::optional<Result> at(const Study& study, std::uint64_t position);
  [[nodiscard]] std::uint64_t points();
  /// @return the statuses of points, sorted
  [[nodiscard]] std::vector<std::string> statuses();
  /// Call for each point of the study, in the order of their positions.
  void each(const Study& study, const std::function<void(std::uint64_t position, const Result&)>& use);
  [[nodiscard]] CostSummary costs();
  /// @return bytes of the file
  [[nodiscard]] std::uint64_t size();

  /// Take over all points of another file of the same study: all of them, or none. A run that has a result here stays.
  /// @throws DatabaseError
  void merge(const Study& study, const std::filesystem::path& other);
  /// Take over the runs of another file, whatever its study. Points that need them find them by their keys.
  /// @throws DatabaseError
  void adopt(const std::filesystem::path& other);

 private:
  [[nodiscard]] std::set<std::string> columns_of(const std::string& schema);
  void check_study();
  void place_row(const Study& study, const Result& result, std::uint64_t position);
  void write(const Study& study, const Result& result, const std::vector<std::uint64_t>& positions);
  void check_format(Mode mode);
  void add_columns(const Study& study);
  void make_points_table(const Study& study);

  Connection connection_;
  std::string name_;
  std::string text_;  // of the study that has begun; "": none
};

/// @return the value of a response or of an axis with numbers at a position, for expressions
[[nodiscard]] std::optional<double> number_at(const Study& study, const std::vector<std::size_t>& values,
                                              const std::vector<std::optional<double>>& responses,
                                              const std::string& name);

/// Compute what the study computes from measured values.
void compute(const Study& study, std::uint64_t position, std::vector<std::optional<double>>& responses);

}  // namespace pmufab::explore
