// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/guest/perf/perf_output.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <regex>
#include <span>
#include <sstream>
#include <utility>

#include <nlohmann/json.hpp>

#include "testbench/perf/account.h"
#include "testbench/perf/software_events.h"

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

/// @param value  "69.0", "nan"; anything else is no metric
/// @param words  the unit, if there is one, and the name: "%  slc_miss_rate"
void add_metric(const std::string& value, const std::string& words, const PrintedCount& count, PerfOutput& output) {
  PrintedMetric metric;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), metric.value);
  if (value.empty() || error != std::errc() || end != value.data() + value.size()) return;
  std::istringstream stream(words);
  for (std::string word; stream >> word;) metric.unit = std::exchange(metric.name, word);
  if (metric.name.empty()) return;
  const std::size_t point = value.find('.');
  const std::size_t digits = point == std::string::npos ? 0 : value.size() - point - 1;
  constexpr double kHalf = 0.5;
  metric.error = kHalf * std::pow(10.0, -static_cast<double>(digits));
  metric.is_estimate = count.scaled;
  metric.is_interval = count.time.has_value();
  output.metrics.push_back(std::move(metric));
}

/// A PMU's event, or an event of a metric, as part of an expression.
const std::string kEvent = R"(([^\s,/]+/[^/]*/[A-Za-z]*|[A-Za-z_][\w.:-]*))";

/// @return false for a line that is none of perf stat -j
bool read_json(const std::string& line, PerfOutput& output) {
  const auto content = nlohmann::json::parse(line, nullptr, false);
  if (!content.is_object() || !content.contains("event") || !content.contains("counter-value")) return false;
  const auto text = [&](const char* key) {
    return content.contains(key) && content.at(key).is_string() ? content.at(key).get<std::string>() : std::string();
  };
  if (!content.at("event").is_string() || !content.at("counter-value").is_string()) return false;
  const bool scaled = content.contains("pcnt-running") && content.at("pcnt-running").is_number() &&
                      content.at("pcnt-running").get<double>() < kAll;
  PrintedCount count{text("event"), to_count(text("counter-value")), scaled};
  count.is_never = text("counter-value") == kNotCounted;
  if (content.contains("interval") && content.at("interval").is_number())
    count.time = content.at("interval").get<double>();
  add_metric(text("metric-value"), text("metric-unit"), count, output);
  output.counts.push_back(std::move(count));
  return true;
}

/// @return false for a line that is none of perf stat -x: "1234,,pmu/event/,1000,100.00,69.0,%  metric"
bool read_separated(const std::string& line, PerfOutput& output) {
  static const std::regex separated("^(?:.*,)?([0-9]+|<not counted>|<not supported>),[^,]*," + kEvent +
                                    ",[0-9]*,([0-9.]*)(?:,([^,]*),([^,]*))?.*$");
  std::smatch match;
  if (!std::regex_match(line, match, separated)) return false;
  const std::string running = match[3].str();
  const PrintedCount count{match[2].str(), to_count(match[1].str()), !running.empty() && std::stod(running) < kAll,
                           time_of(line), match[1].str() == kNotCounted};
  add_metric(match[4].str(), match[5].str(), count, output);
  output.counts.push_back(count);
  return true;
}

/// "  1,234  pmu/event/  #  69.0 %  metric  (50.00%)", possibly after a time or a CPU.
void read_table(const std::string& line, PerfOutput& output) {
  static const std::regex table(R"(^(?:.*\s)?([0-9][0-9,]*|<not counted>|<not supported>)\s+)" + kEvent +
                                R"((?:\s(.*))?$)");
  static const std::regex share(R"(\(\s*([0-9.]+)%\))");
  static const std::regex metric(R"(#\s+(\S+)\s+([^#(]*))");
  std::smatch match;
  if (!std::regex_match(line, match, table)) return;
  const std::string rest = match[3].str();
  std::smatch part;
  const bool scaled = std::regex_search(rest, part, share) && std::stod(part[1].str()) < kAll;
  const PrintedCount count{match[2].str(), to_count(match[1].str()), scaled, time_of(line),
                           match[1].str() == kNotCounted};
  if (std::regex_search(rest, part, metric)) add_metric(part[1].str(), part[2].str(), count, output);
  output.counts.push_back(count);
}

