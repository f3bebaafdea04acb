// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/html/html_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "testbench/pages/page.h"
#include "testbench/run/report/report.h"

namespace pmufab::scenario {
namespace {

using html::escaped;
using Status = RunResult::Status;

constexpr std::size_t kMostNames = 100;
constexpr std::size_t kMostName = 300;  // bytes
constexpr std::uint64_t kMostOpened = 3;
constexpr std::size_t kMebibyte = 1024 * 1024;

std::string outcome_markup(Status status, const std::string& text) {
  return fmt::format("<p class=\"outcome {}\">{}{}</p>\n", class_of(status), headline(status), text);
}

/// @param has_scenario  with the smallest scenario, if there is one
std::string failure_row(const HtmlFailure& failure, bool has_scenario) {
  const std::string smallest = failure.scenario.empty() || !has_scenario
                                   ? ""
                                   : html::details("the smallest scenario: " + escaped(failure.file),
                                                   "<pre>" + html::escaped_lines(failure.scenario) + "</pre>");
  return fmt::format("<tr><td class=\"number\">{}</td><td>{}</td><td>{}</td><td>{}{}</td></tr>\n",
                     with_separators(failure.cases), escaped(failure.kind), escaped(failure.first),
                     html::escaped_lines(failure.text), smallest);
}

}  // namespace

void HtmlReport::Names::add(const std::string& given) {
  const std::string name = given.substr(0, kMostName);
  if (std::ranges::find(names_, name) != names_.end()) return;
  if (names_.size() == kMostNames) {
    has_more_ = true;
  } else {
    names_.push_back(name);
  }
}

std::string HtmlReport::Names::markup() const {
  if (names_.empty()) return "none";
  if (names_.size() == 1) return escaped(names_.front());
  std::vector<std::string> items;
  for (const std::string& name : names_) items.push_back(escaped(name));
  if (has_more_) items.emplace_back("and more");
  constexpr std::size_t kFew = 4;
  if (items.size() > kFew)
    return html::details_list(fmt::format("{}{}", has_more_ ? "more than " : "", names_.size()), items);
  return fmt::format("{}", fmt::join(items, "<br>"));
}

void HtmlReport::note(const RunResult& run) {
  ++runs_;
  ++by_status_.at(static_cast<std::size_t>(run.status));
  if (run.partial) ++partial_;
  totals_.add(run);
  simulated_ += run.simulated_time;
  if (!run.platform.empty()) platforms_.add(run.platform);
  seeds_.add(fmt::format("{}", run.seed));
  if (run.driver_files.empty() && !run.drivers.empty()) drivers_.add(run.drivers);
  for (const driver_host::DriverFile& file : run.driver_files)
    drivers_.add(fmt::format("{}: {}{}, SHA-256 {}", run.drivers, file.file,
                             file.is_own || file.is_given ? " (yours)" : "", file.sha256));
}

std::string HtmlReport::add(const HtmlRun& run) {
  note(run.result);
  const bool is_good = run.result.is_good() && !run.result.lacks_judge();
  const std::size_t for_details = is_good ? room_.page / 4 : room_.page / 2;
  const std::size_t for_lines = is_good ? room_.page / 3 : room_.page / 3 * 2;
  std::string details;
  if (used_ + room_.run <= for_details) {
    const bool is_open = !is_good && opened_ < kMostOpened;
    if (is_open) ++opened_;
    details = run_details(run, room_.run, is_open);
  }
  std::string row = run_row(run.result, runs_, details);
  if (used_ + row.size() > for_lines) {
    ++without_line_;
    return {};
  }
  if (details.empty()) ++without_details_;
  used_ += row.size();
  return row;
}

std::string HtmlReport::section_of(const std::string& title, const std::string& content) {
  const bool fits = used_by_sections_ + content.size() <= room_.page / 4;
  if (fits) used_by_sections_ += content.size();
  return fmt::format("<section><h2>{}</h2>\n{}</section>\n", escaped(title),
                     fits ? content : "<p class=\"notice\">Left out: there is no room for it on this page.</p>\n");
}

void HtmlReport::section(const std::string& title, const std::string& content) { after_ += section_of(title, content); }

void HtmlReport::failures(const std::vector<HtmlFailure>& failures) {
  if (failures.empty()) return;
  constexpr std::size_t kWords = 512;  // about what was left out
  const std::size_t room = room_.page / 4 - std::min(room_.page / 4, used_by_sections_ + kWords);
  std::string table =
      "<div class=\"wide\"><table>\n<tr><th class=\"number\">cases</th><th>kind</th><th>first in</th>"
      "<th>what is wrong</th></tr>\n";
  std::uint64_t without_scenario = 0;
  std::uint64_t without_row = 0;
  for (const HtmlFailure& failure : failures) {
    std::string row = failure_row(failure, true);
    if (table.size() + row.size() > room) {
      row = failure_row(failure, false);
      const bool fits = table.size() + row.size() <= room;
      if (!fits || !failure.scenario.empty()) ++(fits ? without_scenario : without_row);
      if (!fits) continue;
    }
    table += row;
  }
  table += "</table></div>\n";
  std::vector<std::string> texts;
  if (without_row > 0) texts.push_back(counted(without_row, "kind"));
  if (without_scenario > 0) texts.push_back("the smallest scenarios of " + counted(without_scenario, "kind"));
  if (!texts.empty())
    table += fmt::format("<p class=\"notice\">Left out: {}. There is no more room for them on this page.</p>\n",
                         fmt::join(texts, ", and "));
  before_ += section_of("Failures", table);
}

void HtmlReport::notice(const std::string& text) {
  notices_ += fmt::format("<p class=\"notice\">{}</p>\n", html::escaped_lines(text));
}

void HtmlReport::outcome(Status status, const std::string& text) {
  outcome_ = outcome_markup(status, text.empty() ? "" : ": " + escaped(text));
}

std::pair<Status, std::string> HtmlReport::outcome_of_runs() const {
  if (runs_ == 1) {
    const auto only = std::ranges::find_if(by_status_, [](std::uint64_t number) { return number > 0; });
    return {static_cast<Status>(only - by_status_.begin()), totals_.all == 0 ? "" : ": " + describe(totals_)};
  }
  // The gravest, as graver() has it.
  Status status = number_of(Status::not_judged) > 0 ? Status::not_judged : Status::passed;
  for (const Status one : {Status::not_run, Status::interrupted, Status::timed_out, Status::unexpected_pass,
                           Status::failed, Status::bad_input, Status::crashed}) {
    if (number_of(one) == 0) continue;
    const bool is_failure = one == Status::unexpected_pass || one == Status::timed_out;
    status = is_failure ? Status::failed : one == Status::not_run ? Status::interrupted : one;
  }
  const std::uint64_t passed = number_of(Status::passed) + number_of(Status::expected_failure);
  const std::uint64_t unjudged = number_of(Status::not_judged);
  const std::string rest = unjudged == 0 ? "" : fmt::format(", {} not judged", with_separators(unjudged));
  return {status, fmt::format(": {} of {} passed{}{}", with_separators(passed), counted(runs_, "run"), rest,
                              totals_.all == 0 ? "" : "; " + describe(totals_))};
}

std::string HtmlReport::facts() const {
  std::string text = "<dl>\n";
  const auto add = [&](const char* name, const std::string& markup) {
    text += fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, markup);
  };
  add("made by", fmt::format("pmufab {} {}", command_, version()));
  std::vector<std::string> verdicts;
  for (std::size_t i = 0; i < kStatuses; ++i) {
    if (by_status_.at(i) > 0)
      verdicts.push_back(fmt::format("{} {}", with_separators(by_status_.at(i)), headline(static_cast<Status>(i))));
  }
  add("runs", fmt::format("{}{}", with_separators(runs_),
                          verdicts.empty() ? "" : fmt::format(" ({})", fmt::join(verdicts, ", "))));
  if (totals_.all > 0) add("counters", describe(totals_));
  add("simulated", format_time(simulated_));
  if (platforms_.size() > 0) add("platforms", platforms_.markup());
  add("drivers", drivers_.markup());
  add("seeds", seeds_.markup());
  return text + "</dl>\n";
}

