// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "testbench/perf/event_syntax.h"
#include "testbench/scenario/report/result_difference.h"
#include "testbench/scenario/tracing/tracing.h"
#include "testbench/scenario/yaml/input_error.h"
#include "testbench/scenario/yaml/quantity.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/output.h"

namespace pmufab::cli {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using scenario::InputError;
using scenario::Json;

constexpr std::size_t kMostLines = 20;
constexpr std::uint64_t kRoom = std::uint64_t{128} << 20;  // bytes of the log; in memory it takes several times that

/// A run whose count is to be explained.
struct Wrong {
  fs::path folder;  ///< of `pmufab run --out`
  Json run;
  std::string event;
  std::string pmu;
};

/// @return the first counter of a run that is wrong, or the given one
std::optional<Wrong> wrong_in(const fs::path& folder, const std::string& event) {
  for (const Json& run : scenario::read_results(folder / "result.json")) {
    for (const Json& measure : run.at("measures")) {
      for (const Json& counter : measure.at("counters")) {
        const bool is_it = event.empty() ? counter.at("check") == "wrong" : counter.at("event") == event;
        if (is_it) return Wrong{folder, run, counter.at("event"), counter.at("pmu")};
      }
    }
  }
  return std::nullopt;
}

Wrong find_wrong(const fs::path& place, const std::string& event) {
  std::set<fs::path> folders = {place};
  std::error_code error;
  for (fs::directory_iterator entry(place, error), end; !error && entry != end; entry.increment(error))
    folders.insert(entry->path());
  bool is_any = false;
  for (const fs::path& folder : folders) {
    if (!fs::exists(folder / "result.json", error) || !fs::exists(folder / "effective.yaml", error)) continue;
    is_any = true;
    if (auto wrong = wrong_in(folder, event)) return *std::move(wrong);
  }
  if (!is_any)
    throw InputError(fmt::format("{} is no folder of results", place.string()),
                     "pmufab run --out DIR makes such folders");
  throw InputError(event.empty() ? fmt::format("{}: no count is wrong", place.string())
                                 : fmt::format("{}: no event '{}' was measured", place.string(), event),
                   "name an event as the result does");
}

/// The run's own driver set, or the user's.
driver_host::DriverSet drivers_of(const po::variables_map& map, const Wrong& wrong) {
  const std::vector<driver_host::DriverSet> sets = find_drivers(map);
  const bool is_own = !map["driver"].as<std::string>().empty();
  for (const Json& file : wrong.run.at("driver_files")) {
    if (file.value("is_given", false) && !is_own)
      throw InputError(fmt::format("the run had a driver of yours: {}", file.at("file").get<std::string>()),
                       "name it with --driver FILE.so");
  }
  const std::string version = wrong.run.at("drivers");
  const auto found = std::find_if(sets.begin(), sets.end(), [&](const driver_host::DriverSet& set) {
    return is_own || set.kernel_version == version;
  });
  if (found == sets.end()) throw InputError(fmt::format("there are no drivers of Linux {} any more", version));
  return *found;
}

/// @return for how long a measure counts, as far as that is known
Picoseconds span_of(const scenario::ScenarioSpec& spec, const scenario::MeasureSpec& measure) {
  if (measure.window > 0) return measure.window;
  const std::optional<Picoseconds> stop = measure.stop ? measure.stop : spec.duration;
  return stop && *stop > measure.start ? *stop - measure.start : 0;
}

/// Read an access log up to the line in which it ends, or where a driver wrote to it.
std::vector<Json> lines_of(const fs::path& file) {
  std::vector<Json> lines;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line) && !stream.eof();) {
    Json json = Json::parse(line, nullptr, false);
    if (!json.is_object() || !json.contains("kind")) break;
    lines.push_back(std::move(json));
  }
  return lines;
}

