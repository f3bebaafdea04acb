// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/results/results.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "testbench/perf/account.h"
#include "testbench/perf/verdict_json.h"
#include "testbench/run/results/driver_files.h"

namespace pmufab::scenario {
namespace {

using Check = CounterResult::Check;

constexpr auto kCounterFields = std::tuple(
    NamedField{"event", &CounterResult::event}, NamedField{"pmu", &CounterResult::pmu},
    NamedField{"group", &CounterResult::group}, NamedField{"driver", &CounterResult::driver},
    NamedField{"expected", &CounterResult::expected}, NamedField{"check", &CounterResult::check},
    NamedField{"time_enabled_ps", &CounterResult::time_enabled},
    NamedField{"time_running_ps", &CounterResult::time_running}, NamedField{"reads", &CounterResult::reads},
    NamedField{"reads_failed", &CounterResult::reads_failed}, NamedField{"failed_reads", &CounterResult::failed_reads},
    NamedField{"reading_latency_ps", &CounterResult::reading_latency}, NamedField{"note", &CounterResult::note});

/// The word of each status, and its headline, in the order of Status.
constexpr auto kStatuses = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"passed", "PASSED"},
    {"not_judged", "NOT JUDGED"},
    {"failed", "FAILED"},
    {"expected_failure", "FAILED, as expected"},
    {"unexpected_pass", "PASSED, but was expected to fail"},
    {"interrupted", "STOPPED"},
    {"timed_out", "TIMED OUT"},
    {"bad_input", "BAD INPUT"},
    {"crashed", "CRASHED"},
    {"not_run", "NOT RUN"},
});
static_assert(kStatuses.size() == static_cast<std::size_t>(RunResult::Status::not_run) + 1);

template <typename Wanted>
std::uint64_t count_counters(const RunResult& run, Wanted wanted) {
  std::uint64_t number = 0;
  for (const MeasureResult& measure : run.measures) {
    number += static_cast<std::uint64_t>(
        std::ranges::count_if(measure.counters, [&](const CounterResult& counter) { return wanted(counter.check); }));
  }
  return number;
}

}  // namespace

bool MeasureResult::passed() const noexcept {
  const auto good = [](const CounterResult& counter) {
    return counter.check != Check::wrong && counter.check != Check::not_opened;
  };
  return std::ranges::all_of(counters, good) &&
         std::ranges::all_of(derived, [](const DerivedResult& d) { return d.ok; }) &&
         std::ranges::all_of(checks, [](const CheckResult& check) { return check.ok; });
}

std::string RunResult::title() const { return variant.empty() ? scenario : fmt::format("{} [{}]", scenario, variant); }

std::uint64_t RunResult::counters() const noexcept {
  std::uint64_t number = 0;
  for (const MeasureResult& measure : measures) number += measure.counters.size();
  return number;
}

std::uint64_t RunResult::counters_wrong() const noexcept {
  return count_counters(*this, [](Check check) { return check == Check::wrong || check == Check::not_opened; });
}

std::uint64_t RunResult::counters_not_judged() const noexcept {
  return count_counters(*this, [](Check check) { return check == Check::unchecked; });
}

bool RunResult::lacks_judge() const noexcept {
  return status == Status::not_judged &&
         std::ranges::any_of(measures, [](const MeasureResult& m) { return m.is_compared; });
}

std::string_view to_string(RunResult::Status status) noexcept {
  return kStatuses.at(static_cast<std::size_t>(status)).first;
}

std::string_view headline(RunResult::Status status) noexcept {
  return kStatuses.at(static_cast<std::size_t>(status)).second;
}

void to_json(Json& json, const CounterResult& counter) {
  write_fields(json, counter, kCounterFields);
  perf::add_account(json, counter.account, counter.driver, {counter.time_enabled, counter.time_running});
}

void from_json(const Json& json, CounterResult& counter) {
  read_fields(json, counter, kCounterFields);
  counter.account = perf::account_from_json(json);
}

