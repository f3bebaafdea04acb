// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "testbench/fabrics/fabric_kinds.h"
#include "testbench/host/module_library.h"
#include "testbench/run/report/result_difference.h"
#include "testbench/run/tracing/tracing.h"
#include "testbench/run/yaml/input_error.h"
#include "tlm/spec/printable.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/driver/further_drivers.h"
#include "tools/pmufab/output.h"
#include "tools/pmufab/tracing/known_defects.h"
#include "tools/pmufab/tracing/story.h"

namespace pmufab::cli {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using scenario::InputError;
using scenario::Json;

constexpr std::size_t kMostLines = 20;
constexpr std::uint64_t kRoom = std::uint64_t{128} << 20;  // bytes of the log; in memory it takes several times that

/// What is to be explained of a run.
struct Wrong {
  enum class Kind : std::uint8_t { count, not_opened, check };
  fs::path folder;  ///< of `pmufab run --out`
  Json run;
  Kind kind = Kind::count;
  std::string name;  ///< of the event or the check
  std::string pmu;   ///< of the event
  std::string text;  ///< of the check; the note of a count
};

/// @param check  "wrong" or "not_opened"; empty: anything
/// @param name   of the event; empty: the first of all
std::optional<Wrong> wrong_count(const fs::path& folder, const Json& run, const std::string& check,
                                 const std::string& name) {
  for (const Json& measure : run.at("measures")) {
    for (const Json& counter : measure.at("counters")) {
      if (!check.empty() && counter.at("check") != check) continue;
      if (!name.empty() && counter.at("event") != name) continue;
      const auto kind = counter.at("check") == "not_opened" ? Wrong::Kind::not_opened : Wrong::Kind::count;
      return Wrong{folder, run, kind, counter.at("event"), counter.at("pmu"), counter.at("note")};
    }
  }
  return std::nullopt;
}

/// @param name  of the check; empty: the first that failed
std::optional<Wrong> failed_check(const fs::path& folder, const Json& run, const std::string& name) {
  std::vector<Json> checks = run.at("checks");
  for (const Json& measure : run.at("measures")) {
    for (const Json& check : measure.at("checks")) checks.push_back(check);
  }
  for (const Json& check : checks) {
    if (!check.at("ok").get<bool>() && (name.empty() || check.at("name") == name))
      return Wrong{folder, run, Wrong::Kind::check, check.at("name"), {}, check.at("text")};
  }
  return std::nullopt;
}

/// @param name  empty, or "crash"
std::optional<Wrong> crash(const fs::path& folder, const Json& run, const std::string& name) {
  if (run.at("status") != "crashed" || (!name.empty() && name != "crash")) return std::nullopt;
  return Wrong{folder, run, Wrong::Kind::check, "crash", {}, run.at("message")};
}

/// Which runs are looked at: what fails although it should not comes before what the scenario says, and that before
/// what is right.
enum class Look : std::uint8_t { unexpected, expected, right };

/// @return what is wrong in a folder's runs, counts first, or what the name says of it
/// @param look  right: an event of that name is taken although nothing is wrong with it
std::optional<Wrong> wrong_in(const fs::path& folder, const std::string& name, Look look) {
  std::vector<Json> runs = scenario::read_results(folder / "result.json");
  if (look == Look::right) {
    for (const Json& run : runs) {
      if (name.empty()) break;
      if (auto right = wrong_count(folder, run, {}, name)) return right;
    }
    return std::nullopt;
  }
  std::erase_if(
      runs, [look](const Json& run) { return (run.at("status") == "expected_failure") != (look == Look::expected); });
  for (const char* const check : {"wrong", "not_opened"}) {
    for (const Json& run : runs) {
      if (auto wrong = wrong_count(folder, run, check, name)) return wrong;
    }
  }
  for (const Json& run : runs) {
    if (auto wrong = failed_check(folder, run, name)) return wrong;
  }
  for (const Json& run : runs) {
    if (auto wrong = crash(folder, run, name)) return wrong;
  }
  return std::nullopt;
}

Wrong find_wrong(const fs::path& place, const std::string& name) {
  std::set<fs::path> folders = {place};
  std::error_code error;
  for (fs::directory_iterator entry(place, error), end; !error && entry != end; entry.increment(error))
    folders.insert(entry->path());
  std::erase_if(folders, [&](const fs::path& folder) {
    return !fs::exists(folder / "result.json", error) || !fs::exists(folder / "effective.yaml", error);
  });
  for (const Look look : {Look::unexpected, Look::expected, Look::right}) {
    for (const fs::path& folder : folders) {
      auto wrong = wrong_in(folder, name, look);
      if (!wrong) continue;
      if (folders.size() > 1) complain("pmufab: this is of {}\n", folder.generic_string());
      return *std::move(wrong);
    }
  }
  if (folders.empty())
    throw InputError(fmt::format("{} is no folder of results", place.string()),
                     "pmufab run --out DIR makes such folders");
  throw InputError(name.empty() ? fmt::format("{}: no count is wrong, and no check failed", place.string())
                                : fmt::format("{}: no event '{}' was measured, and no check of that name failed",
                                              place.string(), name),
                   "name an event or a check as the result does");
}

/// The user may try another driver than that of the result.
void tell_of_other_files(const Json& run, const driver_host::DriverSet& drivers) {
  std::set<std::pair<std::string, std::string>> before;
  for (const Json& file : run.at("driver_files")) {
    if (file.value("is_own", false)) before.emplace(file.at("file"), file.at("sha256"));
  }
  std::set<std::pair<std::string, std::string>> now;
  for (const driver_host::DriverFile& file : driver_host::files_in(drivers.library)) {
    if (file.is_own) now.emplace(file.file, file.sha256);
  }
  if (before != now) complain("pmufab: --driver is not the driver that gave this result\n");
}

/// The run's own driver set, or the user's.
driver_host::DriverSet drivers_of(const po::variables_map& map, const Wrong& wrong) {
  std::vector<driver_host::DriverSet> sets = find_drivers(map);
  const scenario::ScenarioFile file(wrong.folder / "effective.yaml");
  const std::vector<std::string> none;
  const scenario::ScenarioSpec spec = file.load(file.variants(none).front(), none);
  const std::vector<std::string_view> modules = scenario::driver_modules(spec.platform);
  const std::string wanted = wrong.run.at("drivers");
  const bool is_own = !map["driver"].as<std::string>().empty();
  if (!is_own) std::erase_if(sets, [&](const driver_host::DriverSet& set) { return set.kernel_version != wanted; });
  add_further_drivers(sets, {{modules, {}}});
  sets = driver_host::sets_that_hold(sets, modules);
  for (const Json& driver : wrong.run.at("driver_files")) {
    if (driver.value("is_own", false) && !is_own)
      throw InputError(fmt::format("the run had a driver of yours: {}", driver.at("file").get<std::string>()),
                       "name it with --driver FILE.so");
  }
  if (sets.empty()) throw InputError(fmt::format("there are no drivers of Linux {} any more", wanted));
  if (is_own) tell_of_other_files(wrong.run, sets.front());
  return sets.front();
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
  if (!wrong.pmu.empty()) filter.pmus = {wrong.pmu};
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

/// The addresses that a text names.
std::set<std::string> addresses_in(const std::string& text) {
  std::set<std::string> addresses;
  for (std::size_t at = text.find("0x"); at != std::string::npos; at = text.find("0x", at + 2)) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789abcdef", at + 2), text.size());
    if (end > at + 2) addresses.insert(text.substr(at, end - at));
  }
  return addresses;
}

/// @return the first function that a text names: "cxl_pmu_enable()"
std::string function_in(const std::string& text) {
  const auto is_in_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  for (std::size_t end = text.find("()"); end != std::string::npos; end = text.find("()", end + 2)) {
    std::size_t begin = end;
    while (begin > 0 && is_in_name(static_cast<unsigned char>(text[begin - 1]))) --begin;
    while (begin < end && std::isdigit(static_cast<unsigned char>(text[begin])) != 0) ++begin;
    if (begin < end) return text.substr(begin, end + 2 - begin);
  }
  return {};
}

/// @param known  which known defect it may be; empty: none
void print_story(const std::string& title, const std::vector<Json>& log, const StoryPart& part,
                 const std::string& known = {}) {
  fmt::print(std::cout, "{}{}{}\n", printable_lines(title), known.empty() ? "" : "; ", printable_message(known));
  for (const std::string& line : tell(log, part, kMostLines - 1)) fmt::print(std::cout, "{}\n", line);
  std::cout.flush();
}

int explain_check(const Wrong& wrong, const std::vector<Json>& log) {
  const bool is_warning = wrong.name == "kernel_warnings";
  StoryPart part =
      is_warning ? part_of_warning(log) : part_of_access(log, addresses_in(wrong.text), function_in(wrong.text));
  if (!part.is_wrong) part = part_of_message(log, wrong.text);
  const std::string title = printable_message(fmt::format("{}: {}", wrong.name, wrong.text));
  if (part.is_wrong) {
    print_story(title, log, part);
  } else {
    fmt::print(std::cout, "{}\n", title);
  }
  return kPassed;
}

int explain_count(const Wrong& wrong, std::vector<Json> log) {
  if (!mark_event(log, wrong.name)) throw InputError(fmt::format("the access log has no event '{}'", wrong.name));
  const bool is_refused = wrong.kind == Wrong::Kind::not_opened;
  const StoryPart part = part_of_count(log, is_refused);
  const bool is_cut = !log.empty() && log.back().at("kind") == "left_out";
  if (part.is_wrong) {
    print_story(fmt::format("{}: {}", wrong.name,
                            is_refused       ? "until its driver refuses it"
                            : part.has_right ? "from the last right count to the first wrong one"
                                             : "from its opening to its first count"),
                log, part, known_defect_like(wrong.name, wrong.text, wrong.run.at("drivers")));
  } else if (const StoryPart refusal = part_of_refusal(log); refusal.is_wrong) {
    print_story(fmt::format("{}: its driver refuses it, or one of its group, a counter", wrong.name), log, refusal);
  } else if (!is_cut && !part.has_right && part.last > 0) {
    print_story(fmt::format("{}: its driver never gives a count of it that can be judged", wrong.name), log, part);
  } else {
    fmt::print(std::cout, "{}: {}\n", wrong.name,
               is_cut ? "no count of it is wrong in the first part of the log, which has no room for more"
                      : "every count of it is right when the scenario runs again");
  }
  return kPassed;
}

/// Do what reads results. @throws InputError if they are not as pmufab writes them
template <typename Work>
auto of_result(const std::string& place, Work work) {
  try {
    return work();
  } catch (const Json::exception& error) {
    const std::string_view text = error.what();  // "[json.exception.out_of_range.403] key 'checks' not found"
    const std::size_t begin = text.find("] ");
    throw InputError(
        fmt::format("the results in '{}' are damaged: {}", place, begin == text.npos ? text : text.substr(begin + 2)),
        "run the scenario again");
  }
}

int run_explain(const Request& request) {
  if (request.words.empty() || request.words.size() > 2)
    throw InputError("a folder of results is needed, and at most one event or check",
                     "pmufab explain RESULT [EVENT | CHECK]");
  const auto [wrong, drivers] = of_result(request.words[0], [&] {
    Wrong found = find_wrong(request.words[0], request.words.size() > 1 ? request.words[1] : std::string());
    driver_host::DriverSet set = drivers_of(request.options, found);
    return std::pair(std::move(found), std::move(set));
  });
  catch_interrupts();
  std::vector<Json> log = log_of(wrong, drivers, request.options["readings"].as<std::uint64_t>());
  if (interrupts() > 0) return kCheckFailed;
  return wrong.kind == Wrong::Kind::check ? explain_check(wrong, log) : explain_count(wrong, std::move(log));
}

}  // namespace

