// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/html/html_report.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "testbench/pages/page.h"
#include "testbench/perf/account.h"
#include "testbench/run/html/parts.h"
#include "testbench/run/report/kernel_errors.h"

namespace pmufab::scenario {
namespace {

using html::escaped_lines;
using Check = CounterResult::Check;
using Importance = Parts::Importance;
using Status = RunResult::Status;

constexpr std::size_t kMostText = 4096;  // of one text that somebody else gave

constexpr unsigned kCounterColumns = 7;

/// Where rows of a table are left out.
Parts::Gap row_gap(unsigned columns) {
  return {fmt::format("<tr><td class=\"soft\" colspan=\"{}\">", columns), "</td></tr>\n"};
}

/// @return text as part of the page, cut if it is very long
std::string page_text(std::string_view text) {
  if (text.size() <= kMostText) return escaped_lines(text);
  std::size_t end = kMostText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80) --end;
  return fmt::format("{}... ({} in all)", escaped_lines(text.substr(0, end)), counted(text.size(), "byte"));
}

std::string count_or_dash(const std::optional<std::uint64_t>& value) { return value ? with_separators(*value) : "–"; }

/// "+12", "-87,007"; without both counts there is none.
std::string difference_text(const CounterResult& counter) {
  if (!counter.driver || !counter.expected) return "–";
  const std::uint64_t driver = *counter.driver;
  const std::uint64_t expected = *counter.expected;
  if (driver == expected) return "0";
  return driver > expected ? "+" + with_separators(driver - expected) : "-" + with_separators(expected - driver);
}

bool is_wrong_row(const CounterResult& counter) {
  return counter.check == Check::wrong || counter.check == Check::not_opened;
}

std::string check_cell(Check check) {
  std::string word(to_string(check));
  std::ranges::replace(word, '_', ' ');
  if (check == Check::unchecked) word = "not judged";
  const bool bad = check == Check::wrong || check == Check::not_opened;
  return fmt::format("<td class=\"check {}\">{} {}</td>",
                     bad                         ? "bad"
                     : check == Check::unchecked ? "open"
                                                 : "good",
                     perf::mark_of(check, true), word);
}

std::string page_note(const CounterResult& counter) {
  std::string note = page_text(counter.note);
  if (counter.reads > 0) {
    note += fmt::format("{}<span class=\"soft\">{} on the way{}</span>", note.empty() ? "" : "<br>",
                        counted(counter.reads, "reading"),
                        counter.reads_failed == 0 ? "" : fmt::format(", {} impossible", counter.reads_failed));
  }
  const std::string lost = counter.account ? perf::describe(counter.account->loss) : "";
  if (!lost.empty()) note += fmt::format("{}<span class=\"soft\">{}</span>", note.empty() ? "" : "<br>", lost);
  for (const FailedRead& read : counter.failed_reads) {
    note += fmt::format("<br>{}: {}, not {}{}", format_time(read.time), with_separators(read.value),
                        with_separators(read.low),
                        read.low == read.high ? "" : fmt::format(" ... {}", with_separators(read.high)));
  }
  return note;
}

std::string counter_row(const MeasureResult& measure, std::size_t index) {
  const CounterResult& counter = measure.counters[index];
  std::string row = fmt::format(
      "<tr><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td>"
      "<td class=\"number\">{}</td>{}<td class=\"event\"><code>{}</code></td><td class=\"note\">{}</td></tr>\n",
      count_or_dash(counter.driver), count_or_dash(counter.expected), difference_text(counter),
      counter.account ? with_separators(counter.account->happened) : "–", check_cell(counter.check),
      page_text(counter.event), page_note(counter));
  if (!is_wrong_row(counter)) return row;
  const std::string picture = time_line(measure, index);
  return picture.empty() ? row : row + fmt::format("<tr><td colspan=\"{}\">{}</td></tr>\n", kCounterColumns, picture);
}

std::string check_item(const CheckResult& check) {
  return fmt::format("<tr><td class=\"check {}\">{}</td><td>{}</td><td>{}</td></tr>\n", check.ok ? "good" : "bad",
                     check.ok ? "✓" : "✗ failed", page_text(check.name), page_text(check.text));
}

/// The failed ones first.
void add_checks(Parts& parts, const std::string& title, const std::vector<CheckResult>& checks) {
  parts.begin(fmt::format("<h3>{}</h3>\n<div class=\"wide\"><table>\n", title), "</table></div>\n", "check",
              row_gap(3));
  for (const bool ok : {false, true}) {
    for (const CheckResult& check : checks) {
      if (check.ok == ok) parts.add(check_item(check), ok ? Importance::usual : Importance::failed);
    }
  }
}

void add_derived(Parts& parts, const MeasureResult& measure) {
  parts.begin(
      "<div class=\"wide\"><table>\n<tr><th class=\"number\">value</th><th>unit</th><th>figure</th>"
      "<th class=\"number\">of the traffic</th></tr>\n",
      "</table></div>\n", "derived figure", row_gap(4));
  for (const DerivedResult& derived : measure.derived) {
    parts.add(
        fmt::format("<tr><td class=\"number{}\">{:.4f}</td><td>{}</td><td>{}</td><td class=\"number\">{}</td></tr>\n",
                    derived.ok ? "" : " bad", derived.value, page_text(derived.unit), page_text(derived.name),
                    derived.reference ? fmt::format("{:.4f}", *derived.reference) : ""),
        derived.ok ? Importance::usual : Importance::failed);
  }
}

void add_measure(Parts& parts, const MeasureResult& measure) {
  parts.begin(fmt::format("<h3>{}: {} ... {}{}{}</h3>\n<div class=\"wide\"><table class=\"counters\">\n"
                          "<tr><th class=\"number\">driver</th><th class=\"number\">scoreboard</th>"
                          "<th class=\"number\">difference</th><th "
                          "class=\"number\">happened</th><th>check</th><th>event</th><th></th></tr>\n",
                          page_text(measure.name), format_time(measure.start), format_time(measure.stop),
                          measure.partial ? " <span class=\"open\">(partial: cut short)</span>" : "",
                          measure.is_compared ? "" : " <span class=\"open\">(not compared)</span>"),
              "</table></div>\n", "counter", row_gap(kCounterColumns));
  for (std::size_t i = 0; i < measure.counters.size(); ++i)
    parts.add(counter_row(measure, i), is_wrong_row(measure.counters[i]) ? Importance::failed : Importance::usual);
  add_derived(parts, measure);
  add_checks(parts, "Checks of " + page_text(measure.name), measure.checks);
}

void add_list(Parts& parts, const std::string& title, const std::string& what, const std::vector<std::string>& texts,
              Importance importance) {
  parts.begin(fmt::format("<h3>{}</h3>\n<ul>\n", title), "</ul>\n", what, {"<li class=\"soft\">", "</li>\n"});
  for (const std::string& text : texts) parts.add(fmt::format("<li>{}</li>\n", page_text(text)), importance);
}

/// Lines that open with a click.
void add_lines(Parts& parts, const std::string& title, const std::string& what, const std::vector<std::string>& lines,
               const std::function<bool(const std::string&)>& is_important = {}) {
  parts.begin(fmt::format("<details><summary>{}</summary><pre>", title), "</pre></details>\n", what, {"", "\n"});
  for (const std::string& line : lines)
    parts.add(page_text(line) + "\n", is_important && is_important(line) ? Importance::important : Importance::lengthy);
}

std::vector<std::string> page_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void add_driver_files(Parts& parts, const RunResult& run) {
  parts.begin(
      "<h3>Driver files</h3>\n<div "
      "class=\"wide\"><table>\n<tr><th>file</th><th>SHA-256</th><th></th><th>PMUs</th></tr>\n",
      "</table></div>\n", "driver file", row_gap(4));
  for (const driver_host::DriverFile& file : run.driver_files) {
    std::vector<std::string> words;
    if (file.is_given || file.is_own) words.emplace_back("yours");
    if (!file.is_used) words.emplace_back("bound nothing");
    parts.add(fmt::format("<tr><td><code>{}</code></td><td><code>{}</code></td><td>{}</td><td>{}</td></tr>\n",
                          page_text(file.file), page_text(file.sha256), fmt::join(words, ", "),
                          page_text(fmt::format("{}", fmt::join(file.pmus, ", ")))),
              Importance::usual);
  }
}

/// What is said of the run as a whole.
void add_words(Parts& parts, const RunResult& run) {
  parts.begin("", "", "message", {"<p class=\"soft\">", "</p>\n"});
  if (run.partial)
    parts.add("<p class=\"notice\">These results are partial: the scenario was not run to its end.</p>\n",
              Importance::failed);
  if (!run.message.empty()) parts.add(fmt::format("<p>{}</p>\n", page_text(run.message)), Importance::failed);
  if (!run.expected_reason.empty())
    parts.add(fmt::format("<p>Expected failure: {}</p>\n", page_text(run.expected_reason)), Importance::failed);
}

std::vector<std::string> traffic_lines(const RunResult& run) {
  std::vector<std::string> lines;
  for (const Json& stream : run.traffic) lines.push_back(stream.dump(-1, ' ', false, Json::error_handler_t::replace));
  return lines;
}

std::string number_cell(std::uint64_t value, const std::string& text, const char* more = "") {
  return fmt::format("<td class=\"number{}\" data-value=\"{}\">{}</td>", more, value, text);
}

std::string count_cell(std::uint64_t value, const char* more = "") {
  return number_cell(value, with_separators(value), more);
}

}  // namespace

