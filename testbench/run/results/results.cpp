// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/results/results.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "testbench/perf/account.h"
#include "testbench/run/results/driver_files.h"

namespace pmufab::scenario {
namespace {

using Check = CounterResult::Check;

Json optional_number(const std::optional<std::uint64_t>& number) { return number ? Json(*number) : Json(nullptr); }

std::optional<std::uint64_t> optional_number(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional<std::uint64_t>(json.get<std::uint64_t>());
}

Json counter_to_json(const CounterResult& counter) {
  Json json;
  json["event"] = counter.event;
  json["pmu"] = counter.pmu;
  json["group"] = counter.group;
  json["driver"] = optional_number(counter.driver);
  json["expected"] = optional_number(counter.expected);
  json["check"] = to_string(counter.check);
  json["time_enabled_ps"] = counter.time_enabled;
  json["time_running_ps"] = counter.time_running;
  json["reads"] = counter.reads;
  json["reads_failed"] = counter.reads_failed;
  json["failed_reads"] = Json::array();
  for (const FailedRead& read : counter.failed_reads) {
    Json item;
    item["time_ps"] = read.time;
    item["value"] = read.value;
    item["low"] = read.low;
    item["high"] = read.high;
    json["failed_reads"].push_back(std::move(item));
  }
  json["reading_latency_ps"] = counter.reading_latency;
  json["note"] = counter.note;
  perf::add_account(json, counter.account, counter.driver, {counter.time_enabled, counter.time_running});
  return json;
}

CounterResult counter_from_json(const Json& json) {
  CounterResult counter;
  json.at("event").get_to(counter.event);
  json.at("pmu").get_to(counter.pmu);
  json.at("group").get_to(counter.group);
  counter.driver = optional_number(json.at("driver"));
  counter.expected = optional_number(json.at("expected"));
  counter.check = perf::check_called(json.at("check").get<std::string>());
  json.at("time_enabled_ps").get_to(counter.time_enabled);
  json.at("time_running_ps").get_to(counter.time_running);
  json.at("reads").get_to(counter.reads);
  counter.reads_failed = json.value("reads_failed", std::uint64_t{0});  // older results have neither
  for (const Json& read : json.value("failed_reads", Json::array())) {
    counter.failed_reads.push_back({read.at("time_ps").get<Picoseconds>(), read.at("value").get<std::uint64_t>(),
                                    read.at("low").get<std::uint64_t>(), read.at("high").get<std::uint64_t>()});
  }
  counter.reading_latency = json.value("reading_latency_ps", Json());
  json.at("note").get_to(counter.note);
  counter.account = perf::account_from_json(json);
  return counter;
}

template <typename Wanted>
std::uint64_t count_counters(const RunResult& run, Wanted wanted) {
  std::uint64_t number = 0;
  for (const MeasureResult& measure : run.measures) {
    number +=
        static_cast<std::uint64_t>(std::count_if(measure.counters.begin(), measure.counters.end(),
                                                 [&](const CounterResult& counter) { return wanted(counter.check); }));
  }
  return number;
}

}  // namespace

bool MeasureResult::passed() const noexcept {
  const auto good = [](const CounterResult& counter) {
    return counter.check != Check::wrong && counter.check != Check::not_opened;
  };
  return std::all_of(counters.begin(), counters.end(), good) &&
         std::all_of(derived.begin(), derived.end(), [](const DerivedResult& d) { return d.ok; }) &&
         std::all_of(checks.begin(), checks.end(), [](const CheckResult& check) { return check.ok; });
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
         std::any_of(measures.begin(), measures.end(), [](const MeasureResult& m) { return m.is_compared; });
}

std::string_view to_string(RunResult::Status status) noexcept {
  using Status = RunResult::Status;
  switch (status) {
    case Status::passed:
      return "passed";
    case Status::not_judged:
      return "not_judged";
    case Status::failed:
      return "failed";
    case Status::expected_failure:
      return "expected_failure";
    case Status::unexpected_pass:
      return "unexpected_pass";
    case Status::interrupted:
      return "interrupted";
    case Status::timed_out:
      return "timed_out";
    case Status::bad_input:
      return "bad_input";
    case Status::crashed:
      return "crashed";
    case Status::not_run:
      return "not_run";
  }
  return "?";
}

std::string_view headline(RunResult::Status status) noexcept {
  using Status = RunResult::Status;
  switch (status) {
    case Status::passed:
      return "PASSED";
    case Status::not_judged:
      return "NOT JUDGED";
    case Status::failed:
      return "FAILED";
    case Status::expected_failure:
      return "FAILED, as expected";
    case Status::unexpected_pass:
      return "PASSED, but was expected to fail";
    case Status::interrupted:
      return "STOPPED";
    case Status::timed_out:
      return "TIMED OUT";
    case Status::bad_input:
      return "BAD INPUT";
    case Status::crashed:
      return "CRASHED";
    case Status::not_run:
      return "NOT RUN";
  }
  return "?";
}

Json to_json(const CheckResult& check) {
  Json json;
  json["name"] = check.name;
  json["ok"] = check.ok;
  json["text"] = check.text;
  return json;
}

CheckResult check_from_json(const Json& json) {
  return {json.at("name").get<std::string>(), json.at("ok").get<bool>(), json.at("text").get<std::string>()};
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

Json to_json(const IntervalResult& interval) {
  Json json;
  json["time_ps"] = interval.time;
  for (const char* key : {"increase", "time_enabled_ps", "time_running_ps"}) json[key] = Json::array();
  for (const IntervalCount& count : interval.counts) {
    json["increase"].push_back(optional_number(count.increase));
    json["time_enabled_ps"].push_back(count.time_enabled);
    json["time_running_ps"].push_back(count.time_running);
  }
  return json;
}

IntervalResult interval_from_json(const Json& json) {
  IntervalResult interval;
  json.at("time_ps").get_to(interval.time);
  interval.counts.reserve(json.at("increase").size());
  for (std::size_t i = 0; i < json.at("increase").size(); ++i) {
    interval.counts.push_back(
        {optional_number(json.at("increase")[i]), json.at("time_enabled_ps").at(i), json.at("time_running_ps").at(i)});
  }
  return interval;
}

Json to_json(const MeasureResult& measure) {
  Json json;
  json["name"] = measure.name;
  json["start_ps"] = measure.start;
  json["stop_ps"] = measure.stop;
  json["partial"] = measure.partial;
  json["compared"] = measure.is_compared;
  json["window_ps"] = optional_number(measure.window);
  json["counters"] = Json::array();
  for (const CounterResult& counter : measure.counters) json["counters"].push_back(counter_to_json(counter));
  json["intervals"] = Json::array();
  for (const IntervalResult& interval : measure.intervals) json["intervals"].push_back(to_json(interval));
  json["derived"] = Json::array();
  for (const DerivedResult& derived : measure.derived) {
    Json item;
    item["name"] = derived.name;
    item["value"] = derived.value;
    item["unit"] = derived.unit;
    item["reference"] = derived.reference ? Json(*derived.reference) : Json(nullptr);
    item["ok"] = derived.ok;
    json["derived"].push_back(std::move(item));
  }
  json["checks"] = Json::array();
  for (const CheckResult& check : measure.checks) json["checks"].push_back(to_json(check));
  return json;
}

MeasureResult measure_from_json(const Json& json) {
  MeasureResult measure;
  json.at("name").get_to(measure.name);
  json.at("start_ps").get_to(measure.start);
  json.at("stop_ps").get_to(measure.stop);
  json.at("partial").get_to(measure.partial);
  json.at("compared").get_to(measure.is_compared);
  measure.window = optional_number(json.value("window_ps", Json()));
  for (const Json& counter : json.at("counters")) measure.counters.push_back(counter_from_json(counter));
  for (const Json& item : json.at("intervals")) measure.intervals.push_back(interval_from_json(item));
  for (const Json& item : json.at("derived")) {
    DerivedResult derived;
    item.at("name").get_to(derived.name);
    item.at("value").get_to(derived.value);
    item.at("unit").get_to(derived.unit);
    if (!item.at("reference").is_null()) derived.reference = item.at("reference").get<double>();
    item.at("ok").get_to(derived.ok);
    measure.derived.push_back(std::move(derived));
  }
  for (const Json& check : json.at("checks")) measure.checks.push_back(check_from_json(check));
  return measure;
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
  json["measures"] = Json::array();
  for (const MeasureResult& measure : run.measures) json["measures"].push_back(to_json(measure));
  json["checks"] = Json::array();
  for (const CheckResult& check : run.checks) json["checks"].push_back(to_json(check));
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
      number += static_cast<std::uint64_t>(std::count_if(measure.counters.begin(), measure.counters.end(), condition));
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
