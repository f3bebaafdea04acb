// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "testbench/doors/guest/guest_session.h"
#include "testbench/doors/guest/perf/perf_output.h"
#include "testbench/perf/verdict.h"
#include "testbench/run/html/html_report.h"
#include "testbench/run/results/results.h"
#include "testbench/run/session/runner.h"
#include "testbench/run/session/scenario_spec.h"
#include "tools/pmufab/command.h"
#include "tools/pmufab/coverage/coverage_file.h"
#include "tools/pmufab/output.h"
#include "tools/pmufab/verdict_table.h"

namespace pmufab::cli {

/// The file of --html. Runs go to a file of their own until the head of the page is known: nothing is kept. After the
/// first write that fails, nothing more is written, and the user's file stays as it was.
class HtmlFile {
 public:
  /// @param file     empty: the user does not want any
  /// @param scratch  folder for the runs. @param command  that makes the page
  /// @throws scenario::InputError if it cannot be written
  HtmlFile(const std::string& file, const std::filesystem::path& scratch, const std::string& command);
  [[nodiscard]] bool is_wanted() const noexcept { return is_wanted_; }
  [[nodiscard]] scenario::HtmlReport& report() noexcept { return report_; }

  /// Add a run with its configuration and its meshes. @throws scenario::InputError if it cannot be written
  void add(const scenario::RunPlan& plan, const scenario::RunResult& run);
  /// @param spec  of the run. @param configuration  YAML
  void add(const scenario::RunResult& run, const scenario::ScenarioSpec& spec, std::string configuration);
  /// Add what drivers have met, if somebody found that out.
  void add(const CoverageFile& coverage);
  /// The page is there. @throws scenario::InputError if it cannot be written
  void finish();

 private:
  struct Files {
    Files(const std::filesystem::path& page_file, const std::filesystem::path& runs_file)
        : page(page_file), runs(runs_file) {}
    OutputFile page;
    OutputFile runs;
  };
  void add(const scenario::HtmlRun& run);

  bool is_wanted_;
  scenario::HtmlReport report_;
  std::optional<Files> files_;  // nothing: not wanted, or lost
};

/// @return --html
[[nodiscard]] Option html_option();

/// What is known at the end of a boot.
struct Booted {
  const scenario::ScenarioSpec& spec;
  const guest::GuestResult& result;
  const std::vector<perf::Verdict>& counts;
  const std::vector<guest::MetricVerdict>& metrics;
  const Conclusion& conclusion;
  std::string drivers;  ///< which drivers served the PMUs
  bool is_complete;
  int exit_code;        ///< of the command; 0 if the guest did not finish
  std::string console;  ///< what the guest's kernel printed
};

/// @return a boot as the page of --html shows runs: counts and metrics are the counters of one measure, what else
///         failed are checks, and the console is the kernel log
[[nodiscard]] scenario::RunResult boot_result(const Booted& boot);

}  // namespace pmufab::cli