std::string_view class_of(Status status) noexcept {
  switch (status) {
    case Status::passed:
    case Status::expected_failure:
      return "good";
    case Status::not_judged:
    case Status::not_run:
    case Status::interrupted:
      return "open";
    default:
      return "bad";
  }
}

std::string run_columns() {
  return "<colgroup><col class=\"run-number\"><col class=\"run-verdict\"><col><col><col class=\"run-drivers\">"
         "<col class=\"run-count\"><col class=\"run-count\"><col class=\"run-drivers\"><col class=\"run-drivers\">"
         "</colgroup>\n"
         "<thead><tr><th class=\"number\">run</th><th>verdict</th><th>scenario</th><th>variant</th>"
         "<th>drivers</th><th class=\"number\">right</th><th class=\"number\">wrong</th>"
         "<th class=\"number\">not judged</th><th class=\"number\">simulated</th></tr></thead>\n";
}

std::string run_row(const RunResult& run, std::size_t number, const std::string& details) {
  const std::uint64_t wrong = run.counters_wrong();
  const std::uint64_t not_judged = run.counters_not_judged();
  std::string row = fmt::format(
      "<tbody data-verdict=\"{}\"><tr class=\"row\">{}<td class=\"verdict {}\">{}{}</td><td>{}</td><td>{}</td>"
      "<td>{}</td>",
      to_string(run.status), count_cell(number), class_of(run.status), headline(run.status),
      run.partial ? " (partial)" : "", page_text(run.scenario), page_text(run.variant), page_text(run.drivers));
  row += count_cell(run.counters() - wrong - not_judged) + count_cell(wrong, wrong > 0 ? " bad" : "") +
         count_cell(not_judged) + number_cell(run.simulated_time, format_time(run.simulated_time)) + "</tr>";
  if (!details.empty()) row += fmt::format("\n<tr class=\"more\"><td colspan=\"9\">{}</td></tr>", details);
  return row + "</tbody>\n";
}

