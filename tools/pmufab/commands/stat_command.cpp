// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <memory>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "testbench/perf/event_syntax.h"
#include "testbench/run/report/report.h"
#include "testbench/run/yaml/input_error.h"
#include "testbench/run/yaml/quantity.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/output.h"
#include "tools/pmufab/scenario_names.h"
#include "tools/pmufab/tracing/trace_files.h"

namespace pmufab::cli {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using scenario::InputError;
using scenario::Value;

/// -I takes milliseconds, as in perf, or a time with a unit.
std::string interval_text(const std::string& given) {
  const bool plain = !given.empty() && given.find_first_not_of("0123456789.") == std::string::npos;
  std::string text = plain ? given + " ms" : given;
  try {
    if (scenario::parse_quantity(text, scenario::Quantity::duration) == 0) throw std::invalid_argument("is too short");
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("-I: '{}' {}", given, error.what()), "give milliseconds, or a time such as '50 us'");
  }
  return text;
}

struct Plan {
  std::shared_ptr<const scenario::PlannedScenario> scenario;
  platform::PlatformSpec platform;
};

Plan plan_of(const Value& document, const std::vector<std::string>& overrides, const scenario::RunLimits& limits) {
  auto file = std::make_shared<const scenario::ScenarioFile>(document, fs::path());
  scenario::ScenarioSpec spec = file->load({}, overrides);
  scenario::check_limits(spec, limits);
  auto planned =
      scenario::plan_scenario(std::move(file), {}, std::make_shared<const std::vector<std::string>>(overrides), spec);
  return {std::move(planned), std::move(spec.platform)};
}

/// The scenario that the options describe.
Plan scenario_of(const po::variables_map& map, const std::vector<std::string>& events,
                 const scenario::RunLimits& limits) {
  Value document = Value::map();
  document.add("name", Value::of("stat", true));
  document.add("seed", Value::of(map["seed"].as<std::string>()));
  if (const std::string platform = map["platform"].as<std::string>(); !platform.empty())
    document.add("platform", Value::of(find_platform(platform), true));
  Value traffic = Value::sequence();
  for (const std::string& file : values_of(map, "traffic"))
    traffic.items.push_back(Value::of(find_traffic(file), true));
  document.add("traffic", std::move(traffic));
  Value measure = Value::map();
  measure.add("name", Value::of("stat", true));
  Value list = Value::sequence();
  for (const std::string& event : events) list.items.push_back(Value::of(event, true));
  measure.add("events", std::move(list));
  if (const std::string interval = map["interval"].as<std::string>(); !interval.empty())
    measure.add("interval", Value::of(interval_text(interval)));
  Value measures = Value::sequence();
  measures.items.push_back(std::move(measure));
  document.add("measure", std::move(measures));

  std::string duration = map["duration"].as<std::string>();
  const std::vector<std::string> overrides = values_of(map, "set");
  for (const std::string& text : overrides) {
    if (scenario::is_for_matrix(text))
      throw InputError(fmt::format("--set {}: this command makes one run and has no matrix", text),
                       "write a scenario, and use pmufab run");
  }
  if (duration.empty()) {
    try {
      return plan_of(document, overrides, limits);
    } catch (const InputError& error) {
      if (error.path() != "duration") throw;
      duration = "1 ms";  // for traffic without an end
    }
  }
  document.add("duration", Value::of(duration));
  return plan_of(document, overrides, limits);
}

void complain_about(const std::vector<scenario::CheckResult>& checks) {
  for (const scenario::CheckResult& check : checks) {
    if (!check.ok) complain("pmufab: {}: {}\n", check.name, check.text);
  }
}

/// Print what decides the exit code to standard error: perf's columns have no room for a verdict.
void print_verdict(const scenario::RunResult& run) {
  using Check = scenario::CounterResult::Check;
  for (const scenario::MeasureResult& measure : run.measures) {
    for (const scenario::CounterResult& counter : measure.counters) {
      if (counter.check == Check::wrong) complain("pmufab: {}: wrong: {}\n", counter.event, counter.note);
      if (counter.check == Check::not_opened) complain("pmufab: {}: {}\n", counter.event, counter.note);
    }
    complain_about(measure.checks);
    for (const scenario::DerivedResult& derived : measure.derived) {
      if (!derived.ok && derived.reference)
        complain("pmufab: {}: wrong: {:.4f} {}, from the traffic {:.4f}, more than 0.1 % apart\n", derived.name,
                 derived.value, derived.unit, *derived.reference);
    }
  }
  complain_about(run.checks);
  if (!run.lacks_judge()) return;
  scenario::CounterTotals totals;
  totals.add(run);
  complain("pmufab: {}{}\n", scenario::headline(run.status), totals.all == 0 ? "" : ": " + describe(totals));
}

void print(const scenario::RunResult& run, bool json, const std::string& separator) {
  if (json) {
    scenario::write_perf_json(std::cout, run);
  } else if (!separator.empty()) {
    scenario::write_perf_csv(std::cout, run, separator == "\\t" ? "\t" : separator);
  } else if (run.status != scenario::RunResult::Status::bad_input) {
    scenario::write_intervals(std::cout, run);
    scenario::write_text(std::cout, run, {.marks = speaks_utf8(), .everything = true, .compact = false});
  }
  std::cout.flush();
  if (json || !separator.empty()) print_verdict(run);
}