Json to_json(const LatencyHistogram& latencies) {
  const bool any = latencies.count() > 0;
  Json json;
  json["count"] = latencies.count();
  json["minimum"] = any ? Json(latencies.minimum()) : Json();
  json["mean"] = any ? Json(latencies.mean()) : Json();
  json["p50"] = any ? Json(latencies.percentile(500)) : Json();
  json["p99"] = any ? Json(latencies.percentile(990)) : Json();
  json["p999"] = any ? Json(latencies.percentile(999)) : Json();
  json["maximum"] = any ? Json(latencies.maximum()) : Json();
  return json;
}

void add_idle_and_loaded(const LatencyHistogram& latencies, const char* unit, Json& traffic) {
  const bool any = latencies.count_above_zero() != 0;
  traffic[std::string("idle_latency_") + unit] = any ? Json(latencies.least_above_zero()) : Json();
  traffic[std::string("loaded_latency_") + unit] = any ? Json(latencies.mean_above_zero()) : Json();
}

void add_busiest(const std::string& network, const std::string& resource, double use, double stall, double time,
                 Json& networks) {
  if (use <= 0) return;
  Json& one = networks[network];
  one["resource"] = resource;
  one["use"] = std::min(1.0, use / time);
  one["stall"] = std::min(1.0, stall / time);
}

bool has_latency(const Json& latency) { return latency.is_object() && latency.value("count", std::uint64_t{0}) > 0; }

TrafficLatency latency_of(const Json& traffic) {
  const bool in_cycles = traffic.contains("latency_cycles");
  return {traffic.value(in_cycles ? "latency_cycles" : "latency_ps", Json()), in_cycles};
}

void to_json(Json& json, const IntervalResult& interval) {
  json["time_ps"] = interval.time;
  for (const char* key : {"increase", "time_enabled_ps", "time_running_ps"}) json[key] = Json::array();
  for (const IntervalCount& count : interval.counts) {
    json["increase"].push_back(count.increase ? Json(*count.increase) : Json());
    json["time_enabled_ps"].push_back(count.time_enabled);
    json["time_running_ps"].push_back(count.time_running);
  }
}

void from_json(const Json& json, IntervalResult& interval) {
  json.at("time_ps").get_to(interval.time);
  for (std::size_t i = 0; i < json.at("increase").size(); ++i) {
    IntervalCount& count = interval.counts.emplace_back();
    const Json& increase = json.at("increase")[i];
    if (!increase.is_null()) count.increase = increase.get<std::uint64_t>();
    json.at("time_enabled_ps").at(i).get_to(count.time_enabled);
    json.at("time_running_ps").at(i).get_to(count.time_running);
  }
}

Json to_json(const RunResult& run) {
  Json json;
  json["scenario"] = run.scenario;
  json["variant"] = run.variant;
  json["platform"] = run.platform;
  json["drivers"] = run.drivers;
  json["driver_files"] = to_json(run.driver_files);
  json["seed"] = run.seed;
  json["status"] = to_string(run.status);
  json["partial"] = run.partial;
  json["message"] = run.message;
  json["expected_failure"] = run.expected_reason;
  json["simulated_time_ps"] = run.simulated_time;
  json["counters"] = run.counters();
  json["counters_wrong"] = run.counters_wrong();
  json["counters_not_judged"] = run.counters_not_judged();
  json["measures"] = run.measures;
  json["checks"] = run.checks;
  json["actions"] = run.actions;
  json["findings"] = run.findings;
  json["traffic"] = run.traffic;
  json["busiest"] = run.busiest;
  json["interrupts"] = run.interrupts;
  json["kernel_log"] = run.kernel_log;
  return json;
}

std::string format_time(Picoseconds time) {
  constexpr std::array<std::pair<std::string_view, double>, 4> kUnits = {
      {{"s", 1e12}, {"ms", 1e9}, {"us", 1e6}, {"ns", 1e3}}};
  for (const auto& [unit, factor] : kUnits) {
    if (static_cast<double>(time) >= factor) return fmt::format("{:.3f} {}", static_cast<double>(time) / factor, unit);
  }
  return fmt::format("{} ps", time);
}