void read_line(const std::string& line, PerfOutput& output) {
  if (const std::size_t brace = line.find('{'); brace != std::string::npos && read_json(line.substr(brace), output))
    return;
  // perf's own lines are short. std::regex cannot cope with very long ones.
  constexpr std::size_t kLongest = 1000;
  if (line.size() <= kLongest && !read_separated(line, output)) read_table(line, output);
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
  count.is_cut_short = std::ranges::any_of(printed, [](const PrintedCount& each) { return each.time.has_value(); });
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

/// @return whether perf says that the kernel refused the event
bool is_refused(std::span<const PrintedCount> printed) {
  return !printed.empty() &&
         std::ranges::all_of(printed, [](const PrintedCount& count) { return !count.value && !count.is_never; });
}

/// @return the verdict on an event that the kernel has refused, or had to; nothing: that does not decide
std::optional<perf::Verdict> verdict_on_refusal(const ExpectedEvent& event, std::span<const PrintedCount> printed) {
  perf::Verdict verdict;
  verdict.event = event.text;
  if (event.is_refused && !printed.empty()) {
    const perf::Count count = sum_of(printed);
    verdict.count = count.value;
    // One that never had a turn was taken, too.
    verdict.check = is_refused(printed) ? perf::Check::refused : perf::Check::wrong;
    verdict.note = (is_refused(printed) ? "refused, as it has to be: " : "the kernel has to refuse it: ") + event.note;
    return verdict;
  }
  if (!event.is_member || !is_refused(printed)) return std::nullopt;
  verdict.low = event.low;
  verdict.high = event.high;
  verdict.note = "the kernel refused it beside the others of its group; pmufab run and shell judge whether it may";
  return verdict;
}

/// @return several perfs printed them
bool are_of_several_tables(std::span<const PrintedCount> printed) {
  std::size_t table = 0;
  return std::ranges::any_of(printed, [&](const PrintedCount& count) {
    const std::size_t before = std::exchange(table, count.table == 0 ? table : count.table);
    return before != 0 && before != table;
  });
}

/// @return another perf may have printed counts of any name: its events are not known, and were not printed as it was
///         given them
bool others_may_print(const std::vector<std::vector<ExpectedEvent>>& runs, const std::vector<ExpectedEvent>& own,
                      const std::map<std::string, std::vector<PrintedCount>>& printed) {
  return std::ranges::any_of(runs, [&](const std::vector<ExpectedEvent>& run) {
    return &run != &own && std::ranges::any_of(run, [&](const ExpectedEvent& event) {
      const auto found = printed.find(event.text);
      const bool is_known =
          event.metric || event.is_refused || (event.low && event.high) || perf::software_event(event.text);
      return !is_known && (found == printed.end() || found->second.empty());
    });
  });
}

/// @return the time for which perf counted, in seconds, as it printed it: several perfs, and several metrics of one, have
///         different ones
std::optional<Range> duration_of(const std::vector<PrintedCount>& counts) {
  constexpr double kNanosecond = 1e-9;
  std::optional<Range> duration;
  for (const PrintedCount& count : counts) {
    if (count.event != kDuration || !count.value) continue;
    const double seconds = static_cast<double>(*count.value) * kNanosecond;
    duration =
        duration ? Range{std::min(duration->low, seconds), std::max(duration->high, seconds)} : Range{seconds, seconds};
  }
  return duration;
}

const ExpectedEvent* find_event(const std::vector<ExpectedEvent>& run, const std::string& name) {
  const auto event =
      std::ranges::find_if(run, [&](const ExpectedEvent& each) { return !each.metric && each.text == name; });
  return event == run.end() ? nullptr : &*event;
}

void add_note(MetricVerdict& verdict, const std::string& text) {
  verdict.note += (verdict.note.empty() ? "" : "; ") + text;
}

/// What a metric must be, with the reason if nobody can say.
MetricVerdict expect_metric(const std::vector<ExpectedEvent>& run, const ExpectedEvent& event,
                            const std::optional<Range>& duration) {
  MetricVerdict verdict;
  verdict.metric = event.text;
  std::string reason = event.note;
  if (reason.empty()) {
    verdict.expected = evaluate(*event.metric, [&](const std::string& name) -> std::optional<Range> {
      if (name == kDuration) return duration;
      const ExpectedEvent* const part = find_event(run, name);
      if (part == nullptr || !part->low || !part->high) {
        reason = part == nullptr || part->note.empty() ? name + " is not judged" : name + ": " + part->note;
        return std::nullopt;
      }
      return Range{static_cast<double>(*part->low), static_cast<double>(*part->high)};
    });
    if (!verdict.expected && reason.empty()) reason = "its divisor may be 0";
  }
  if (!verdict.expected) add_note(verdict, "not judged: " + reason);
  return verdict;
}

/// @return why the counts of a metric may be out of bounds and right all the same; empty: nothing
std::string doubt_about(const std::vector<ExpectedEvent>& run, const Metric& metric) {
  for (const std::string& name : events_of(metric).value_or(std::vector<std::string>{})) {
    const ExpectedEvent* const event = find_event(run, name);
    if (event != nullptr && !event->doubt.empty()) return event->doubt;
  }
  return {};
}

void judge_metric(MetricVerdict& verdict, const PrintedMetric& printed, const std::string& doubt) {
  verdict.value = printed.value;
  verdict.unit = printed.unit;
  if (!verdict.expected) return;
  if (printed.is_estimate) return add_note(verdict, "an estimate: its events had counters for part of the time only");
  const Range& expected = *verdict.expected;
  const bool is_exact = expected.low == expected.high;
  if (std::isnan(expected.low) || std::isnan(printed.value)) {
    verdict.check = std::isnan(expected.low) && std::isnan(printed.value) ? perf::Check::exact : perf::Check::wrong;
    return;
  }
  // perf's arithmetic may round in another order.
  constexpr double kRounding = 1e-9;
  const double error = printed.error + kRounding * std::abs(printed.value);
  if (printed.value >= expected.low - error && printed.value <= expected.high + error) {
    verdict.check = is_exact ? perf::Check::exact : perf::Check::within;
  } else if (doubt.empty()) {
    verdict.check = perf::Check::wrong;
  } else {
    add_note(verdict, doubt);
  }
}

}  // namespace

