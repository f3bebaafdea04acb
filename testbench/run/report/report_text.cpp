// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <ostream>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "testbench/perf/account.h"
#include "testbench/run/report/report.h"
#include "testbench/run/results/driver_files.h"

namespace pmufab::scenario {
namespace {

using Check = CounterResult::Check;
using Status = RunResult::Status;

constexpr std::size_t kLongTable = 64;  // more counters than this in a run: exact ones are left out

bool is_bad(const CounterResult& counter) {
  return counter.check == Check::wrong || counter.check == Check::not_opened;
}

std::string or_dash(const std::optional<std::uint64_t>& value) { return value ? with_separators(*value) : "-"; }

/// How a table of counters is written.
struct TableForm {
  bool marks = true;
  bool has_happened = false;  // with the column `happened`, and what was lost
};

void write_counter(std::ostream& out, const CounterResult& counter, const TableForm& form) {
  fmt::print(out, "  {:>20}  {:>20}  ", or_dash(counter.driver), or_dash(counter.expected));
  std::string note = counter.note;
  if (form.has_happened) {
    const auto& account = counter.account;
    fmt::print(out, "{:>20}  ", account ? with_separators(account->happened) : "-");
    if (account) note = perf::with_losses(note, account->loss);
    const perf::Turns turns{counter.time_enabled, counter.time_running};
    if (account && counter.driver && turns.is_shared() && !turns.is_never())
      note += fmt::format("; scaled up: {}", with_separators(perf::scaled_up(*counter.driver, turns)));
  }
  fmt::print(out, "{:<5}  {}", perf::mark_of(counter.check, form.marks), counter.event);
  if (!note.empty()) fmt::print(out, "   ({})", note);
  fmt::print(out, "\n");
}

/// Which rows of a run are written.
enum class Rows : std::uint8_t { all, bad, bad_or_not_judged };

bool is_written(const CounterResult& counter, Rows rows) {
  return rows == Rows::all || is_bad(counter) || (rows == Rows::bad_or_not_judged && counter.check == Check::unchecked);
}

Rows rows_of(const RunResult& run, const TextReportOptions& options) {
  if (run.counters() <= kLongTable || options.everything) return Rows::all;
  return run.lacks_judge() ? Rows::bad_or_not_judged : Rows::bad;  // the notes say why nobody judged
}

/// How many counters have no row.
void write_left_out(std::ostream& out, const RunResult& run, Rows rows) {
  std::uint64_t right = 0;
  std::uint64_t not_judged = 0;
  for (const MeasureResult& measure : run.measures) {
    for (const CounterResult& counter : measure.counters) {
      if (!is_written(counter, rows)) ++(counter.check == Check::unchecked ? not_judged : right);
    }
  }
  std::vector<std::string> parts;
  if (right > 0) parts.push_back(counted(right, "counter") + " without errors");
  if (not_judged > 0) parts.push_back(counted(not_judged, "counter") + " not judged");
  if (!parts.empty())
    fmt::print(out, "\n  Not shown: {}. The result files have all counters.\n", fmt::join(parts, ", "));
}

void write_measure(std::ostream& out, const MeasureResult& measure, const TextReportOptions& options, Rows rows) {
  const bool shorten = rows != Rows::all;
  const bool interesting =
      !measure.passed() || measure.partial ||
      std::ranges::any_of(measure.counters, [&](const CounterResult& counter) { return is_written(counter, rows); });
  if (shorten && !interesting) return;
  fmt::print(out, "\n  {}: {} ... {}{}\n", measure.name, format_time(measure.start), format_time(measure.stop),
             measure.partial ? " (cut short)" : "");
  TableForm form{.marks = options.marks};
  form.has_happened = std::ranges::any_of(measure.counters, [&](const CounterResult& counter) {
    return is_written(counter, rows) && counter.account && perf::has_blind_time(*counter.account);
  });
  fmt::print(out, "  {:>20}  {:>20}  ", "driver", "scoreboard");
  if (form.has_happened) fmt::print(out, "{:>20}  ", "happened");
  fmt::print(out, "{:<5}  {}\n", "check", "event");
  for (const CounterResult& counter : measure.counters) {
    if (is_written(counter, rows)) write_counter(out, counter, form);
  }
  for (const CheckResult& check : measure.checks) {
    if (shorten && check.ok) continue;
    fmt::print(out, "  {:<49} {}: {}\n", check.ok ? "" : "FAILED", check.name, check.text);
  }
  if (shorten || measure.derived.empty()) return;
  fmt::print(out, "\n");
  for (const DerivedResult& derived : measure.derived) {
    fmt::print(out, "  {:>20.4f}  {:<14}  {}", derived.value, derived.unit, derived.name);
    if (derived.reference)
      fmt::print(out, "   (from the traffic: {:.4f}{})", *derived.reference,
                 derived.ok ? "" : ", more than 0.1 % apart");
    fmt::print(out, "\n");
  }
}

/// A row of latencies, as to_json() makes them; nothing if there are none.
/// @param in_cycles  instead of picoseconds
/// @param has_head   whether the head of the table is written
void write_latency(std::ostream& out, const std::string& name, const Json& latency, bool in_cycles, bool& has_head) {
  if (!has_latency(latency)) return;
  if (!std::exchange(has_head, true))
    fmt::print(out, "\n  {:>14}  {:>14}  {:>14}  {:>14}  {:>14}  {:>14}  latency of\n", "minimum", "mean", "p50", "p99",
               "p99.9", "maximum");
  for (const char* const key : kLatencyKeys) {
    const double value = latency.at(key).get<double>();
    fmt::print(out, "  {:>14}",
               in_cycles ? fmt::format("{:.1f} cycles", value) : format_time(static_cast<Picoseconds>(value)));
  }
  fmt::print(out, "  {}\n", name);
}

/// What a stream of traffic may have waited for, in the order of columns, and how the keys of `stalls` begin.
constexpr std::array<std::pair<std::string_view, const char*>, 7> kCauses = {{{"limit", "outstanding_limit_"},
                                                                              {"answer", "answer_"},
                                                                              {"answer", "target_"},
                                                                              {"credit", "credit_"},
                                                                              {"link", "link_"},
                                                                              {"link", "port_"},
                                                                              {"idle", "idle_"}}};
constexpr std::array<std::string_view, 5> kColumns = {"limit", "answer", "credit", "link", "idle"};

/// @return what `stalls` has of a column, with its unit; "-" if it has nothing
std::string stall_text(const Json& stalls, std::string_view column) {
  for (const auto& [name, begin] : kCauses) {
    if (name != column) continue;
    if (const auto cycles = stalls.find(std::string(begin) + "cycles"); cycles != stalls.end())
      return with_separators(cycles->get<std::uint64_t>()) + " cycles";
    if (const auto time = stalls.find(std::string(begin) + "ps"); time != stalls.end())
      return format_time(time->get<Picoseconds>());
  }
  return "-";
}

/// What traffic waited for that was due, and for how long none was due.
void write_stalls(std::ostream& out, const RunResult& run) {
  bool has_head = false;
  for (const Json& traffic : run.traffic) {
    const auto stalls = traffic.find("stalls");
    if (stalls == traffic.end()) continue;
    if (!std::exchange(has_head, true)) {
      out << '\n';
      for (const std::string_view column : kColumns) fmt::print(out, "  {:>18}", column);
      fmt::print(out, "  waited for by\n");
    }
    for (const std::string_view column : kColumns) fmt::print(out, "  {:>18}", stall_text(*stalls, column));
    fmt::print(out, "  {}\n", traffic.value("name", ""));
  }
}

/// The busiest resources. Of meshes, cycles and flits are counted.
void write_busiest(std::ostream& out, const RunResult& run) {
  for (const auto& [network, busiest] : run.busiest.items()) {
    const bool is_mesh = network.starts_with("cmn");
    const bool is_network = network.find('_') == std::string::npos;
    fmt::print(out, "\n  busiest of {}: {}, used in {:.1f} % of the {}; {} waited in {:.1f} %\n", network,
               busiest.at("resource").get<std::string>(), 100 * busiest.at("use").get<double>(),
               is_mesh ? "cycles" : "time", is_mesh && is_network ? "flits" : "requests",
               100 * busiest.at("stall").get<double>());
  }
}

/// How long readings and requests took.
void write_latencies(std::ostream& out, const RunResult& run) {
  bool has_head = false;
  for (const MeasureResult& measure : run.measures) {
    std::optional<unsigned> group;
    for (const CounterResult& counter : measure.counters) {
      if (std::exchange(group, counter.group) == counter.group) continue;  // read together
      write_latency(out, fmt::format("readings of {} ({})", counter.event, measure.name), counter.reading_latency,
                    false, has_head);
    }
  }
  for (const Json& traffic : run.traffic) {
    const auto [latency, in_cycles] = latency_of(traffic);
    write_latency(out, traffic.value("name", ""), latency, in_cycles, has_head);
  }
  write_stalls(out, run);
  write_busiest(out, run);
}

/// Which drivers served the PMUs that were counted.
void write_drivers(std::ostream& out, const RunResult& run) {
  std::vector<std::string> pmus;
  for (const MeasureResult& measure : run.measures) {
    for (const CounterResult& counter : measure.counters) pmus.push_back(counter.pmu);
  }
  const std::vector<std::string> lines = describe(run.driver_files, pmus);
  if (!lines.empty()) fmt::print(out, "\n");
  for (const std::string& line : lines) fmt::print(out, "  {}\n", line);
}

/// That drivers of the user's had nothing to bind: what has passed says nothing about them.
void write_unused_drivers(std::ostream& out, const RunResult& run) {
  const std::vector<driver_host::DriverFile> expected = expected_files(run.driver_files);
  const bool any = std::ranges::any_of(expected, [](const driver_host::DriverFile& file) { return !file.is_used; });
  for (const CheckResult& check : run.checks) {
    if (any && check.ok && check.name == "drivers") fmt::print(out, "  {}\n", check.text);
  }
}

/// The end of the kernel log, where that is likely to tell what went wrong.
void write_kernel_log(std::ostream& out, const RunResult& run) {
  constexpr std::size_t kShown = 10;
  const bool drivers_failed = std::ranges::any_of(run.checks, [](const CheckResult& check) {
    return !check.ok && (check.name == "load_drivers" || check.name == "reload_drivers" || check.name == "probe" ||
                         check.name == "kernel_panic" || check.name == "kernel_warnings");
  });
  if (run.kernel_log.empty() || (run.status != Status::crashed && !drivers_failed)) return;
  const std::size_t first = run.kernel_log.size() - std::min(kShown, run.kernel_log.size());
  fmt::print(out, "  {} of the kernel log:\n", first == 0 ? "All" : "The end");
  for (std::size_t i = first; i < run.kernel_log.size(); ++i) fmt::print(out, "    {}\n", run.kernel_log[i]);
}

/// What was left out of a kernel log that was too long; "" if nothing was.
std::string left_out_of_log(const RunResult& run) {
  constexpr std::string_view kMark = "[...] ";
  for (const std::string& line : run.kernel_log) {
    const std::size_t level = line.starts_with('<') ? 3 : 0;
    if (line.compare(level, kMark.size(), kMark) == 0) return line.substr(level + kMark.size());
  }
  return {};
}

void write_run(std::ostream& out, const RunResult& run, const TextReportOptions& options) {
  const std::uint64_t counters = run.counters();
  fmt::print(out, "{}: {} (platform {}, drivers of Linux {}, {} simulated", headline(run.status), run.title(),
             run.platform, run.drivers, format_time(run.simulated_time));
  CounterTotals totals;
  totals.add(run);
  if (counters > 0) fmt::print(out, "; {}", describe(totals));
  fmt::print(out, ")\n");
  if (!run.message.empty() && run.status != Status::bad_input) fmt::print(out, "  {}\n", run.message);
  if (!run.expected_reason.empty()) fmt::print(out, "  expected failure: {}\n", run.expected_reason);
  if (run.partial && !run.measures.empty())
    fmt::print(out, "  These results are partial: the scenario was not run to its end.\n");

  const bool brief = options.compact && run.is_good() && !run.lacks_judge();
  if (!brief) {
    const Rows rows = rows_of(run, options);
    for (const MeasureResult& measure : run.measures) write_measure(out, measure, options, rows);
    write_left_out(out, run, rows);
    if (options.everything) write_latencies(out, run);
    write_drivers(out, run);
    for (const std::string& action : run.actions) fmt::print(out, "  {}\n", action);
  }
  write_unused_drivers(out, run);
  for (const CheckResult& check : run.checks) {
    if (!check.ok) fmt::print(out, "  FAILED {}: {}\n", check.name, check.text);
  }
  if (const std::string left_out = left_out_of_log(run); !left_out.empty())
    fmt::print(out, "  The kernel log is too long: {} (--limit log=SIZE keeps more)\n", left_out);
  if (!run.is_good()) {
    for (const std::string& finding : run.findings) fmt::print(out, "  scoreboard: {}\n", finding);
    write_kernel_log(out, run);
  }
  if (!brief) fmt::print(out, "\n");
}

}  // namespace

void write_text(std::ostream& out, const RunResult& run, const TextReportOptions& options) {
  std::ostringstream text;
  write_run(text, run, options);
  out << printable_lines(text.str());  // drivers, plug-ins and files have a part in it
}

void write_intervals(std::ostream& out, const RunResult& run) {
  for (const MeasureResult& measure : run.measures) {
    if (measure.intervals.empty()) continue;
    fmt::print(out, "  {:>14}  {:>20}  {}\n", "time (s)", "counts", "event");
    for (const IntervalResult& interval : measure.intervals) {
      for (std::size_t i = 0; i < measure.counters.size() && i < interval.counts.size(); ++i) {
        fmt::print(out, "  {:>14.9f}  {:>20}  {}\n", static_cast<double>(interval.time) / 1e12,
                   or_dash(interval.counts[i].increase), measure.counters[i].event);
      }
    }
    fmt::print(out, "\n");
  }
}

void Summary::add(const RunResult& run) {
  ++runs_;
  totals_.add(run);
  if (run.passed()) ++passed_;
  if (run.status == Status::not_judged) ++not_judged_;
  if (run.status == Status::not_run) {
    ++not_run_;
  } else if (!run.is_good() || run.lacks_judge()) {
    const std::string mistake = run.status == Status::bad_input ? run.message : "";
    const auto same =
        std::ranges::find_if(others_, [&](const Other& other) { return !mistake.empty() && other.mistake == mistake; });
    if (same != others_.end()) {
      ++same->more;
    } else {
      others_.push_back(
          {fmt::format("  {}: {} (drivers of Linux {})", headline(run.status), run.title(), run.drivers), mistake});
    }
  }
}

void Summary::write(std::ostream& out) const {
  fmt::print(out, "{} of {} passed{}{}.\n", passed_, counted(runs_, "run"),
             not_judged_ == 0 ? "" : fmt::format(", {} not judged", not_judged_),
             totals_.all == 0 ? "" : "; " + describe(totals_));
  for (const Other& other : others_)
    fmt::print(out, "{}{}\n", other.text,
               other.more == 0 ? "" : fmt::format(", and {} with the same mistake", counted(other.more, "more run")));
  if (not_run_ > 0) fmt::print(out, "  {}: {}\n", headline(Status::not_run), counted(not_run_, "run"));
}

int exit_code(const RunResult& run) {
  if (run.status == Status::crashed) return 3;
  if (run.status == Status::bad_input) return 2;
  if (!run.is_good()) return 1;
  return run.lacks_judge() ? 4 : 0;
}

int graver(int one, int other) noexcept {
  constexpr std::array<int, 5> kByGravity = {0, 4, 1, 2, 3};
  const auto gravity = [&](int code) { return std::ranges::find(kByGravity, code); };
  return gravity(one) < gravity(other) ? other : one;
}

}  // namespace pmufab::scenario