Command explain_command() {
  return {
      .name = "explain",
      .arguments = "[options] RESULT [EVENT | CHECK]",
      .summary = "show what happened between the last right and the first wrong count of an event",
      .description =
          R"(RESULT is a folder that pmufab run --out has written, for one run or for several. pmufab explain runs the scenario
again, with the same drivers: a driver of yours is named with --driver again. It prints what happened between the last
right count of EVENT and the first wrong one, in at most twenty lines: interrupts, register accesses that change something,
and calls. Of several runs it takes the first that failed although it should not, then the first that failed as its
scenario says, and says which. Of more lines, the most telling and latest are shown: interrupts that no handler took, then
those that were raised, then changes. The last call of an interrupt handler, the last read that gave 0 to a count that
is too low, and the last access that a wrong count is made of are always there. Before them come registers that firmware
or an earlier event has left set. Fields that a write leaves as they were are named, too. If an event was not opened, the
lines lead to its refusal. If a known defect of Linux shows itself by such a count, the first line names its scenario.

CHECK is a check that failed, such as register_accesses, kernel_warnings or probe: the lines lead to the access, the
warning or the message of the kernel. Of a check that names none, its text is printed. CHECK may be crash. Without EVENT and
CHECK, it is the first wrong count, then the first event that was not opened, then the first failed check, then a crash.

The lines are those of --trace-mmio; docs/verification/tracing.md describes them.

A count that is read at its end alone leaves a long span. --readings reads it on the way, too. That narrows the span, but a
driver may do something else then.)",
      .options =
          Options{number<std::uint64_t>("readings", "N", "read each event about N times on the way", 0, "none")} +
          driver_options(""),
      .words = Words::files,
      .examples = {{"pmufab run cxl-overflow-read-late --out results\npmufab explain results"},
                   {"pmufab run cmn-flits --driver my.so --out mine\npmufab explain mine --driver my.so"}},
      .exit_codes = {{"0", "it is explained, or every count is right now"},
                     {"1", "the user stopped it"},
                     {"2", "bad input"},
                     {"3", "an internal error"}},
      .run = run_explain,
  };
}

}  // namespace pmufab::cli