PerfOutput read_perf_output(std::string_view text) {
  PerfOutput output;
  bool in_table = false;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (line.find("Performance counter stats for ") != std::string::npos) {
      in_table = true;
      ++output.tables;
    }
    const std::size_t counts = output.counts.size();
    const std::size_t metrics = output.metrics.size();
    read_line(line, output);
    for (std::size_t i = counts; i < output.counts.size() && in_table; ++i) output.counts[i].table = output.tables;
    for (std::size_t i = metrics; i < output.metrics.size() && in_table; ++i) output.metrics[i].table = output.tables;
    if (line.ends_with(" seconds time elapsed") || line.find(" seconds time elapsed ") != std::string::npos)
      in_table = false;
  }
  return output;
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
      if (event.metric) continue;
      const std::vector<PrintedCount>& of_event = values[event.text];
      const std::size_t times = wanted[event.text];
      std::span<const PrintedCount> own_counts;
      if (times == 1) own_counts = of_event;
      if (times > 1) {
        auto parts = by_perf(of_event, false);
        if (parts.size() != times) parts = by_perf(of_event, true);
        if (parts.size() == times) own_counts = parts[next[event.text]++];
      }
      if (are_of_several_tables(own_counts) || others_may_print(runs, run, values)) own_counts = {};
      if (const auto refused = verdict_on_refusal(event, own_counts)) {
        verdicts.push_back(*refused);
        continue;
      }
      perf::Count count = sum_of(own_counts);
      if (own_counts.empty() && !of_event.empty()) count.unknown = "it is unclear which perf printed which count";
      verdicts.push_back(perf::verdict_on(event.text, count, expected_of(event)));
      if (event.account && count.value && !count.is_estimate)
        verdicts.back().account = perf::with_reported(*event.account, *count.value);
    }
  }
  return verdicts;
}