/// Run the scenario again. @param readings  on the way, of measures that have none @return its access log of the PMU
std::vector<Json> log_of(const Wrong& wrong, const driver_host::DriverSet& drivers, std::uint64_t readings) {
  const auto file = std::make_shared<const scenario::ScenarioFile>(wrong.folder / "effective.yaml");
  const auto overrides = std::make_shared<const std::vector<std::string>>();
  const scenario::RunPlan plan{scenario::plan_scenario(file, {}, overrides, file->load({}, *overrides)),
                               std::make_shared<const driver_host::DriverSet>(drivers)};
  ScratchFolder scratch;
  scenario::RunnerOptions runner;
  runner.scratch = scratch.path();
  runner.interrupted = interrupts;
  runner.limits.trace = kRoom;
  scenario::TraceFilter filter;
  filter.pmus = {wrong.pmu};
  runner.traces.access_log =
      scenario::AccessLogOptions{.is_json = true, .filter = std::move(filter), .room = runner.limits.trace};
  if (readings > 0) {
    runner.prepare = [readings](scenario::ScenarioSpec& spec) {
      for (scenario::MeasureSpec& measure : spec.measures) {
        if (measure.interval == 0) measure.interval = span_of(spec, measure) / readings;
      }
    };
  }
  std::vector<Json> lines;
  runner.on_traces = [&](const scenario::TraceOptions& run) { lines = lines_of(run.access_log->file); };
  runner.on_result = [](const scenario::RunPlan&, const scenario::RunResult& result) {
    if (result.status == scenario::RunResult::Status::bad_input) throw InputError(result.message);
    if (!result.message.empty()) complain("pmufab: the scenario ran again, and {}\n", result.message);
  };
  run_all({plan}, runner);
  return lines;
}

/// The part of a log between the last right count of the event and its first wrong one, both included.
struct Part {
  std::size_t first = 0;
  std::size_t last = 0;
  bool is_wrong = false;
  bool has_right = false;
};

/// What an event is, however its values are written: "slc_access_rd,src_loc_cpu=1" and "src_loc_cpu=0x1,slc_access_rd".
std::set<std::string> terms_of(const std::string& event) {
  std::set<std::string> terms;
  const std::vector<perf::WrittenGroup> written = perf::parse_events(event);
  for (const perf::WrittenTerm& term : written.front().events.front().terms) {
    std::string value = term.value.value_or("1");
    try {
      value = fmt::format("{}", scenario::parse_quantity(value, scenario::Quantity::count));
    } catch (const std::invalid_argument&) {  // it stays as it is
    }
    if (term.name != "name") terms.insert(term.name + "=" + value);
  }
  return terms;
}

/// @return the name that the log has for an event; empty: it has another
std::string name_in(const std::vector<Json>& log, const std::string& event) {
  const auto terms = terms_of(event);
  for (const Json& line : log) {
    std::string name = line.value("name", "");
    if (!name.empty() && terms_of(name) == terms) return name;
  }
  return {};
}

/// @param event  as the log names it
Part part_of(const std::vector<Json>& log, const std::string& event) {
  Part part;
  for (std::size_t i = 0; i < log.size(); ++i) {
    const Json& line = log[i];
    if (line.value("name", "") != event) continue;
    if (line.at("kind") == "event" && line.value("what", "") == "opened" && !part.has_right) part.first = i;
    if (line.at("kind") != "call" || !line.contains("expected")) continue;
    part.last = i;
    part.is_wrong = !line.at("expected").at("ok").get<bool>();
    if (part.is_wrong) break;
    part.first = i;
    part.has_right = true;
  }
  return part;
}

/// How much a line says about a count: the most important ones are shown.
unsigned weight_of(const Json& line, const std::string& event) {
  const std::string kind = line.at("kind");
  if (kind == "note") return 5;
  if (kind == "call" && line.contains("error")) return 5;
  if (kind == "interrupt") return line.at("what") == "raised" ? 4 : 2;
  if (kind == "event" && line.value("what", "") != "read") return line.value("name", "") == event ? 4 : 1;
  if (kind == "write") return line.at("changed").empty() ? 2 : 3;
  if (kind == "read") return line.at("changed").empty() ? 1 : 3;
  return line.value("name", "") == event && !line.value("begin", true) ? 3 : 0;
}

/// An interrupt that no handler took says most, with everything since it was delivered.
constexpr unsigned kNotHandled = 6;

