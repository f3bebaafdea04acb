#include "testbench/guest/perf_output.h"

#include <charconv>
#include <map>
#include <regex>
#include <sstream>
#include <utility>

#include <nlohmann/json.hpp>

namespace pmufab::guest {
namespace {

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

std::optional<PrintedCount> from_json(const std::string& line) {
  const auto content = nlohmann::json::parse(line, nullptr, false);
  if (!content.is_object() || !content.contains("event") || !content.contains("counter-value")) return std::nullopt;
  const auto& event = content.at("event");
  const auto& value = content.at("counter-value");
  if (!event.is_string() || !value.is_string()) return std::nullopt;
  return PrintedCount{event.get<std::string>(), to_count(value.get<std::string>())};
}

}  // namespace

std::vector<PrintedCount> find_counts(std::string_view text) {
  // "  1,234  pmu/event/  (50.00%)", perhaps with a time or a CPU before it; and "1234,,pmu/event/,...".
  static const std::regex table(
      R"(^(?:.*\s)?([0-9][0-9,]*|<not counted>|<not supported>)\s+([^\s/]+/[^/]*/[A-Za-z]*)(?:\s.*)?$)");
  static const std::regex separated(
      R"(^(?:.*,)?([0-9]+|<not counted>|<not supported>),[^,]*,([^\s,/]+/[^/]*/[A-Za-z]*),.*$)");
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
    if (std::regex_match(line, match, separated) || std::regex_match(line, match, table))
      counts.push_back({match[2].str(), to_count(match[1].str())});
  }
  return counts;
}

std::vector<GuestVerdict> compare(const std::vector<std::vector<ExpectedEvent>>& runs,
                                  const std::vector<PrintedCount>& printed) {
  // How often an event was counted, and printed.
  std::map<std::string, std::size_t> wanted;
  std::map<std::string, std::vector<std::optional<std::uint64_t>>> values;
  for (const auto& run : runs) {
    for (const ExpectedEvent& event : run) ++wanted[event.text];
  }
  for (const PrintedCount& count : printed) values[count.event].push_back(count.value);

  std::vector<GuestVerdict> verdicts;
  std::map<std::string, std::size_t> next;
  for (const auto& run : runs) {
    for (const ExpectedEvent& event : run) {
      GuestVerdict verdict{event.text, {}, event.low, event.high, GuestVerdict::Check::unchecked, event.note};
      const auto& of_event = values[event.text];
      if (of_event.size() == wanted[event.text]) {
        verdict.printed = of_event[next[event.text]++];
      } else if (wanted[event.text] == 1 && !of_event.empty()) {
        std::uint64_t sum = 0;
        for (const auto& value : of_event) sum += value.value_or(0);
        verdict.printed = sum;
      } else if (verdict.note.empty()) {
        verdict.note = of_event.empty() ? "perf did not print it" : "which perf printed what cannot be told";
        verdicts.push_back(std::move(verdict));
        continue;
      }
      if (event.low && event.high) {
        const bool good = verdict.printed && *event.low <= *verdict.printed && *verdict.printed <= *event.high;
        verdict.check = !good                       ? GuestVerdict::Check::wrong
                        : *event.low == *event.high ? GuestVerdict::Check::exact
                                                    : GuestVerdict::Check::within;
        if (!verdict.printed) verdict.note = "perf could not count it";
      }
      verdicts.push_back(std::move(verdict));
    }
  }
  return verdicts;
}

}  // namespace pmufab::guest
