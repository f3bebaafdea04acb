// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/explore/report/report.h"

#include <ostream>
#include <vector>

#include <fmt/format.h>

#include "testbench/campaigns/explore/points.h"
#include "testbench/campaigns/explore/report/export.h"
#include "testbench/campaigns/explore/search.h"
#include "testbench/pages/page.h"
#include "testbench/run/report/report.h"

namespace pmufab::explore {
namespace {

using html::escaped;

// A browser opens pages of some ten thousand lines quickly. The export has all points.
constexpr std::uint64_t kMostLines = 20'000;

/// A part of a page has no name of a kind of document.
std::string inline_svg(const std::string& svg) {
  constexpr std::string_view kNamespace = " xmlns=\"http://www.w3.org/2000/svg\"";
  std::string part = svg;
  if (const std::size_t at = part.find(kNamespace); at != std::string::npos) part.erase(at, kNamespace.size());
  return part;
}

std::string in_words(const MeasuredValue& value) {
  const std::string where = value.measure.empty() ? "" : fmt::format(" in {}", value.measure);
  return fmt::format("{} of {}{}", fmt::join(value.value, "."), value.name.empty() ? "the run" : value.name, where);
}

std::string title_of(const Study& study, const Goal& goal) {
  return fmt::format("The {} {} with {}", goal.is_largest ? "largest" : "smallest", study.axes[goal.axis].name,
                     goal.such_that.text());
}

std::string goal_table(const Study& study, const Goal& goal, const GoalFinding& finding) {
  std::string table = "<div class=\"wide\"><table>\n<tr>";
  for (const std::size_t axis : goal.for_each) table += fmt::format("<th>{}</th>", escaped(study.axes[axis].name));
  table += fmt::format("<th class=\"number\">{} {}</th>{}<th>holds at</th><th>fails at</th></tr>\n",
                       goal.is_largest ? "largest" : "smallest", escaped(study.axes[goal.axis].name),
                       goal.closed_form ? "<th class=\"number\">closed form</th>" : "");
  const Grid combinations = combinations_of(study, goal);
  const auto place = [&](const std::optional<std::uint64_t>& position) {
    return position ? fmt::format("point {}: {}", *position, escaped(label_of(study, *position))) : std::string("-");
  };
  for (const Answer& answer : finding.answers) {
    table += "<tr>";
    const std::vector<std::size_t> at = combinations.values_at(answer.combination);
    for (std::size_t i = 0; i < at.size(); ++i)
      table += fmt::format("<td>{}</td>", escaped(study.axes[goal.for_each[i]].values[at[i]].label));
    const std::string value = answer.kind == Answer::Kind::found
                                  ? escaped(study.axes[goal.axis].values[answer.value].label)
                              : answer.kind == Answer::Kind::none ? "none"
                                                                  : "points are missing";
    table += fmt::format("<td class=\"number\">{}</td>", value);
    if (goal.closed_form)
      table += fmt::format("<td class=\"number {}\">{}</td>", answer.agrees ? "good" : "bad",
                           answer.closed_form ? number_text(*answer.closed_form) : "-");
    table += fmt::format("<td>{}</td><td>{}</td></tr>\n", place(answer.holds_at), place(answer.fails_at));
  }
  return table + "</table></div>\n";
}

std::string facts(const Study& study, Database& database) {
  std::string text = "<dl>\n";
  const auto add = [&](const char* name, const std::string& what) {
    text += fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, escaped(what));
  };
  add("made by", "pmufab explore " + scenario::version());
  add("scenario", database.note("scenario"));
  for (const Axis& axis : study.axes) {
    std::vector<std::string> labels;
    constexpr std::size_t kMost = 40;
    for (const AxisValue& value : axis.values) {
      if (labels.size() < kMost) labels.push_back(value.label);
    }
    add("axis", fmt::format("{}: {}{}", axis.name, fmt::join(labels, ", "),
                            axis.values.size() > kMost ? fmt::format(" ... {}", axis.values.back().label) : ""));
  }
  for (const Response& response : study.responses)
    add("response", fmt::format("{}: {}", response.name,
                                response.computed ? response.computed->text() : in_words(*response.measured)));
  if (study.repeats > 1) add("repetitions", fmt::format("{} seeds of each point", study.repeats));
  add("points", fmt::format("{} of {} combinations", scenario::with_separators(database.points()),
                            scenario::with_separators(study.grid.positions())));
  return text + "</dl>\n";
}

std::string controls(const std::vector<std::string>& statuses) {
  std::string text =
      "<div id=\"controls\" hidden><label>search <input id=\"search\" type=\"search\" placeholder=\"all words must be "
      "in a point\"></label> <label>status <select id=\"verdict\"><option value=\"\">all</option>";
  for (const std::string& status : statuses) text += fmt::format("<option value=\"{0}\">{0}</option>", status);
  return text + "</select></label> <span id=\"shown\" class=\"soft\" role=\"status\"></span></div>\n";
}

std::string columns(const Study& study) {
  std::string text = "<thead><tr><th class=\"number\">point</th>";
  for (const Axis& axis : study.axes)
    text += fmt::format("<th{}>{}</th>", axis.has_numbers() ? " class=\"number\"" : "", escaped(axis.name));
  for (const Response& response : study.responses)
    text += fmt::format("<th class=\"number\">{}</th>", escaped(response.name));
  return text + "<th class=\"number\">seed</th><th>status</th><th>command</th></tr></thead>\n";
}

std::string number_cell(double value, const std::string& text) {
  return fmt::format("<td class=\"number\" data-value=\"{}\">{}</td>", value, escaped(text));
}

std::string row(const Study& study, std::uint64_t position, const Result& result, const std::string& scenario) {
  std::string text = fmt::format("<tbody data-verdict=\"{}\"><tr>{}", escaped(result.status),
                                 number_cell(static_cast<double>(position), std::to_string(position)));
  const std::vector<std::size_t> at = study.grid.values_at(position / study.grid.repeats());
  for (std::size_t i = 0; i < at.size(); ++i) {
    const AxisValue& value = study.axes[i].values[at[i]];
    text += study.axes[i].has_numbers() ? number_cell(*value.number, value.label)
                                        : fmt::format("<td>{}</td>", escaped(value.label));
  }
  for (const std::optional<double>& value : result.values)
    text += value ? number_cell(*value, number_text(*value)) : "<td class=\"number\" data-value=\"-1e300\">-</td>";
  text += number_cell(static_cast<double>(result.seed), std::to_string(result.seed));
  const std::string message =
      result.message.empty() ? "" : fmt::format(" <span class=\"soft\">{}</span>", escaped(result.message));
  const std::string command = escaped(command_of(study, position, scenario, result.drivers, result.seed));
  return text + fmt::format("<td>{}{}</td><td>{}</td></tr></tbody>\n", escaped(result.status), message,
                            html::details("run it", fmt::format("<code>{0}</code><br>with its time line:<br><code>{0} "
                                                                "--timeline point-{1}.svg</code>",
                                                                command, position)));
}

}  // namespace

