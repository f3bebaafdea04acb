// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/html/html_file.h"

#include <fstream>
#include <utility>

#include "testbench/campaigns/coverage/report.h"
#include "testbench/run/yaml/input_error.h"
#include "tools/pmufab/map/mesh_section.h"

namespace pmufab::cli {

HtmlFile::HtmlFile(const std::string& file, const std::filesystem::path& scratch, const std::string& command)
    : is_wanted_(!file.empty()), report_(command) {
  if (is_wanted_) files_.emplace(file, scratch / "runs-of-page");
}

void HtmlFile::add(const scenario::RunPlan& plan, const scenario::RunResult& run) {
  if (!files_) return;
  using Status = scenario::RunResult::Status;
  if (run.status == Status::not_run || run.status == Status::bad_input) {  // nothing more is known of it
    add({.result = run});
    return;
  }
  const scenario::ScenarioSpec spec = plan.scenario->load();
  if (!run.platform.empty()) {
    add(run, spec, scenario::effective_yaml(spec, run.drivers));
    return;
  }
  scenario::RunResult named = run;  // a case of a campaign: nobody has asked for these before
  named.platform = spec.platform_name;
  named.seed = spec.seed;
  add(named, spec, scenario::effective_yaml(spec, run.drivers));
}

void HtmlFile::add(const scenario::RunResult& run, const scenario::ScenarioSpec& spec, std::string configuration) {
  if (files_) add({.result = run, .configuration = std::move(configuration), .picture = mesh_section(spec, run)});
}

void HtmlFile::add(const scenario::HtmlRun& run) {
  try {
    files_->runs.append(report_.add(run));
  } catch (...) {
    files_.reset();
    throw;
  }
}

void HtmlFile::add(const CoverageFile& coverage) {
  if (!files_ || !coverage.is_wanted()) return;
  const coverage::Report met = make_report(coverage.coverage(), find_exclusions({}));
  report_.section(html_title(met), html_tables(met));
}

void HtmlFile::finish() {
  if (!files_) return;
  files_->page.write(report_.head());
  constexpr std::size_t kPiece = 1U << 20;
  std::string piece(kPiece, '\0');
  std::ifstream runs(files_->runs.temporary(), std::ios::binary);
  while (runs) {
    runs.read(piece.data(), static_cast<std::streamsize>(kPiece));
    files_->page.append(piece.substr(0, static_cast<std::size_t>(runs.gcount())));
  }
  if (!runs.is_open() || runs.bad()) throw scenario::InputError("--html: the runs of the page cannot be read again");
  files_->page.append(report_.tail());
  files_->page.commit();
}

Option html_option() { return text("html", "FILE", "write a page for a browser: all results, search, pictures"); }

}  // namespace pmufab::cli
