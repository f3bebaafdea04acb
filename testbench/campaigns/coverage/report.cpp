// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/coverage/report.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "tlm/spec/printable.h"

namespace pmufab::coverage {
namespace {

constexpr std::uint64_t kWhole = 100'00;  // in hundredths of a percent
constexpr std::uint64_t kHundred = 100;

/// "1 run", "1,234 runs"
std::string counted(std::uint64_t number, std::string_view what) {
  return fmt::format("{} {}{}", with_separators(number), what, number == 1 ? "" : "s");
}

std::string describe(const Tally& tally) {
  return fmt::format("{} of {} met ({}){}", with_separators(tally.met), counted(tally.reachable, "bin"),
                     tally.percent(),
                     tally.excluded == 0 ? "" : fmt::format(", {} excluded", with_separators(tally.excluded)));
}

PointReport report_on(const std::string& kind, const std::string& point, const Coverage::Bins& bins,
                      const Exclusions& exclusions) {
  PointReport report;
  report.name = point;
  for (const auto& [bin, runs] : bins) {
    if (const Exclusions::Line* const line = exclusions.find(kind, point, bin)) {
      ++report.tally.excluded;
      report.excluded.push_back({bin, line->reason, runs != 0});
      continue;
    }
    ++report.tally.reachable;
    if (runs != 0) {
      ++report.tally.met;
    } else {
      report.missing.push_back(bin);
    }
  }
  return report;
}

/// Add names to a line until it is full, then to the next.
void append_names(std::string& text, const std::vector<std::string>& names, std::size_t most) {
  constexpr std::size_t kColumns = 118;
  const std::string indent(6, ' ');
  std::string line = indent + "never met:";
  const std::size_t shown = most == 0 ? names.size() : std::min(most, names.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string word = fmt::format(" {}{}", printable(names[i]), i + 1 < names.size() ? "," : "");
    if (line.size() + word.size() > kColumns) {
      text += line + "\n";
      line = indent + " ";
    }
    line += word;
  }
  if (shown < names.size()) line += fmt::format(" and {} more", with_separators(names.size() - shown));
  text += line + "\n";
}

}  // namespace

Tally& Tally::operator+=(const Tally& other) noexcept {
  met += other.met;
  reachable += other.reachable;
  excluded += other.excluded;
  return *this;
}

bool Tally::has(std::uint64_t hundredths) const noexcept {
  return reachable != 0 && met * kWhole >= reachable * hundredths;
}

std::string Tally::percent() const {
  if (reachable == 0) return "nothing to meet";
  const std::uint64_t hundredths = met * kWhole / reachable;
  return fmt::format("{}.{:02} %", hundredths / kHundred, hundredths % kHundred);
}

std::vector<std::string> Report::wrong_exclusions() const {
  std::vector<std::string> wrong;
  for (const KindReport& kind : kinds) {
    for (const PointReport& point : kind.points) {
      for (const Excluded& bin : point.excluded) {
        if (bin.is_met)
          wrong.push_back(printable(fmt::format("{}: {}: {} ({})", kind.name, point.name, bin.bin, bin.reason)));
      }
    }
  }
  return wrong;
}

Report make_report(const Coverage& coverage, const Exclusions& exclusions) {
  Report report;
  report.runs = coverage.runs();
  const Coverage::Uncaused uncaused = coverage.uncaused();
  for (const auto& [kind, points] : coverage.kinds()) {
    KindReport& kind_report = report.kinds.emplace_back();
    kind_report.name = kind;
    for (const auto& [point, bins] : points) kind_report.points.push_back(report_on(kind, point, bins, exclusions));
    if (const auto events = uncaused.find(kind); events != uncaused.end()) {
      PointReport& not_caused = kind_report.points.emplace_back();
      not_caused.name = "events that nothing causes";
      for (const auto& [event, reason] : events->second) not_caused.excluded.push_back({event, reason, false});
      not_caused.tally.excluded = events->second.size();
    }
    for (const PointReport& point : kind_report.points) kind_report.tally += point.tally;
    report.tally += kind_report.tally;
  }
  return report;
}

std::string text_report(const Report& report, std::size_t most) {
  std::string text = fmt::format("coverage of {}: {}\n", counted(report.runs, "run"), describe(report.tally));
  for (const KindReport& kind : report.kinds) {
    text += fmt::format("\n{}: {}\n", printable(kind.name), describe(kind.tally));
    for (const PointReport& point : kind.points) {
      if (point.tally.reachable == 0) continue;
      text += fmt::format("  {:<26} {}\n", printable(point.name), describe(point.tally));
      if (!point.missing.empty()) append_names(text, point.missing, most);
    }
  }
  return text;
}

Json json_report(const Report& report) {
  const auto add_tally = [](Json& json, const Tally& tally) {
    json["met"] = tally.met;
    json["reachable"] = tally.reachable;
    json["excluded"] = tally.excluded;
  };
  Json json;
  json["runs"] = report.runs;
  add_tally(json, report.tally);
  json["kinds"] = Json::array();
  for (const KindReport& kind : report.kinds) {
    Json kind_json;
    kind_json["name"] = kind.name;
    add_tally(kind_json, kind.tally);
    kind_json["points"] = Json::array();
    for (const PointReport& point : kind.points) {
      Json point_json;
      point_json["name"] = point.name;
      add_tally(point_json, point.tally);
      point_json["never_met"] = point.missing;
      point_json["not_reachable"] = Json::array();
      for (const Excluded& bin : point.excluded)
        point_json["not_reachable"].push_back({{"bin", bin.bin}, {"reason", bin.reason}, {"met", bin.is_met}});
      kind_json["points"].push_back(std::move(point_json));
    }
    json["kinds"].push_back(std::move(kind_json));
  }
  return json;
}

}  // namespace pmufab::coverage
