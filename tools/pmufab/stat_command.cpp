// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>

#include <fmt/format.h>

#include "testbench/perf/event_syntax.h"
#include "testbench/scenario/report/report.h"
#include "testbench/scenario/yaml/input_error.h"
#include "testbench/scenario/yaml/quantity.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/output.h"

namespace pmufab::cli {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using scenario::InputError;
using scenario::Value;

constexpr const char* kMoreOnStat =
    R"(Events are written as for perf: pmu/event,term=value/, several with commas, groups in braces; * and ? in the name of a PMU
stand for any of that name. pmufab list shows what there is. Every count is compared with the scoreboard.

--traffic takes files of generators (scenarios/traffic); traffic of meshes and CXL devices comes with --set, as scenarios have
it. Counting begins with the traffic. It ends with --duration, or with the traffic if that ends, or after 1 ms of simulated time.

Examples:
  pmufab stat -e 'nvidia_ucf_pmu_0/slc_access_rd/' --traffic scenarios/traffic/mixed.yaml
  pmufab stat -e '{nvidia_cmem_latency_pmu_0/rd_req/,nvidia_cmem_latency_pmu_0/rd_cum_outs/,nvidia_cmem_latency_pmu_0/cycles/}' \
              --traffic scenarios/traffic/mixed.yaml --duration '2 ms'
  pmufab stat -e 'nvidia_ucf_pmu_*/slc_access_rd,src_loc_cpu=1/' -I 0.1 -x, --traffic scenarios/traffic/mixed.yaml
  pmufab stat --platform scenarios/platforms/cxl-exact.yaml -e cxl_pmu_mem0.0/m2s_req_memrd/ \
              --set 'cxl_traffic=[{name: a, ranges: [{base: 0x100_0000_0000, size: 1 MiB}]}]'
)";

/// -I takes milliseconds as perf does, or a time with its unit.
std::string interval_text(const std::string& given) {
  const bool plain = !given.empty() && given.find_first_not_of("0123456789.") == std::string::npos;
  std::string text = plain ? given + " ms" : given;
  try {
    if (scenario::parse_quantity(text, scenario::Quantity::duration) == 0)
      throw std::invalid_argument("is no time at all");
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("-I: '{}' {}", given, error.what()), "milliseconds, or a time such as '50 us'");
  }
  return text;
}

/// The scenario the options amount to.
scenario::ScenarioSpec scenario_of(const po::variables_map& map, const std::vector<std::string>& events) {
  Value document = Value::map();
  document.add("name", Value::of("stat", true));
  document.add("seed", Value::of(map["seed"].as<std::string>()));
  if (const std::string platform = map["platform"].as<std::string>(); !platform.empty())
    document.add("platform", Value::of(platform, true));
  Value traffic = Value::sequence();
  for (const std::string& file : values_of(map, "traffic")) traffic.items.push_back(Value::of(file, true));
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
      throw InputError(fmt::format("--set {}: this command does one run, and has no matrix", text),
                       "write a scenario, and use pmufab run");
  }
  if (duration.empty()) {
    try {
      return scenario::ScenarioFile(document, fs::path()).load({}, overrides);
    } catch (const InputError& error) {
      if (error.path() != "duration") throw;
      duration = "1 ms";  // traffic without an end
    }
  }
  document.add("duration", Value::of(duration));
  return scenario::ScenarioFile(document, fs::path()).load({}, overrides);
}

}  // namespace

int stat_command(const Arguments& arguments) {
  po::options_description options("Options");
  options.add_options()("event,e", po::value<std::vector<std::string>>()->value_name("EVENTS"),
                        "what to count; may be given several times")(
      "interval,I", po::value<std::string>()->default_value("")->value_name("MS"),
      "print counts every MS milliseconds of simulated time (or '50 us')")(
      "field-separator,x", po::value<std::string>()->default_value("")->value_name("SEP"),
      "print values separated by SEP, as perf does")("json-output,j", po::bool_switch(),
                                                     "print one JSON object per line, as perf does")(
      "platform", po::value<std::string>()->default_value("")->value_name("FILE"),
      "platform (default: two Tegra410 sockets)")("traffic", po::value<std::vector<std::string>>()->value_name("FILE"),
                                                  "traffic; may be given several times (default: none)")(
      "duration", po::value<std::string>()->default_value("")->value_name("TIME"),
      "simulated time to count, such as '1 ms'")("seed", po::value<std::string>()->default_value("1")->value_name("N"),
                                                 "seed of the traffic")(
      "set", po::value<std::vector<std::string>>()->value_name("PATH=VALUE"), "change a value, as in pmufab run")(
      "kernel-log", po::bool_switch(), "show the kernel log as it grows");
  add_driver_options(options, "newest");
  const auto parsed = parse(
      arguments, options, "",
      {"pmufab stat [options] -e EVENTS", "Count events on a platform and compare with the scoreboard.", kMoreOnStat});
  if (!parsed) return kPassed;
  const po::variables_map& map = *parsed;
  const std::vector<std::string> events = values_of(map, "event");
  if (events.empty()) throw InputError("no event is given", "pmufab stat -e EVENTS; pmufab list shows what there is");
  for (const std::string& event : events) static_cast<void>(perf::parse_events(event));
  const std::string separator = map["field-separator"].as<std::string>();
  const bool json = map["json-output"].as<bool>();
  if (json && !separator.empty()) throw InputError("-x and -j exclude each other");

  const scenario::ScenarioSpec spec = scenario_of(map, events);
  const std::vector<scenario::RunPlan> plans = {{spec, find_newest_driver(map, spec.platform)}};
  catch_interrupts();
  ScratchFolder scratch;
  ProgressBar bar;
  scenario::RunnerOptions runner;
  runner.scratch = scratch.path();
  runner.echo_log = map["kernel-log"].as<bool>();
  runner.interrupted = interrupts;
  runner.on_progress = [&](const scenario::RunnerProgress& progress) { bar.show(progress.fraction, "counting"); };
  runner.on_output = [&](const std::string&, const std::string& output) {
    bar.clear();
    complain("{}", output);
  };
  const std::vector<scenario::RunResult> runs = scenario::run_all(plans, runner);
  bar.clear();
  const scenario::RunResult& run = runs.front();
  if (!run.message.empty()) complain("pmufab:{}{}\n", run.message.starts_with('\n') ? "" : " ", run.message);
  if (json) {
    scenario::write_perf_json(std::cout, run);
  } else if (!separator.empty()) {
    scenario::write_perf_csv(std::cout, run, separator == "\\t" ? "\t" : separator);
  } else if (run.status != scenario::RunResult::Status::bad_input) {
    scenario::write_intervals(std::cout, run);
    scenario::write_text(std::cout, run, {.marks = speaks_utf8(), .everything = true, .compact = false});
  }
  std::cout.flush();
  // perf's columns have no place for the reason.
  for (const scenario::MeasureResult& measure : run.measures) {
    for (const scenario::CounterResult& counter : measure.counters) {
      if ((json || !separator.empty()) && counter.check == scenario::CounterResult::Check::wrong)
        complain("pmufab: {}: wrong: {}\n", counter.event, counter.note);
    }
  }
  return scenario::exit_code(runs);
}

}  // namespace pmufab::cli