int run_stat(const Request& request) {
  const po::variables_map& map = request.options;
  const std::vector<std::string> events = values_of(map, "event");
  if (events.empty()) throw InputError("no event is given", "pmufab stat -e EVENTS; pmufab list shows the events");
  for (const std::string& event : events) static_cast<void>(perf::parse_events(event));
  const std::string separator = map["field-separator"].as<std::string>();
  const bool json = map["json-output"].as<bool>();
  if (json && !separator.empty()) throw InputError("-x and -j exclude each other");
  const std::string report = map["json"].as<std::string>();
  if (!report.empty()) check_writable(report);

  const scenario::RunLimits limits = limits_of(map);
  check_reports(map, {"json", "trace-mmio", "timeline"});
  TraceFiles traces(map, limits.trace);
  if (traces.is_printed() && (json || !separator.empty()))
    throw InputError("--trace-mmio - and -x or -j exclude each other: both use standard output", "name a file");
  const Plan plan = scenario_of(map, events, limits);
  const auto drivers = std::make_shared<const driver_host::DriverSet>(find_newest_driver(map, plan.platform));
  catch_interrupts();
  ScratchFolder scratch;
  ProgressBar bar;
  scenario::RunnerOptions runner;
  runner.limits = limits;
  runner.scratch = scratch.path();
  runner.traces = traces.options();
  runner.on_traces = [&](const scenario::TraceOptions& run) {
    bar.clear();
    traces.add(run);
  };
  runner.echo_log = map["kernel-log"].as<bool>();
  runner.interrupted = interrupts;
  runner.on_progress = [&](const scenario::RunnerProgress& progress) { bar.show(progress.fraction, "counting"); };
  runner.on_output = [&](const std::string&, const std::string& output) {
    bar.clear();
    complain("{}", output);
  };
  scenario::RunResult run;
  runner.on_result = [&](const scenario::RunPlan&, scenario::RunResult result) { run = std::move(result); };
  scenario::run_all({{plan.scenario, drivers}}, runner);
  bar.clear();
  // Otherwise the report says it.
  const bool is_told = !json && separator.empty() && run.status != scenario::RunResult::Status::bad_input;
  if (!run.message.empty() && !is_told)
    complain("pmufab:{}{}\n", run.message.starts_with('\n') ? "" : " ", run.message);
  print(run, json, separator);
  if (!report.empty()) {
    std::ostringstream stream;
    scenario::write_report(stream, scenario::ReportKind::json, run);
    write_file(report, stream.str());
  }
  traces.commit();
  return traces.finish(scenario::exit_code(run));
}

}  // namespace

Command stat_command() {
  return {
      .name = "stat",
      .arguments = "[options] -e EVENTS",
      .summary = "count events on a platform, as perf stat does, and compare with the scoreboard",
      .description =
          R"(Events are written as for perf: pmu/event,term=value/, several with commas, groups in braces. In the name of a PMU,
* and ? match any characters. pmufab list shows all events. Every count is compared with the scoreboard.

--traffic takes traffic files such as those in scenarios/traffic. Give traffic under other keys of a scenario with --set,
written as in a scenario. Counting begins with the traffic and lasts for --duration. Without --duration it ends with the
traffic. If there is no traffic, or it has no end, counting lasts for 1 ms of simulated time.

With -x or -j, standard output is for programs that read perf's: the fields of perf stat (man perf-stat, CSV FORMAT and
JSON FORMAT; of perf 6.1) and nothing else. Counts of events that took turns are scaled up, as perf does. A wrong count,
a failed check and a lack of any verdict are told on standard error and by the exit code; --json FILE has the
scoreboard's counts.

)" + trace_description() +
          "\n\n" + limit_description(),
      .options =
          Options{
              list("event,e", "EVENTS", "what to count; may be given several times"),
              text("interval,I", "MS", "print counts every MS milliseconds of simulated time (or '50 us')"),
              text("field-separator,x", "SEP", "print exactly what perf stat -x SEP prints"),
              flag("all-cpus,a", "no effect: uncore events count for all CPUs anyway"),
              flag("json-output,j", "print exactly what perf stat -j prints"),
              text("json", "FILE", "write counts, the scoreboard's counts and verdicts as JSON, as pmufab run does"),
              text("platform", "FILE", "platform, or the name of one below scenarios/ (default: two Tegra410 sockets)"),
              list("traffic", "FILE",
                   "traffic, or the name of one below scenarios/; may be given several times (default: none)"),
              text("duration", "TIME", "simulated time to count, such as '1 ms'"),
              text("seed", "N", "seed of the traffic", "1"),
              list("set", "PATH=VALUE", "change a value, as in pmufab run"),
              limit_option(),
              flag("kernel-log", "show the kernel log as it grows"),
          } +
          trace_options() + driver_options("newest"),
      .examples = {{"pmufab stat -e 'nvidia_ucf_pmu_0/slc_access_rd/' --traffic scenarios/traffic/mixed.yaml"},
                   {"pmufab stat --traffic scenarios/traffic/mixed.yaml --duration '2 ms' \\\n"
                    "  -e '{nvidia_cmem_latency_pmu_0/rd_req/,nvidia_cmem_latency_pmu_0/rd_cum_outs/}'"},
                   {"pmufab stat -e 'nvidia_ucf_pmu_*/slc_access_rd,src_loc_cpu=1/' -I 0.1 -x, --traffic "
                    "scenarios/traffic/mixed.yaml"},
                   {"pmufab stat -e nvidia_ucf_pmu_0/slc_access_rd/ --traffic scenarios/traffic/mixed.yaml -j --json "
                    "judged.json"},
                   {"pmufab stat --platform scenarios/platforms/cxl-exact.yaml -e cxl_pmu_mem0.0/m2s_req_memrd/ \\\n"
                    "  --set 'cxl_traffic=[{name: a, ranges: [{base: 0x100_0000_0000, size: 1 MiB}]}]'"}},
      .no_words = "a measurement lasts for --duration of simulated time; pmufab shell runs the real perf and programs",
      .exit_codes = judging_exit_codes(),
      .run = run_stat,
  };
}

}  // namespace pmufab::cli