std::vector<MetricVerdict> compare_metrics(const std::vector<std::vector<ExpectedEvent>>& runs,
                                           const PerfOutput& printed) {
  std::map<std::string, std::vector<PrintedMetric>> values;
  for (const PrintedMetric& metric : printed.metrics) values[metric.name].push_back(metric);
  std::map<std::string, std::size_t> wanted;
  for (const auto& run : runs) {
    for (const ExpectedEvent& event : run) wanted[event.text] += event.metric ? 1U : 0U;
  }
  const std::optional<Range> duration = duration_of(printed.counts);
  std::vector<MetricVerdict> verdicts;
  std::map<std::string, std::size_t> next;
  for (const auto& run : runs) {
    for (const ExpectedEvent& event : run) {
      if (!event.metric) continue;
      const std::vector<PrintedMetric>& own = values[event.text];
      const std::size_t index = next[event.text]++;
      MetricVerdict verdict = expect_metric(run, event, duration);
      if (own.empty()) {
        add_note(verdict, "it is not in perf's output");
      } else if (own.size() != wanted[event.text]) {
        add_note(verdict, own.front().is_interval ? "with -I perf prints the metric of each interval"
                                                  : "it is unclear which perf printed which metric");
      } else {
        judge_metric(verdict, own[index], doubt_about(run, *event.metric));
      }
      verdicts.push_back(std::move(verdict));
    }
  }
  return verdicts;
}

namespace {

/// What belongs together: some of the runs, and what they printed.
struct Portion {
  std::vector<std::size_t> runs;
  PerfOutput printed;
};

PerfOutput of_table(const PerfOutput& printed, std::size_t table) {
  PerfOutput own;
  const auto is_own = [table](const auto& each) { return each.table == table; };
  std::ranges::copy_if(printed.counts, std::back_inserter(own.counts), is_own);
  std::ranges::copy_if(printed.metrics, std::back_inserter(own.metrics), is_own);
  return own;
}

/// @return a count of each event that the run is judged by is there
bool has_all(const PerfOutput& printed, const std::vector<ExpectedEvent>& run) {
  return std::ranges::all_of(run, [&](const ExpectedEvent& event) {
    return !event.low || !event.high ||
           std::ranges::any_of(printed.counts, [&](const PrintedCount& count) { return count.event == event.text; });
  });
}

/// @return a portion for each of the runs, if each has printed a table; nothing if not
std::vector<Portion> by_table(const std::vector<std::vector<ExpectedEvent>>& runs,
                              const std::vector<std::size_t>& indices, const PerfOutput& printed) {
  if (printed.tables != indices.size()) return {};
  if (!of_table(printed, 0).counts.empty()) return {};  // -I, -x or -j
  std::vector<Portion> portions;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    portions.push_back({{indices[i]}, of_table(printed, i + 1)});
    if (!has_all(portions.back().printed, runs[indices[i]])) return {};
  }
  return portions;
}

}  // namespace

JudgedRuns judge_runs(const std::vector<std::vector<ExpectedEvent>>& runs, const PerfOutput& printed,
                      const std::map<std::size_t, std::string>& files) {
  std::vector<Portion> portions;
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto file = files.find(i);
    if (file == files.end()) {
      others.push_back(i);
    } else {
      portions.push_back({{i}, read_perf_output(file->second)});
    }
  }
  std::vector<Portion> tables = by_table(runs, others, printed);
  if (tables.empty()) tables.push_back({others, printed});
  std::move(tables.begin(), tables.end(), std::back_inserter(portions));

  std::vector<JudgedRuns> judged(runs.size());
  for (const Portion& portion : portions) {
    std::vector<std::vector<ExpectedEvent>> own;
    for (const std::size_t run : portion.runs) own.push_back(runs[run]);
    const std::vector<perf::Verdict> counts = compare(own, portion.printed.counts);
    const std::vector<MetricVerdict> metrics = compare_metrics(own, portion.printed);
    auto count = counts.begin();
    auto metric = metrics.begin();
    for (const std::size_t run : portion.runs) {
      for (const ExpectedEvent& event : runs[run]) {
        if (event.metric) {
          judged[run].metrics.push_back(*metric++);
        } else {
          judged[run].counts.push_back(*count++);
        }
      }
    }
  }
  JudgedRuns all;
  for (const JudgedRuns& run : judged) {
    all.counts.insert(all.counts.end(), run.counts.begin(), run.counts.end());
    all.metrics.insert(all.metrics.end(), run.metrics.begin(), run.metrics.end());
  }
  return all;
}

}  // namespace pmufab::guest