void write_report(std::ostream& out, const Study& study, const Findings& findings, const std::vector<Picture>& pictures,
                  Database& database) {
  out << html::page_begin("pmufab explore " + study.name, html::Script::tables);
  const std::vector<std::string> sentences = in_words(study, findings);
  out << fmt::format("<h1>{}</h1>\n", escaped(study.question.empty() ? study.name : study.question));
  if (!sentences.empty())
    out << fmt::format("<p class=\"outcome {}\">{}</p>\n", findings.are_as_expected() ? "" : "bad",
                       escaped(sentences.front()));
  if (sentences.size() > 1) {
    std::vector<std::string> rest;
    for (std::size_t i = 1; i < sentences.size(); ++i) rest.push_back(escaped(sentences[i]));
    out << html::details_list(fmt::format("{} more sentences", rest.size()), rest);
  }
  out << facts(study, database);
  for (std::size_t i = 0; i < study.goals.size(); ++i)
    out << fmt::format(
        "<section><h2>{}</h2>\n{}</section>\n", escaped(title_of(study, study.goals[i])),
        html::details("a line for each combination, with the points on both sides of its border",
                      goal_table(study, study.goals[i], findings.goals[i]), findings.goals[i].answers.size() <= 30));
  if (!pictures.empty()) out << "<section><h2>Pictures</h2>\n<div class=\"pictures\">\n";
  for (const Picture& picture : pictures)
    out << fmt::format("<figure class=\"picture\">{}<figcaption>{}</figcaption></figure>\n", inline_svg(picture.svg),
                       html::details("numbers", "<pre>" + html::escaped_lines(picture.csv) + "</pre>"));
  if (!pictures.empty()) out << "</div></section>\n";
  out << fmt::format("<section><h2>Points</h2>\n{}<div class=\"wide\"><table id=\"runs\" class=\"points\">\n{}",
                     controls(database.statuses()), columns(study));
  const std::string scenario = database.note("scenario");
  std::uint64_t lines = 0;
  database.each(study, [&](std::uint64_t position, const Result& result) {
    if (lines++ < kMostLines) out << row(study, position, result, scenario);
  });
  out << "</table></div>\n";
  if (lines > kMostLines)
    out << fmt::format("<p class=\"notice\">{} more points are in the database: pmufab explore export</p>\n",
                       lines - kMostLines);
  out << "</section>\n" << html::page_end(html::Script::tables);
}

}  // namespace pmufab::explore
