// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "testbench/coverage/report.h"
#include "tlm/spec/printable.h"

namespace pmufab::coverage {
namespace {

constexpr std::string_view kHead = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>pmufab coverage</title>
<style>
body { font-family: sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em; }
h2 { font-size: 1.1em; margin: 2em 0 0.3em; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid #ccc; padding: 0.3em 0.6em; text-align: left; vertical-align: top; }
td.number { text-align: right; white-space: nowrap; }
.bar { background: #ddd; width: 8em; height: 0.8em; }
.bar div { background: #3a7d44; height: 100%; }
.open { color: #a33; }
summary { cursor: pointer; }
</style>
</head>
<body>
)";

/// Text as HTML shows it.
std::string escaped(std::string_view text) {
  std::string html;
  for (const char letter : printable(text)) {
    switch (letter) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      default:
        html += letter;
    }
  }
  return html;
}

std::string bar(const Tally& tally) {
  constexpr std::uint64_t kPercent = 100;
  const std::uint64_t part = tally.reachable == 0 ? 0 : tally.met * kPercent / tally.reachable;
  return fmt::format(R"(<div class="bar"><div style="width:{}%"></div></div>)", part);
}

std::string cells(const Tally& tally) {
  return fmt::format(
      R"(<td>{}</td><td class="number">{}</td><td class="number">{} of {}</td><td class="number">{}</td>)", bar(tally),
      tally.percent(), with_separators(tally.met), with_separators(tally.reachable), with_separators(tally.excluded));
}

/// A list that opens with a click.
template <typename Items, typename Text>
std::string details(const std::string& title, const Items& items, Text text_of) {
  if (items.empty()) return {};
  std::string html = fmt::format("<details><summary>{} {}</summary><ul>", with_separators(items.size()), title);
  for (const auto& item : items) html += fmt::format("<li>{}</li>", text_of(item));
  return html + "</ul></details>";
}

std::string row(const PointReport& point) {
  const std::string missing = details("never met", point.missing, [](const std::string& bin) { return escaped(bin); });
  const std::string excluded = details("excluded", point.excluded, [](const Excluded& bin) {
    return fmt::format("{}: {}{}", escaped(bin.bin), escaped(bin.reason),
                       bin.is_met ? R"( <b class="open">met all the same</b>)" : "");
  });
  return fmt::format("<tr><td>{}{}{}</td>{}</tr>\n", escaped(point.name), missing, excluded, cells(point.tally));
}

}  // namespace

std::string html_report(const Report& report) {
  std::string html(kHead);
  html += fmt::format("<h1>Coverage of {} run{}: {}</h1>\n", with_separators(report.runs), report.runs == 1 ? "" : "s",
                      report.tally.percent());
  html += fmt::format("<p>{} of {} bins were met. {} are excluded, because nothing can reach them.</p>\n",
                      with_separators(report.tally.met), with_separators(report.tally.reachable),
                      with_separators(report.tally.excluded));
  constexpr std::string_view kColumns =
      "<tr><th>coverpoint</th><th></th><th>met</th><th>bins</th><th>excluded</th></tr>\n";
  for (const KindReport& kind : report.kinds) {
    html += fmt::format("<h2>{}</h2>\n<table>\n{}", escaped(kind.name), kColumns);
    for (const PointReport& point : kind.points) html += row(point);
    html += fmt::format("<tr><th>all</th>{}</tr>\n</table>\n", cells(kind.tally));
  }
  return html + "</body>\n</html>\n";
}

}  // namespace pmufab::coverage
