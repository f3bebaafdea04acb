// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <ostream>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "testbench/perf/account.h"
#include "testbench/run/report/report.h"

namespace pmufab::scenario {
namespace {

using Check = CounterResult::Check;
using Status = RunResult::Status;

std::string dump(const Json& json, int indent) { return json.dump(indent, ' ', false, Json::error_handler_t::replace); }

std::string number(const std::optional<std::uint64_t>& value) { return value ? fmt::format("{}", *value) : ""; }

struct TestCase {
  std::string group;
  std::string name;
  std::string failure;  // empty: passed
  bool skipped = false;
};

/// An attribute with host time, as JUnit has it.
std::string time_attribute(const std::optional<double>& seconds) {
  return seconds ? fmt::format(" time=\"{:.6f}\"", *seconds) : std::string();
}

std::vector<TestCase> test_cases(const RunResult& run) {
  std::vector<TestCase> cases;
  for (const MeasureResult& measure : run.measures) {
    for (const CounterResult& counter : measure.counters) {
      TestCase test{measure.name, counter.event, {}, counter.check == Check::unchecked};
      if (counter.check == Check::wrong || counter.check == Check::not_opened) {
        test.failure = fmt::format("driver {}, scoreboard {}: {}", counter.driver ? number(counter.driver) : "-",
                                   counter.expected ? number(counter.expected) : "-", counter.note);
      }
      cases.push_back(std::move(test));
    }
    for (const DerivedResult& derived : measure.derived) {
      if (!derived.reference) continue;
      TestCase test{measure.name, derived.name, {}, false};
      if (!derived.ok) test.failure = fmt::format("{} {}, but {}", derived.value, derived.unit, *derived.reference);
      cases.push_back(std::move(test));
    }
    for (const CheckResult& check : measure.checks)
      cases.push_back({measure.name, check.name, check.ok ? "" : check.text, false});
  }
  for (const CheckResult& check : run.checks) cases.push_back({"run", check.name, check.ok ? "" : check.text, false});
  return cases;
}

/// Status as a test case of its own, where it says more than the checks do.
/// @param time  its attribute
void write_status(std::ostream& out, const RunResult& run, const std::string& suite, const std::string& time) {
  if (run.status == Status::passed || run.status == Status::failed) return;
  fmt::print(out, "    <testcase classname=\"{}\" name=\"status\"{}>", xml_text(suite), time);
  const std::string text = run.message.empty() ? run.expected_reason : run.message;
  switch (run.status) {
    case Status::not_run:
    case Status::not_judged:
    case Status::expected_failure:
      fmt::print(out, "<skipped message=\"{}: {}\"/>", to_string(run.status), xml_text(text));
      break;
    case Status::crashed:
    case Status::bad_input:
      fmt::print(out, "<error message=\"{}: {}\"/>", to_string(run.status), xml_text(text));
      break;
    default:
      fmt::print(out, "<failure message=\"{}: {}\"/>", to_string(run.status), xml_text(text));
  }
  fmt::print(out, "</testcase>\n");
}

bool is_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string csv_field(std::string_view text) {
  // Spreadsheets carry out what begins so. A number does no harm.
  constexpr std::string_view kFormula = "=+-@\t\r";
  const bool is_formula = !text.empty() && kFormula.find(text.front()) != std::string_view::npos && !is_number(text);
  if (!is_formula && text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
  if (is_formula && text.find_first_of(",\"\n\r") == std::string_view::npos) return fmt::format("'{}", text);
  std::string result = is_formula ? "\"'" : "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + "\"";
}

std::string xml_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        // Control characters are not allowed in XML at all.
        result += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? '?' : c;
    }
  }
  return result;
}

std::string version() { return PMUFAB_VERSION; }

