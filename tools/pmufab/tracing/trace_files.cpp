// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/tracing/trace_files.h"

#include <fstream>
#include <iostream>
#include <string>

#include <fmt/format.h>

#include "testbench/run/results/results.h"
#include "testbench/run/yaml/input_error.h"
#include "testbench/run/yaml/quantity.h"
#include "tools/pmufab/cli.h"

namespace pmufab::cli {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using scenario::InputError;
using scenario::TimelineFormat;

TimelineFormat format_of(const std::string& file) {
  const std::string suffix = fs::path(file).extension().string();
  if (suffix == ".vcd") return TimelineFormat::vcd;
  if (suffix == ".json") return TimelineFormat::json;
  if (suffix == ".svg") return TimelineFormat::svg;
  throw InputError(fmt::format("--timeline {}: the name must end in .vcd, .json or .svg", file),
                   ".vcd is for GTKWave, .json for Perfetto, .svg is a picture; vcd2fst of GTKWave makes .fst of .vcd");
}

}  // namespace

Options access_log_options() {
  return {
      text("trace-mmio", "FILE", "write every register access, call into a driver and interrupt (-: standard output)"),
      list("trace-filter", "KEY=VALUE",
           "write only what has pmu=NAME, register=NAME, from=TIME or to=TIME; may be given several times"),
  };
}

std::string access_log_description() {
  return R"(--trace-mmio FILE writes what passes between software and hardware: register accesses with time, CPU, the driver's
function and the fields that change, interrupts, and the perf core's calls. A file whose name ends in .jsonl has a JSON
object per line, others have text. Several runs follow each other in it. --trace-filter chooses a PMU by perf's name or
the name of a register bank (as pmufab regs shows it), registers, and a span of time; in names, * and ? match any
characters. docs/verification/tracing.md has more.)";
}

Options trace_options() {
  return access_log_options() +
         Options{text("timeline", "FILE",
                      "write registers, interrupts and calls over time: .vcd for GTKWave, .json for "
                      "Perfetto, .svg as a picture")};
}

std::string trace_description() {
  return access_log_description() + R"(

--timeline FILE writes the fields of the registers that software accesses, interrupt lines and the perf core's calls over
time, from when the drivers are loaded until the scenario is over. --trace-filter chooses among them, too.)";
}

TraceFiles::TraceFiles(const po::variables_map& map, std::uint64_t room) {
  const std::string log = map["trace-mmio"].as<std::string>();
  const std::string timeline = map.count("timeline") > 0 ? map["timeline"].as<std::string>() : std::string();
  const std::vector<std::string> conditions = values_of(map, "trace-filter");
  scenario::TraceFilter filter;
  for (const std::string& condition : conditions) add_condition(filter, condition);
  if (log.empty() && timeline.empty() && !conditions.empty())
    throw InputError("--trace-filter: nothing is written", "add --trace-mmio FILE, or -");
  if (!log.empty()) {
    options_.access_log =
        scenario::AccessLogOptions{.is_json = fs::path(log).extension() == ".jsonl", .filter = filter, .room = room};
    is_printed_ = log == "-";
    if (!is_printed_) log_ = std::make_unique<OutputFile>(log);
  }
  if (!timeline.empty()) {
    format_ = format_of(timeline);
    options_.timeline = scenario::TimelineOptions{.filter = filter, .room = room};
    timeline_ = std::make_unique<OutputFile>(timeline);
  }
}

void TraceFiles::check_runs(std::size_t count) const {
  if (options_.timeline && count > 1)
    throw InputError(
        fmt::format("--timeline: there are {}, and a time line has one", scenario::counted(count, "run")),
        "choose one of each: a scenario, a driver set (--drivers newest), and values of its matrix (--set)");
}

void TraceFiles::write(std::unique_ptr<OutputFile>& file, const std::function<void()>& work) {
  if (!results_.write(work)) file.reset();
}

void TraceFiles::add(const scenario::TraceOptions& run) {
  if (run.access_log && (is_printed_ || log_)) write(log_, [&] { add_log(run.access_log->file); });
  if (run.timeline && timeline_) write(timeline_, [&] { add_timeline(*run.timeline); });
}

void TraceFiles::add_timeline(const scenario::TimelineOptions& timeline) {
  if (!fs::exists(timeline.file)) return;  // the run did not begin
  const std::uint64_t left_out = write_timeline(format_, timeline.file, timeline.title, timeline.room,
                                                [this](const std::string& text) { timeline_->append(text); });
  if (left_out == 0) return;
  complain("pmufab: --timeline: {} left out: the file has room for {} (--trace-filter chooses less)\n",
           scenario::counted(left_out, "change") + (left_out == 1 ? " is" : " are"),
           scenario::format_quantity(timeline.room, scenario::Quantity::bytes));
}

void TraceFiles::add_log(const fs::path& log) {
  std::ifstream stream(log, std::ios::binary);
  constexpr std::size_t kPiece = 1U << 20;
  std::string piece(kPiece, '\0');
  while (stream.read(piece.data(), static_cast<std::streamsize>(piece.size())) || stream.gcount() > 0) {
    const std::string part = piece.substr(0, static_cast<std::size_t>(stream.gcount()));
    if (log_) {
      log_->append(part);
    } else {
      std::cout << part;
    }
  }
  std::cout.flush();
}

void TraceFiles::commit() {
  for (std::unique_ptr<OutputFile>* const file : {&log_, &timeline_}) {
    if (*file) write(*file, [&] { (*file)->commit(); });
  }
}

}  // namespace pmufab::cli