/// @return which lines of a part are shown: both ends, and the most important of the latest
std::set<std::size_t> shown_lines(const std::vector<Json>& log, const Part& part, const std::string& event,
                                  std::size_t most) {
  std::vector<std::pair<unsigned, std::size_t>> order;
  std::size_t delivered = 0;  // in `order`
  for (std::size_t i = part.first + 1; i < part.last; ++i) {
    const std::string what = log[i].value("what", "");
    if (what == "delivered") delivered = order.size();
    order.emplace_back(weight_of(log[i], event), i);
    if (what != "not handled") continue;
    for (std::size_t j = delivered; j < order.size(); ++j) order[j].first = kNotHandled;
  }
  std::erase_if(order, [](const auto& line) { return line.first == 0; });
  std::sort(order.rbegin(), order.rend());
  std::set<std::size_t> shown = {part.first, part.last};
  for (const auto& [weight, index] : order) {
    if (shown.size() < most) shown.insert(index);
  }
  return shown;
}

/// Lines that tell a gap take room, too.
std::vector<std::string> tell(const std::vector<Json>& log, const Part& part, const std::string& event,
                              std::size_t most) {
  for (std::size_t wanted = most;; --wanted) {
    std::vector<std::string> lines;
    std::size_t next = part.first;
    for (const std::size_t index : shown_lines(log, part, event, wanted)) {
      if (index == next + 1) lines.push_back(scenario::to_text(log[next]));
      if (index > next + 1) lines.push_back(fmt::format("  ... {}", scenario::counted(index - next, "line")));
      lines.push_back(scenario::to_text(log[index]));
      next = index + 1;
    }
    if (lines.size() <= most || wanted <= 2) return lines;
  }
}

int run_explain(const Request& request) {
  if (request.words.empty() || request.words.size() > 2)
    throw InputError("a folder of results is needed, and at most one event", "pmufab explain RESULT [EVENT]");
  const Wrong wrong = find_wrong(request.words[0], request.words.size() > 1 ? request.words[1] : std::string());
  const driver_host::DriverSet drivers = drivers_of(request.options, wrong);
  catch_interrupts();
  const std::vector<Json> log = log_of(wrong, drivers, request.options["readings"].as<std::uint64_t>());
  const std::string event = name_in(log, wrong.event);
  const Part part = part_of(log, event);
  if (interrupts() > 0) return kCheckFailed;
  if (event.empty())
    throw InputError(fmt::format("the access log has no event '{}'", wrong.event),
                     "it names events by the driver's words; pmufab run --trace-mmio FILE shows all of them");
  if (!part.is_wrong) {
    const bool is_cut = !log.empty() && log.back().at("kind") == "left_out";
    fmt::print(std::cout, "{}: {}\n", wrong.event,
               is_cut          ? "no count of it is wrong in the first part of the log, which has no room for more"
               : part.last > 0 ? "every count of it is right when the scenario runs again"
                               : "its driver never gives a count of it that can be judged");
    return kPassed;
  }
  fmt::print(
      std::cout, "{}: {}\n", wrong.event,
      part.has_right ? "from the last right count to the first wrong one" : "from its opening to its first count");
  for (const std::string& line : tell(log, part, event, kMostLines - 1)) fmt::print(std::cout, "{}\n", line);
  std::cout.flush();
  return kPassed;
}

}  // namespace

Command explain_command() {
  return {
      .name = "explain",
      .arguments = "[options] RESULT [EVENT]",
      .summary = "show what happened between the last right and the first wrong count of an event",
      .description =
          R"(RESULT is a folder that pmufab run --out has written, for one run or for several. pmufab explain runs the scenario
again, with the same drivers. It prints what happened between the last right count of EVENT and the first wrong one, in at
most twenty lines: interrupts, register accesses that change something, and calls. Of more, the most telling and latest are
shown: interrupts that no handler took, then those that were raised, then changes. Without EVENT, it is the first wrong one.
The lines are those of --trace-mmio; docs/verification/tracing.md describes them.

A count that is read at its end alone leaves a long span. --readings reads it on the way, too. That narrows the span, but a
driver may do something else then.)",
      .options =
          Options{number<std::uint64_t>("readings", "N", "read each event about N times on the way", 0, "none")} +
          driver_options(""),
      .words = Words::files,
      .examples = {{"pmufab run cxl-overflow-read-late --out results\npmufab explain results"}},
      .exit_codes = {{"0", "it is explained, or every count is right now"},
                     {"1", "the user stopped it"},
                     {"2", "bad input"},
                     {"3", "an internal error"}},
      .run = run_explain,
  };
}

}  // namespace pmufab::cli