namespace {

class JsonReport final : public ReportWriter {
 public:
  explicit JsonReport(std::ostream& out) : ReportWriter(out) {
    Json json;
    json["program"] = "pmufab";
    json["version"] = version();
    json["runs"] = Json::array();
    const std::string text = dump(json, 1);
    out_ << text.substr(0, text.find(']'));
  }
  void add(const RunResult& run, std::optional<double> /*seconds*/) override {
    out_ << (any_ ? ",\n  " : "\n  ");
    any_ = true;
    const std::string text = dump(to_json(run), 1);
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      out_ << (begin == 0 ? "" : "\n  ") << std::string_view(text).substr(begin, end - begin);
      begin = end + 1;
    }
  }
  void finish() override { out_ << (any_ ? "\n ]\n}\n" : "]\n}\n"); }

 private:
  bool any_ = false;
};

class JunitReport final : public ReportWriter {
 public:
  explicit JunitReport(std::ostream& out) : ReportWriter(out) {
    fmt::print(out_, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"pmufab\">\n");
  }
  /// A run is one process, whose time no clock divides among what it judges: each test case has the same part of it, so
  /// that sums of services are right. Simulated time, which does not depend on the computer, is a property.
  void add(const RunResult& run, std::optional<double> seconds) override {
    const std::vector<TestCase> cases = test_cases(run);
    const bool known_bad = run.status == Status::expected_failure;
    const auto failures = static_cast<std::size_t>(
        std::ranges::count_if(cases, [](const TestCase& test) { return !test.failure.empty(); }));
    const auto skipped =
        static_cast<std::size_t>(std::ranges::count_if(cases, [](const TestCase& test) { return test.skipped; }));
    const bool extra = run.status != Status::passed && run.status != Status::failed;
    const bool error = run.status == Status::crashed || run.status == Status::bad_input;
    const bool extra_skip = run.status == Status::not_run || run.status == Status::not_judged || known_bad;
    const std::size_t tests = cases.size() + (extra ? 1 : 0);
    const std::string suite = fmt::format("{} (Linux {})", run.title(), run.drivers);
    fmt::print(out_, "  <testsuite name=\"{}\"{} tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n",
               xml_text(suite), time_attribute(seconds), tests,
               (known_bad ? 0 : failures) + (extra && !error && !extra_skip ? 1 : 0), error ? 1 : 0,
               skipped + (extra_skip ? 1 : 0) + (known_bad ? failures : 0));
    constexpr double kSecond = 1e12;  // in ps
    fmt::print(out_, "    <properties><property name=\"simulated_seconds\" value=\"{:.12f}\"/></properties>\n",
               static_cast<double>(run.simulated_time) / kSecond);
    if (seconds) *seconds /= static_cast<double>(std::max<std::size_t>(1, tests));
    const std::string time = time_attribute(seconds);
    for (const TestCase& test : cases) {
      fmt::print(out_, "    <testcase classname=\"{}.{}\" name=\"{}\"{}", xml_text(suite), xml_text(test.group),
                 xml_text(test.name), time);
      if (!test.failure.empty()) {
        fmt::print(out_, "><{0} message=\"{1}\"/></testcase>\n", known_bad ? "skipped" : "failure",
                   xml_text(test.failure));
      } else {
        fmt::print(out_, "{}\n", test.skipped ? "><skipped/></testcase>" : "/>");
      }
    }
    write_status(out_, run, suite, time);
    fmt::print(out_, "  </testsuite>\n");
  }
  void finish() override { fmt::print(out_, "</testsuites>\n"); }
};

/// A row for each counter, one for each of its intervals, and one for each generator of traffic. What a row does not have
/// stays empty.
class CsvReport final : public ReportWriter {
 public:
  explicit CsvReport(std::ostream& out) : ReportWriter(out) {
    fmt::print(out_,
               "scenario,variant,drivers,measure,event,driver,scoreboard,check,time_enabled_ps,time_running_ps,partial,"
               "note,happened,counted,reported,scaled");
    for (std::size_t i = 0; i < scoreboard::kLossCauses; ++i)
      fmt::print(out_, ",loss_{}", to_string(static_cast<scoreboard::LossCause>(i)));
    fmt::print(out_, ",row,seed,start_ps,stop_ps,latency_unit");
    for (const char* const key : kLatencyKeys) fmt::print(out_, ",latency_{}", key);
    out_ << '\n';
  }
  void add(const RunResult& run, std::optional<double> /*seconds*/) override {
    for (const MeasureResult& measure : run.measures) {
      for (const CounterResult& counter : measure.counters) add(run, measure, counter);
      for (std::size_t i = 0; i < measure.counters.size(); ++i) add_intervals(run, measure, i);
    }
    for (const Json& traffic : run.traffic) add_traffic(run, traffic);
  }

