// SPDX-License-Identifier: Apache-2.0
#include "testbench/guest/perf/perf_output.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <regex>
#include <span>
#include <sstream>
#include <utility>

#include <nlohmann/json.hpp>

namespace pmufab::guest {
namespace {

/// Percentage of the time in which an event had a counter.
constexpr double kAll = 100.0;
/// Printed instead of a count if the event never had a counter. (<not supported>: it was refused.)
constexpr std::string_view kNotCounted = "<not counted>";

/// @return a whole number, with or without separators of thousands; nothing for anything else
std::optional<std::uint64_t> to_count(std::string text) {
  std::erase(text, ',');
  if (const auto point = text.find('.');
      point != std::string::npos && text.find_first_not_of('0', point + 1) == std::string::npos)
    text.resize(point);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// @return the time that perf -I prints at the start of a line ("     0.100150000 " or "     0.100150000,"), if any
std::optional<double> time_of(const std::string& line) {
  static const std::regex time(R"(^\s*([0-9]{1,9}\.[0-9]{9})[\s,])");
  std::smatch match;
  if (!std::regex_search(line, match, time)) return std::nullopt;
  return std::stod(match[1].str());
}

std::optional<PrintedCount> from_json(const std::string& line) {
  const auto content = nlohmann::json::parse(line, nullptr, false);
  if (!content.is_object() || !content.contains("event") || !content.contains("counter-value")) return std::nullopt;
  const auto& event = content.at("event");
  const auto& value = content.at("counter-value");
  if (!event.is_string() || !value.is_string()) return std::nullopt;
  const bool scaled = content.contains("pcnt-running") && content.at("pcnt-running").is_number() &&
                      content.at("pcnt-running").get<double>() < kAll;
  PrintedCount count{event.get<std::string>(), to_count(value.get<std::string>()), scaled};
  count.is_never = value.get<std::string>() == kNotCounted;
  if (content.contains("interval") && content.at("interval").is_number())
    count.time = content.at("interval").get<double>();
  return count;
}

/// Splits the counts of one event by perf. The intervals of one perf are in ascending order of time; where time steps
/// back, another perf begins.
/// @param summaries  a count without time after intervals is their sum (--summary), not another perf's count
/// @return nothing if that is impossible: one perf printed several intervals, and each twice
std::vector<std::span<const PrintedCount>> by_perf(std::span<const PrintedCount> counts, bool summaries) {
  std::vector<std::span<const PrintedCount>> parts;
  bool twice = false;
  for (std::size_t begin = 0; begin < counts.size();) {
    std::size_t end = begin + 1;
    while (end < counts.size() && counts[end].time && counts[end - 1].time && counts[end].time > counts[end - 1].time)
      ++end;
    twice = twice || (end < counts.size() && counts[end].time && counts[end].time == counts[end - 1].time);
    if (summaries && end < counts.size() && counts[end - 1].time && !counts[end].time) ++end;
    parts.push_back(counts.subspan(begin, end - begin));
    begin = end;
  }
  if (twice && parts.size() != counts.size()) parts.clear();
  return parts;
}

/// @return the counts printed for an event, as one count
perf::Count sum_of(std::span<const PrintedCount> printed) {
  perf::Count count;
  if (printed.empty()) {
    count.unknown = "it is not in perf's output";
    return count;
  }
  count.is_cut_short =
      std::any_of(printed.begin(), printed.end(), [](const PrintedCount& each) { return each.time.has_value(); });
  std::uint64_t sum = 0;
  bool is_counted = true;
  bool is_never = true;
  for (const PrintedCount& each : printed) {
    if (count.is_cut_short && !each.time) continue;  // --summary: the sum of the intervals
    is_never = is_never && each.is_never;
    count.is_estimate = count.is_estimate || each.scaled;
    is_counted = is_counted && each.value;
    sum += each.value.value_or(0);
  }
  if (is_counted) count.value = sum;
  if (is_never) {
    count.is_estimate = false;
    count.turns = {.enabled = 1, .running = 0};  // perf does not print for how long
  }
  return count;
}

perf::Expected expected_of(const ExpectedEvent& event) {
  if (!event.low || !event.high) return perf::not_judged(event.note);
  perf::Expected expected;
  expected.low = event.low;
  expected.high = event.high;
  expected.doubt = event.doubt;
  expected.remark = event.note;
  return expected;
}

}  // namespace

std::vector<PrintedCount> find_counts(std::string_view text) {
  // "  1,234  pmu/event/  (50.00%)", possibly after a time or a CPU; and "1234,,pmu/event/,...".
  static const std::regex table(
      R"(^(?:.*\s)?([0-9][0-9,]*|<not counted>|<not supported>)\s+([^\s/]+/[^/]*/[A-Za-z]*)(?:\s(.*))?$)");
  static const std::regex separated(
      R"(^(?:.*,)?([0-9]+|<not counted>|<not supported>),[^,]*,([^\s,/]+/[^/]*/[A-Za-z]*),[0-9]*,([0-9.]*).*$)");
  static const std::regex share(R"(\(\s*([0-9.]+)%\))");
  std::vector<PrintedCount> counts;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (const std::size_t brace = line.find('{'); brace != std::string::npos) {
      if (auto count = from_json(line.substr(brace))) {
        counts.push_back(std::move(*count));
        continue;
      }
    }
    std::smatch match;
    // perf's own lines are short. std::regex cannot cope with very long ones.
    constexpr std::size_t kLongest = 1000;
    if (line.size() > kLongest) continue;
    if (std::regex_match(line, match, separated)) {
      const std::string running = match[3].str();
      counts.push_back({match[2].str(), to_count(match[1].str()), !running.empty() && std::stod(running) < kAll,
                        time_of(line), match[1].str() == kNotCounted});
    } else if (std::regex_match(line, match, table)) {
      const std::string rest = match[3].str();
      std::smatch running;
      const bool scaled = std::regex_search(rest, running, share) && std::stod(running[1].str()) < kAll;
      counts.push_back(
          {match[2].str(), to_count(match[1].str()), scaled, time_of(line), match[1].str() == kNotCounted});
    }
  }
  return counts;
}

std::vector<perf::Verdict> compare(const std::vector<std::vector<ExpectedEvent>>& runs,
                                   const std::vector<PrintedCount>& printed) {
  // How often each event was counted, and what was printed for it.
  std::map<std::string, std::size_t> wanted;
  std::map<std::string, std::vector<PrintedCount>> values;
  for (const auto& run : runs) {
    for (const ExpectedEvent& event : run) ++wanted[event.text];
  }
  for (const PrintedCount& count : printed) values[count.event].push_back(count);

  std::vector<perf::Verdict> verdicts;
  std::map<std::string, std::size_t> next;
  for (const auto& run : runs) {
    for (const ExpectedEvent& event : run) {
      const std::vector<PrintedCount>& of_event = values[event.text];
      const std::size_t times = wanted[event.text];
      std::span<const PrintedCount> own_counts;
      if (times == 1) own_counts = of_event;
      if (times > 1) {
        auto parts = by_perf(of_event, false);
        if (parts.size() != times) parts = by_perf(of_event, true);
        if (parts.size() == times) own_counts = parts[next[event.text]++];
      }
      perf::Count count = sum_of(own_counts);
      if (own_counts.empty() && !of_event.empty()) count.unknown = "it is unclear which perf printed which count";
      verdicts.push_back(perf::verdict_on(event.text, count, expected_of(event)));
    }
  }
  return verdicts;
}

}  // namespace pmufab::guest
