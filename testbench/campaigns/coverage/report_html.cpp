// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "testbench/campaigns/coverage/report.h"
#include "testbench/pages/page.h"
#include "tlm/spec/printable.h"

namespace pmufab::coverage {
namespace {

using html::details_list;
using html::escaped;

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

std::string row(const PointReport& point) {
  std::vector<std::string> missing;
  for (const std::string& bin : point.missing) missing.push_back(escaped(bin));
  std::vector<std::string> excluded;
  for (const Excluded& bin : point.excluded) {
    excluded.push_back(fmt::format("{}: {}{}", escaped(bin.bin), escaped(bin.reason),
                                   bin.is_met ? R"( <b class="bad">met all the same</b>)" : ""));
  }
  return fmt::format("<tr><td>{}{}{}</td>{}</tr>\n", escaped(point.name),
                     details_list(with_separators(missing.size()) + " never met", missing),
                     details_list(with_separators(excluded.size()) + " excluded", excluded), cells(point.tally));
}

}  // namespace

std::string html_tables(const Report& report) {
  std::string html = fmt::format("<p>{} of {} bins were met. {} are excluded, because nothing can reach them.</p>\n",
                                 with_separators(report.tally.met), with_separators(report.tally.reachable),
                                 with_separators(report.tally.excluded));
  constexpr std::string_view kColumns =
      "<tr><th>coverpoint</th><th></th><th>met</th><th>bins</th><th>excluded</th></tr>\n";
  for (const KindReport& kind : report.kinds) {
    html += fmt::format("<h3>{}</h3>\n<div class=\"wide\"><table>\n{}", escaped(kind.name), kColumns);
    for (const PointReport& point : kind.points) html += row(point);
    html += fmt::format("<tr><th>all</th>{}</tr>\n</table></div>\n", cells(kind.tally));
  }
  return html;
}

std::string html_title(const Report& report) {
  return fmt::format("Coverage of {} run{}: {}", with_separators(report.runs), report.runs == 1 ? "" : "s",
                     report.tally.percent());
}

std::string html_report(const Report& report) {
  return html::page_begin("pmufab coverage", html::Script::none) + fmt::format("<h1>{}</h1>\n", html_title(report)) +
         html_tables(report) + html::page_end(html::Script::none);
}

}  // namespace pmufab::coverage
