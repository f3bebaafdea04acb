// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "testbench/run/results/results.h"

namespace pmufab::scenario {

/// A run as the page of --html shows it.
struct HtmlRun {
  const RunResult& result;
  std::string configuration = {};  ///< YAML
  std::string picture = {};        ///< of its meshes, as markup
};

/// The columns of the table of runs.
[[nodiscard]] std::string run_columns();

/// @param number  of the run, from 1. @param details  markup; "": there is no room for any
/// @return the run in the table of runs
[[nodiscard]] std::string run_row(const RunResult& run, std::size_t number, const std::string& details);

/// @param most     bytes
/// @param is_open  to be seen without a click
[[nodiscard]] std::string run_details(const HtmlRun& run, std::size_t most, bool is_open);

/// @return the class of a verdict in the page's style: "good", "bad", "open"
[[nodiscard]] std::string_view class_of(RunResult::Status status) noexcept;

/// Failures of one kind, of a campaign.
struct HtmlFailure {
  std::string kind;
  std::uint64_t cases = 0;
  std::string first;     ///< the first of them
  std::string text;      ///< what is wrong
  std::string file;      ///< of the smallest scenario
  std::string scenario;  ///< what is in it; empty: there is none
};

/// The page of --html (testbench/pages). It gets its runs one after the other and keeps none: what add() returns goes to
/// a file, and what stands before it is known after the last run. Its size is bounded; it says what was left out.
class HtmlReport {
 public:
  /// What a page has room for, in bytes.
  struct Room {
    std::size_t run = 512 * 1024;         ///< details of one run
    std::size_t page = 32 * 1024 * 1024;  ///< everything
    /// Of runs with nothing wrong, details are taken until the runs have a quarter of the page, and lines until they have a
    /// third; of others, details until a half and lines until two thirds. The rest is for section().
  };
  /// @param command  that makes the page: "run"
  explicit HtmlReport(std::string command) : HtmlReport(std::move(command), Room{}) {}
  HtmlReport(std::string command, Room room) : command_(std::move(command)), room_(room) {}

  /// @return a part of the table of runs; "" if there is no room
  [[nodiscard]] std::string add(const HtmlRun& run);

  /// Add a part to the page, after the table of runs. @param title  any text. @param content  markup
  void section(const std::string& title, const std::string& content);
  /// Add a table of failures before the table of runs; nothing if there are none. What there is no room for is counted:
  /// smallest scenarios, then rows.
  void failures(const std::vector<HtmlFailure>& failures);
  /// Add a paragraph to the head. @param text  any text
  void notice(const std::string& text);
  /// The line of the outcome, in place of the one that follows from the runs.
  void outcome(RunResult::Status status, const std::string& text);

  /// @return the page up to the table's parts, and what follows them: after the last run
  [[nodiscard]] std::string head() const;
  [[nodiscard]] std::string tail() const;

 private:
  /// Names that runs have, each once, as many as a head has room for.
  class Names {
   public:
    void add(const std::string& given);
    [[nodiscard]] std::string markup() const;  ///< a list; without names "none"
    [[nodiscard]] std::size_t size() const noexcept { return names_.size(); }

   private:
    std::vector<std::string> names_;
    bool has_more_ = false;
  };
  static constexpr std::size_t kStatuses = static_cast<std::size_t>(RunResult::Status::not_run) + 1;

  void note(const RunResult& run);
  [[nodiscard]] std::string section_of(const std::string& title, const std::string& content);
  [[nodiscard]] std::uint64_t number_of(RunResult::Status status) const {
    return by_status_.at(static_cast<std::size_t>(status));
  }
  [[nodiscard]] std::pair<RunResult::Status, std::string> outcome_of_runs() const;
  [[nodiscard]] std::string facts() const;
  [[nodiscard]] std::string left_out() const;
  [[nodiscard]] std::string controls() const;

  std::string command_;
  Room room_;
  std::size_t used_ = 0;  // by runs
  std::size_t used_by_sections_ = 0;
  std::uint64_t runs_ = 0;
  std::uint64_t partial_ = 0;
  std::uint64_t without_details_ = 0;
  std::uint64_t without_line_ = 0;
  std::uint64_t opened_ = 0;  // details to be seen without a click
  std::array<std::uint64_t, kStatuses> by_status_{};
  CounterTotals totals_;
  Picoseconds simulated_ = 0;
  Names platforms_;
  Names drivers_;
  Names seeds_;
  std::string outcome_;  // markup; "": that of the runs
  std::string notices_;
  std::string before_;
  std::string after_;
};

}  // namespace pmufab::scenario
