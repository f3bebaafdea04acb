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

/// Per cent of the time an event had a counter.
constexpr double kAll = 100.0;

/// @return a whole number with separators of thousands or without; nothing for anything else
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

/// @return what perf puts before each line with -I: "     0.100150000 " or "     0.100150000,"; nothing if it does not
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
  if (content.contains("interval") && content.at("interval").is_number())
    count.time = content.at("interval").get<double>();
  return count;
}

/// Counts of one event, perf by perf: the intervals of one are in ascending order of time, and where time steps back
/// another one begins.
/// @param summaries  what has no time and comes behind intervals is their sum, not another perf's count
/// @return nothing if that cannot be: one perf printed several intervals, and each twice
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

GuestVerdict judge(const ExpectedEvent& event, std::span<const PrintedCount> printed) {
  using Check = GuestVerdict::Check;
  GuestVerdict verdict{event.text, {}, event.low, event.high, Check::unchecked, event.note};
  bool scaled = false;
  bool counted = !printed.empty();
  std::uint64_t sum = 0;
  const bool intervals =
      std::any_of(printed.begin(), printed.end(), [](const auto& count) { return count.time.has_value(); });
  for (const PrintedCount& count : printed) {
    if (intervals && !count.time) continue;  // --summary: the intervals once more
    scaled = scaled || count.scaled;
    counted = counted && count.value;
    sum += count.value.value_or(0);
  }
  if (counted) verdict.printed = sum;
  if (!event.low || !event.high) return verdict;
  if (printed.empty()) {
    verdict.note = "it is not found in what perf printed";
  } else if (scaled) {
    verdict.note = "an estimate: it had a counter for a part of the time";
  } else if (!counted) {
    verdict.note = "perf could not count it";
    verdict.check = Check::wrong;
  } else if (*event.low <= sum && sum <= *event.high) {
    verdict.check = *event.low == *event.high ? Check::exact : Check::within;
  } else if (intervals && sum < *event.low) {
    verdict.note = "with -I perf does not print what it counted after the last interval";
  } else if (!event.doubt.empty()) {
    verdict.note = event.doubt;
  } else {
    verdict.check = Check::wrong;
  }
  return verdict;
}

}  // namespace

std::vector<PrintedCount> find_counts(std::string_view text) {
  // "  1,234  pmu/event/  (50.00%)", perhaps with a time or a CPU before it; and "1234,,pmu/event/,...".
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
    // perf's own lines are short; a regular expression of this library is not for others.
    constexpr std::size_t kLongest = 1000;
    if (line.size() > kLongest) continue;
    if (std::regex_match(line, match, separated)) {
      const std::string running = match[3].str();
      counts.push_back(
          {match[2].str(), to_count(match[1].str()), !running.empty() && std::stod(running) < kAll, time_of(line)});
    } else if (std::regex_match(line, match, table)) {
      const std::string rest = match[3].str();
      std::smatch running;
      const bool scaled = std::regex_search(rest, running, share) && std::stod(running[1].str()) < kAll;
      counts.push_back({match[2].str(), to_count(match[1].str()), scaled, time_of(line)});
    }
  }
  return counts;
}

std::vector<GuestVerdict> compare(const std::vector<std::vector<ExpectedEvent>>& runs,
                                  const std::vector<PrintedCount>& printed) {
  // How often an event was counted, and printed.
  std::map<std::string, std::size_t> wanted;
  std::map<std::string, std::vector<PrintedCount>> values;
  for (const auto& run : runs) {
    for (const ExpectedEvent& event : run) ++wanted[event.text];
  }
  for (const PrintedCount& count : printed) values[count.event].push_back(count);

  std::vector<GuestVerdict> verdicts;
  std::map<std::string, std::size_t> next;
  for (const auto& run : runs) {
    for (const ExpectedEvent& event : run) {
      const std::vector<PrintedCount>& of_event = values[event.text];
      const std::size_t times = wanted[event.text];
      std::span<const PrintedCount> its;
      if (times == 1) its = of_event;
      if (times > 1) {
        auto parts = by_perf(of_event, false);
        if (parts.size() != times) parts = by_perf(of_event, true);
        if (parts.size() == times) its = parts[next[event.text]++];
      }
      GuestVerdict verdict = judge(event, its);
      if (its.empty() && !of_event.empty()) verdict.note = "which perf printed what cannot be told";
      verdicts.push_back(std::move(verdict));
    }
  }
  return verdicts;
}

}  // namespace pmufab::guest
