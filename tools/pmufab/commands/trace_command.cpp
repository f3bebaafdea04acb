// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <system_error>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "testbench/fabrics/cxl/scenario/cxl_fabric.h"
#include "testbench/run/report/report.h"
#include "testbench/run/results/results.h"
#include "testbench/run/session/runner.h"
#include "testbench/run/yaml/input_error.h"
#include "testbench/traffic/lackey_import.h"
#include "testbench/traffic/trace_format.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/output.h"
#include "tools/pmufab/scenario_names.h"

namespace pmufab::cli {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using scenario::InputError;
using scenario::with_separators;
using traffic::AccessKind;

/// Checks the names of operations as they are read.
class NameCheck {
 public:
  explicit NameCheck(const traffic::TraceReader& reader) : reader_(reader) {}
  /// @param operations  the last buffer. @throws traffic::UnknownOperation
  void look_at(std::span<const traffic::TraceOperation> operations) {
    for (std::size_t i = 0; i < operations.size(); ++i) {
      const unsigned number = operations[i].operation;
      known_.resize(std::max<std::size_t>(known_.size(), number + 1));
      if (!known_[number]) static_cast<void>(traffic::operation_called(reader_.names()[number], reader_.place(i)));
      known_[number] = true;
    }
  }

 private:
  const traffic::TraceReader& reader_;
  std::vector<bool> known_;  // by index of the name
};

/// Convert a trace to another form.
template <typename Record>
std::uint64_t copy(traffic::TraceReader& reader, traffic::TraceWriter& writer) {
  std::vector<Record> buffer(4096);
  for (std::size_t count = reader.read(buffer); count > 0; count = reader.read(buffer)) {
    for (const Record& record : std::span(buffer).first(count)) writer.write(record);
  }
  writer.finish();
  return writer.count();
}

/// @return true if `file` is a trace already, of any form.
bool is_trace(const std::string& file) {
  std::string start(8, '\0');
  std::ifstream(file, std::ios::binary).read(start.data(), static_cast<std::streamsize>(start.size()));
  return start.starts_with("kind,") || start.starts_with("time,") || start == "PMUTRACE";
}

int convert(const std::string& in, const std::string& out) {
  traffic::TraceReader reader{fs::path(in)};
  OutputFile file(out);
  std::uint64_t count = 0;
  if (reader.contents() == traffic::TraceContents::accesses) {
    traffic::TraceWriter writer(file.temporary());
    count = copy<traffic::TraceRecord>(reader, writer);
  } else {
    // Names precede the operations.
    std::vector<traffic::TraceOperation> buffer(4096);
    NameCheck names(reader);
    for (std::size_t some = reader.read(buffer); some > 0; some = reader.read(buffer))
      names.look_at(std::span(buffer).first(some));
    reader.rewind();
    traffic::TraceWriter writer(file.temporary(), reader.names());
    count = copy<traffic::TraceOperation>(reader, writer);
  }
  file.commit();
  fmt::print("{} {} written\n", with_separators(count),
             reader.contents() == traffic::TraceContents::accesses ? "accesses" : "operations");
  return kPassed;
}

/// Only the operations of the run matter. Its counts may be wrong.
int record(const std::string& scenario, const std::string& out, const po::variables_map& map) {
  const auto file = std::make_shared<const scenario::ScenarioFile>(find_scenario(scenario));
  const std::vector<scenario::Variant> variants = file->variants();
  if (variants.size() != 1)
    throw InputError(fmt::format("'{}' has a matrix, which makes {} scenarios", scenario, variants.size()),
                     "record a scenario without a matrix");
  const auto overrides = std::make_shared<const std::vector<std::string>>(values_of(map, "set"));
  scenario::ScenarioSpec spec = file->load(variants.front(), *overrides);
  const scenario::CxlWorkload& workload = spec.workload.of<scenario::CxlWorkload>();
  if (workload.operations.empty() && workload.replays.empty())
    throw InputError(fmt::format("'{}' has no CXL traffic, and only CXL traffic can be recorded", scenario),
                     "choose a scenario with cxl_traffic");
  OutputFile output(out);
  catch_interrupts();
  ScratchFolder scratch;
  scenario::RunnerOptions runner;
  runner.limits.readings = std::numeric_limits<std::uint64_t>::max();  // nobody sees them
  runner.scratch = scratch.path();
  runner.interrupted = interrupts;
  runner.prepare = [&](scenario::ScenarioSpec& read) {
    read.workload.of<scenario::CxlWorkload>().record = output.temporary().string();
  };
  runner.on_output = [](const std::string& title, const std::string& text) {
    complain("--- output of {}\n{}---\n", title, text);
  };
  const auto drivers = std::make_shared<const driver_host::DriverSet>(find_newest_driver(map, spec.platform));
  scenario::RunResult run;
  runner.on_result = [&](const scenario::RunPlan&, scenario::RunResult result) { run = std::move(result); };
  scenario::run_all({{scenario::plan_scenario(file, variants.front(), overrides, spec), drivers}}, runner);
  using Status = scenario::RunResult::Status;
  if (run.status >= Status::interrupted) {
    if (run.status == Status::bad_input) throw InputError(fmt::format("{}: {}", run.title(), run.message));
    // The message of a stopped run is about measures, which are not kept here.
    const std::string why = interrupts() > 0 ? "stopped by the user" : run.message;
    complain("pmufab: {}: nothing was recorded: {}\n", run.title(), why);
    return scenario::exit_code(run);
  }
  std::uint64_t count = 0;
  traffic::TraceReader reader{output.temporary()};
  std::vector<traffic::TraceOperation> buffer(4096);
  while (const std::size_t some = reader.read(buffer)) count += some;
  output.commit();
  fmt::print("{} operations recorded\n", with_separators(count));
  return kPassed;
}

int import(const std::string& in, const std::string& out, const po::variables_map& map) {
  std::error_code ignored;
  if (fs::equivalent(in, out, ignored))
    throw InputError(fmt::format("'{}' is both input and output", in), "name another output");
  // A pipe would be read twice, or wait for its other end.
  if (fs::exists(in, ignored) && !fs::is_regular_file(in, ignored))
    throw InputError(fmt::format("'{}' is not a regular file", in), "write the recording to a file first");
  if (is_trace(in)) return convert(in, out);
  ProgressBar bar;
  traffic::ImportOptions options;
  options.keep_instructions = map["keep-instructions"].as<bool>();
  options.limit = map["limit"].as<std::uint64_t>();
  if (options.limit >> 63 != 0) throw InputError("--limit: must not be negative");  // arrives as a huge one
  options.progress = [&](double fraction) { bar.show(fraction, "importing"); };
  OutputFile file(out);
  const traffic::ImportStatistics statistics = traffic::import_lackey(in, file.temporary(), options);
  file.commit();
  bar.clear();
  fmt::print("{} lines; {} accesses written ({} loads, {} stores, {} modifies seen), {} bytes read and written\n",
             with_separators(statistics.lines), with_separators(statistics.records), with_separators(statistics.loads),
             with_separators(statistics.stores), with_separators(statistics.modifies),
             with_separators(statistics.data_bytes));
  if (!statistics.complete && options.limit == 0)
    complain("pmufab: {} has no closing report of valgrind: the recording may have been cut off\n", in);
  return kPassed;
}

int info_on_operations(traffic::TraceReader& reader) {
  std::map<std::pair<unsigned, unsigned>, std::uint64_t> counts;  // by device and operation
  std::unordered_set<std::uint64_t> lines;
  std::uint64_t all = 0;
  Picoseconds first = kNever;
  Picoseconds last = 0;
  std::vector<traffic::TraceOperation> buffer(4096);
  NameCheck names(reader);
  for (std::size_t count = reader.read(buffer); count > 0; count = reader.read(buffer)) {
    names.look_at(std::span(buffer).first(count));
    for (const traffic::TraceOperation& operation : std::span(buffer).first(count)) {
      ++all;
      ++counts[{operation.device, operation.operation}];
      lines.insert(operation.address / 64);
      first = std::min(first, operation.when);
      last = operation.when;
    }
  }
  fmt::print("{:>14}  operations\n", with_separators(all));
  for (const auto& [key, count] : counts)
    fmt::print("{:>14}    device {} {}\n", with_separators(count), key.first, reader.names()[key.second]);
  fmt::print("{:>14}  lines of 64 bytes\n", with_separators(lines.size()));
  if (all > 0) fmt::print("from {} to {} ps after the start of traffic\n", first, last);
  return kPassed;
}

int info(const std::string& file) {
  traffic::TraceReader reader{fs::path(file)};
  if (reader.contents() == traffic::TraceContents::operations) return info_on_operations(reader);
  std::array<std::uint64_t, 4> kinds{};
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
  std::unordered_set<std::uint64_t> lines;
  std::unordered_set<std::uint64_t> pages;
  std::vector<traffic::TraceRecord> buffer(4096);
  for (std::size_t count = reader.read(buffer); count > 0; count = reader.read(buffer)) {
    for (const traffic::TraceRecord& record : std::span(buffer).first(count)) {
      ++records;
      ++kinds.at(static_cast<std::size_t>(record.kind));
      bytes += record.size;
      lines.insert(record.address / 64);
      pages.insert(record.address / 4096);
    }
  }
  fmt::print("{:>14}  accesses\n", with_separators(records));
  for (const AccessKind kind : {AccessKind::load, AccessKind::store, AccessKind::modify, AccessKind::fetch})
    fmt::print("{:>14}    {}\n", with_separators(kinds.at(static_cast<std::size_t>(kind))), traffic::to_string(kind));
  fmt::print("{:>14}  bytes\n{:>14}  lines of 64 bytes an access begins in\n{:>14}  pages of 4 KiB\n",
             with_separators(bytes), with_separators(lines.size()), with_separators(pages.size()));
  return kPassed;
}

/// Do work that reads traces. A trace that cannot be read is bad input.
int with_traces(const std::function<int()>& work) {
  try {
    return work();
  } catch (const traffic::TraceError& error) {
    throw scenario::input_error(error);
  }
}

/// The input and the output. --output may name the latter.
std::pair<std::string, std::string> in_and_out(const Request& request, const std::string& command,
                                               const std::string& input) {
  std::vector<std::string> words = request.words;
  const std::string output = request.options["output"].as<std::string>();
  if (!output.empty()) words.push_back(output);
  if (words.size() != 2)
    throw InputError(fmt::format("pmufab {} needs {} and an output", command, input),
                     fmt::format("see pmufab {} --help", command));
  return {words[0], words[1]};
}

int run_import(const Request& request) {
  const auto [in, out] = in_and_out(request, "trace import", "an input");
  return with_traces([&, &in = in, &out = out] { return import(in, out, request.options); });
}

int run_record(const Request& request) {
  const auto [scenario, out] = in_and_out(request, "trace record", "a scenario");
  return with_traces([&, &scenario = scenario, &out = out] { return record(scenario, out, request.options); });
}

int run_info(const Request& request) {
  if (request.words.size() != 1) throw InputError("pmufab trace info needs a trace", "see pmufab trace info --help");
  return with_traces([&] { return info(request.words.front()); });
}

Option output_option() { return text("output,o", "FILE", "the trace to write, in place of OUT"); }

std::vector<ExitCode> exit_codes() {
  return {{"0", "done"}, {"2", "bad input, or output that could not be written"}, {"3", "an internal error"}};
}

}  // namespace