std::string HtmlReport::left_out() const {
  std::vector<std::string> texts;
  if (without_line_ > 0) texts.push_back(counted(without_line_, "run"));
  if (without_details_ > 0) texts.push_back("the details of " + counted(without_details_, "run"));
  if (texts.empty()) return {};
  return fmt::format(
      "<p class=\"notice\">Left out: {}. The page has room for {} MiB. Totals are those of all runs.</p>\n",
      fmt::join(texts, ", and "), std::max<std::size_t>(1, room_.page / kMebibyte));
}

std::string HtmlReport::controls() const {
  std::string text =
      "<div id=\"controls\" hidden><label>search <input id=\"search\" type=\"search\" placeholder=\"all words must be "
      "in "
      "a run\"></label> <label>verdict <select id=\"verdict\"><option value=\"\">all</option>";
  for (std::size_t i = 0; i < kStatuses; ++i) {
    const auto status = static_cast<Status>(i);
    if (by_status_.at(i) > 0)
      text += fmt::format("<option value=\"{}\">{}</option>", to_string(status), headline(status));
  }
  return text + "</select></label> <span id=\"shown\" class=\"soft\" role=\"status\"></span></div>\n";
}

std::string HtmlReport::head() const {
  const auto [status, text] = outcome_of_runs();
  std::string page = html::page_begin("pmufab " + command_, html::Script::tables);
  page += fmt::format("<h1>pmufab {}</h1>\n{}", escaped(command_),
                      outcome_.empty() ? outcome_markup(status, text) : outcome_);
  const std::uint64_t not_run = number_of(Status::not_run);
  if (partial_ > 0 || not_run > 0)
    page += fmt::format("<p class=\"notice\">These results are partial: {} cut short, {} not begun.</p>\n",
                        counted(partial_, "run"), with_separators(not_run));
  page += notices_ + left_out() + facts() + before_;
  return page + fmt::format("<section><h2>Runs</h2>\n{}<table id=\"runs\">\n{}", controls(), run_columns());
}

std::string HtmlReport::tail() const { return "</table></section>\n" + after_ + html::page_end(html::Script::tables); }

}  // namespace pmufab::scenario