std::string counted(std::uint64_t number, std::string_view what) {
  return fmt::format("{} {}{}", with_separators(number), what, number == 1 ? "" : "s");
}

namespace {
bool is_right(Check check) noexcept { return check == Check::exact || check == Check::within; }
}  // namespace

void CounterTotals::add(const RunResult& run) noexcept {
  const auto add_if = [&](std::uint64_t& number, auto condition) {
    for (const MeasureResult& measure : run.measures)
      number += static_cast<std::uint64_t>(std::ranges::count_if(measure.counters, condition));
  };
  const auto has_count = [](const CounterResult& counter) {
    return counter.driver.has_value() && (counter.time_enabled == 0 || counter.time_running > 0);
  };
  add_if(not_opened, [](const CounterResult& counter) { return counter.check == Check::not_opened; });
  add_if(not_counted,
         [&](const CounterResult& counter) { return counter.check == Check::wrong && !has_count(counter); });
  const auto is_equal_and_wrong = [&](const CounterResult& counter) {
    return counter.check == Check::wrong && has_count(counter) && counter.driver == counter.expected;
  };
  add_if(read_wrong,
         [&](const CounterResult& counter) { return is_equal_and_wrong(counter) && counter.reads_failed > 0; });
  add_if(not_as_wanted,
         [&](const CounterResult& counter) { return is_equal_and_wrong(counter) && counter.reads_failed == 0; });
  add_if(zero, [](const CounterResult& counter) { return counter.driver == 0 && is_right(counter.check); });
  all += run.counters();
  wrong += run.counters_wrong();
  if (run.status == RunResult::Status::expected_failure) wrong_as_expected += run.counters_wrong();
  not_judged += run.counters_not_judged();
}

void CounterTotals::add(perf::Check check, bool is_zero) noexcept {
  ++all;
  if (is_zero && is_right(check)) ++zero;
  if (check == Check::wrong || check == Check::not_opened) ++wrong;
  if (check == Check::not_opened) ++not_opened;
  if (check == Check::unchecked) ++not_judged;
}

RunResult::Status status_of(const CounterTotals& totals, bool good) noexcept {
  if (!good || totals.wrong > 0) return RunResult::Status::failed;
  return totals.not_judged == totals.all ? RunResult::Status::not_judged : RunResult::Status::passed;
}

std::string describe(const CounterTotals& totals) {
  std::string text;
  if (totals.wrong == 0 && totals.not_judged == totals.all) return counted(totals.all, "counter") + ", not judged";
  if (totals.wrong == 0) {
    text = counted(totals.all, "counter") + ", none wrong";
  } else {
    const std::uint64_t differ =
        totals.wrong - totals.not_opened - totals.not_counted - totals.read_wrong - totals.not_as_wanted;
    text = fmt::format("{} of {} {}", with_separators(totals.wrong), counted(totals.all, "counter"),
                       differ == totals.wrong ? "wrong" : "failed");
    const char* separator = ": ";
    const auto tell = [&](std::uint64_t number, const char* what, const char* how) {
      if (number == 0 || differ == totals.wrong) return;
      text += fmt::format("{}{} {}", std::exchange(separator, ", "), counted(number, what), how);
    };
    tell(differ, "count", "wrong");
    tell(totals.not_opened, "event", "not opened");
    tell(totals.not_counted, "event", "not counted");
    tell(totals.read_wrong, "count", "with impossible readings");
    tell(totals.not_as_wanted, "count", "not what the scenario expects");
    if (totals.wrong_as_expected == totals.wrong) {
      text += totals.wrong == 1 ? ", as expected" : ", all as expected";
    } else if (totals.wrong_as_expected > 0) {
      text += fmt::format(", {} as expected", with_separators(totals.wrong_as_expected));
    }
  }
  if (totals.not_judged > 0) text += fmt::format(", {} not judged", with_separators(totals.not_judged));
  // Nothing happened that these events count: mostly, traffic is missing.
  if (totals.wrong == 0 && totals.zero + totals.not_judged == totals.all) text += "; every count is 0";
  return text;
}

}  // namespace pmufab::scenario