Command trace_import_command() {
  return {
      .name = "trace import",
      .arguments = "[options] IN OUT",
      .summary = "convert the output of valgrind's lackey tool, or another trace, into a trace",
      .description =
          R"(IN is a file that valgrind's lackey tool wrote, or a trace of another form. If the name of OUT ends in .csv, the trace
is written as text.

Traces of CXL traffic hold operations and their times, as CSV:

  time,device,operation,address
  2500,0,read,0x10000000040
  end

Times are picoseconds after the start of traffic, in ascending order. Devices and operations are those of a scenario's
cxl_traffic. Addresses are hexadecimal, with 0x.)",
      .options = {output_option(), flag("keep-instructions", "keep instruction fetches (only for lackey's output)"),
                  number<std::uint64_t>("limit", "N", "stop after N accesses; 0: never (only for lackey's output)", 0)},
      .words = Words::files,
      .examples = {{"valgrind --tool=lackey --trace-mem=yes --log-file=sort.lackey sort input.txt >/dev/null"},
                   {"pmufab trace import sort.lackey sort.trace"},
                   {"pmufab run demo --set trace=sort.trace", "replay it"}},
      .exit_codes = exit_codes(),
      .run = run_import,
  };
}

Command trace_record_command() {
  return {
      .name = "trace record",
      .arguments = "[options] SCENARIO OUT",
      .summary = "run a scenario and write the operations of its CXL traffic to a trace",
      .description =
          R"(Runs the scenario once, with one driver set, and records its CXL traffic. Wrong counts are ignored.)",
      .options = Options{output_option(),
                         list("set", "PATH=VALUE", "change a value of the scenario; may be given several times")} +
                 driver_options("newest"),
      .words = Words::scenarios,
      .examples = {{"pmufab trace record cxl-mem mem.trace"},
                   {"pmufab run cxl-replay --set cxl_traffic[0].trace.file=mem.trace --set 'expect=[]'", "replay it"}},
      .exit_codes = usual_exit_codes(),
      .run = run_record,
  };
}

Command trace_info_command() {
  return {
      .name = "trace info",
      .arguments = "TRACE",
      .summary = "count the accesses or operations in a trace",
      .description = "Prints how many accesses or operations of each kind there are, and how much memory they touch.",
      .options = {},
      .words = Words::files,
      .examples = {{"pmufab trace info sort.trace"}},
      .exit_codes = exit_codes(),
      .run = run_info,
  };
}

}  // namespace pmufab::cli