std::string run_details(const HtmlRun& run, std::size_t most, bool is_open) {
  const RunResult& result = run.result;
  Parts parts;
  add_words(parts, result);
  std::vector<CheckResult> failed;
  std::vector<CheckResult> others;
  for (const CheckResult& check : result.checks) (check.ok ? others : failed).push_back(check);
  add_checks(parts, "Failed checks", failed);
  for (const MeasureResult& measure : result.measures) add_measure(parts, measure);
  add_checks(parts, "Other checks", others);
  add_list(parts, "Findings of the scoreboard", "finding", result.findings, Importance::important);
  add_list(parts, "Actions", "action", result.actions, Importance::usual);
  parts.begin("<details><summary>Meshes</summary><div class=\"picture wide\">", "</div></details>\n", "mesh picture",
              {"", ""});
  if (!run.picture.empty()) parts.add(run.picture, Importance::usual);
  add_driver_files(parts, result);
  add_lines(parts, "Traffic", "traffic stream", traffic_lines(result));
  add_lines(parts, "Kernel log", "kernel log line", result.kernel_log, is_kernel_warning);
  add_lines(parts, "Effective configuration", "configuration line", page_lines(run.configuration));
  const std::string head = fmt::format("platform {}, seed {}", page_text(result.platform), result.seed);
  return html::details("details", fmt::format("<p class=\"soft\">{}</p>\n{}", head, parts.take(most)), is_open);
}

}  // namespace pmufab::scenario