 private:
  void add(const RunResult& run, const MeasureResult& measure, const CounterResult& counter) {
    begin(run, measure.name, counter.event);
    fmt::print(out_, "{},{},{},{},{},{},{}", number(counter.driver), number(counter.expected), to_string(counter.check),
               counter.time_enabled, counter.time_running, run.partial || measure.partial ? "yes" : "no",
               csv_field(counter.note));
    add_account(counter);
    end(run, "counter", measure.start, measure.stop, "ps", counter.reading_latency);
  }
  void add_intervals(const RunResult& run, const MeasureResult& measure, std::size_t number_of_counter) {
    Picoseconds start = measure.start;
    for (const IntervalResult& interval : measure.intervals) {
      if (number_of_counter >= interval.counts.size()) continue;
      const IntervalCount& count = interval.counts[number_of_counter];
      begin(run, measure.name, measure.counters[number_of_counter].event);
      fmt::print(out_, "{},,,{},{},,", number(count.increase), count.time_enabled, count.time_running);
      add_nothing(kAccount);
      end(run, "interval", std::exchange(start, interval.time), interval.time, "", {});
    }
  }
  void add_traffic(const RunResult& run, const Json& traffic) {
    begin(run, "", traffic.value("name", ""));
    fmt::print(out_, "{},,,,,,", traffic.value("issued", std::uint64_t{0}));
    add_nothing(kAccount);
    const auto [latency, in_cycles] = latency_of(traffic);
    end(run, "traffic", {}, {}, in_cycles ? "cycles" : "ps", latency);
  }

  void begin(const RunResult& run, const std::string& measure, const std::string& event) {
    fmt::print(out_, "{},{},{},{},{},", csv_field(run.scenario), csv_field(run.variant), csv_field(run.drivers),
               csv_field(measure), csv_field(event));
  }
  static constexpr std::size_t kAccount = 4 + scoreboard::kLossCauses;
  void add_nothing(std::size_t columns) { out_ << std::string(columns, ','); }
  void add_account(const CounterResult& counter) {
    const std::optional<scoreboard::Account>& account = counter.account;
    if (account) {
      fmt::print(out_, ",{},{}", account->happened, account->counted);
    } else {
      out_ << ",,";
    }
    fmt::print(out_, ",{},", number(counter.driver));
    if (counter.driver)
      fmt::print(out_, "{}", perf::scaled_up(*counter.driver, {counter.time_enabled, counter.time_running}));
    for (std::size_t i = 0; i < scoreboard::kLossCauses; ++i)
      out_ << ',' << (account ? fmt::format("{}", account->loss.amount[i]) : std::string());
  }
  /// @param unit  of the latencies, if there are any
  void end(const RunResult& run, const char* row, const std::optional<Picoseconds>& start,
           const std::optional<Picoseconds>& stop, const char* unit, const Json& latency) {
    const bool any = has_latency(latency);
    fmt::print(out_, ",{},{},{},{},{}", row, run.seed, number(start), number(stop), any ? unit : "");
    for (const char* const key : kLatencyKeys) out_ << ',' << (any ? latency.at(key).dump() : std::string());
    out_ << '\n';
  }
};

}  // namespace

std::unique_ptr<ReportWriter> make_report(ReportKind kind, std::ostream& out) {
  switch (kind) {
    case ReportKind::json:
      return std::make_unique<JsonReport>(out);
    case ReportKind::junit:
      return std::make_unique<JunitReport>(out);
    case ReportKind::csv:
      return std::make_unique<CsvReport>(out);
  }
  return nullptr;
}

void write_report(std::ostream& out, ReportKind kind, const RunResult& run) {
  const std::unique_ptr<ReportWriter> report = make_report(kind, out);
  report->add(run);
  report->finish();
}

}  // namespace pmufab::scenario
