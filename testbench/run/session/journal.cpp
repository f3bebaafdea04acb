// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/session/journal.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <istream>
#include <map>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>

#include "testbench/run/results/driver_files.h"
#include "testbench/run/session/expected_failure.h"
#include "testbench/run/yaml/input_error.h"

namespace pmufab::scenario {

JournalError::JournalError(const std::string& reason, int number)
    : InputError(fmt::format("{}: {}", reason, std::strerror(number)), "is the disk of $TMPDIR full?"),
      number_(number) {}

void write_whole(const std::filesystem::path& file, std::string_view content) {
  errno = 0;
  std::ofstream stream(file, std::ios::binary);
  stream << content;
  stream.close();
  if (!stream) throw JournalError(fmt::format("cannot write '{}'", file.generic_string()), errno != 0 ? errno : EIO);
}

LineFile::LineFile(const std::filesystem::path& file) : name_(file.generic_string()), owner_(getpid()) {
  // Appending, whatever a driver does to the file's position.
  constexpr mode_t kOwnersAlone = 0600;
  const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, kOwnersAlone);
  if (descriptor >= 0) file_ = fdopen(descriptor, "a");
  if (file_ == nullptr) throw JournalError(fmt::format("cannot write '{}'", name_), errno);
}

LineFile::~LineFile() { std::fclose(file_); }

void LineFile::write(std::string_view text) {
  if (getpid() != owner_) std::_Exit(EXIT_FAILURE);  // a driver forked, and both processes went on
  if (error_ == 0) {
    errno = 0;
    std::fwrite(text.data(), 1, text.size(), file_);
    std::fflush(file_);
    if (std::ferror(file_) != 0) error_ = errno != 0 ? errno : EIO;
  }
  if (error_ != 0) throw JournalError(fmt::format("cannot write '{}'", name_), error_);
}

void Journal::write(const std::string& record, Json content) {
  Json line;
  line["record"] = record;
  line["content"] = std::move(content);
  // Whatever text a driver logs must not break the line.
  file_.write(line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

void Journal::write_error(Cause cause, const std::string& message) {
  Json content;
  content["input"] = cause != Cause::internal;
  content["output"] = cause == Cause::output;
  content["message"] = message;
  write("error", std::move(content));
}

namespace {

/// What a journal tells besides the result of the run.
struct Told {
  bool begun = false;
  bool ended = false;
  bool interrupted = false;
  std::string limit;  // that made it stop; empty: none
  bool partial = false;
  bool must_fail = false;
  ExpectedFailures expected;
  // By the place of their measure in the scenario:
  std::map<std::size_t, MeasureResult> begun_measures;  // those with intervals
  std::map<std::size_t, MeasureResult> measures;
};

void take_record(const std::string& record, const Json& content, RunResult& run, Told& told) {
  using Status = RunResult::Status;
  if (record == "begin") {
    told.begun = true;
    told.must_fail = content.at("must_fail").get<bool>();
    content.at("reason").get_to(run.expected_reason);
    told.expected = expected_failures(content);
  } else if (record == "measure") {
    const auto index = content.at("index").get<std::size_t>();
    MeasureResult measure = content.get<MeasureResult>();
    if (const auto begun = told.begun_measures.extract(index)) measure.intervals = std::move(begun.mapped().intervals);
    told.measures.emplace(index, std::move(measure));
  } else if (record == "measure_begun") {
    told.begun_measures.insert_or_assign(content.at("index").get<std::size_t>(), content.get<MeasureResult>());
  } else if (record == "interval") {
    told.begun_measures[content.at("index").get<std::size_t>()].intervals.push_back(content.get<IntervalResult>());
  } else if (record == "check") {
    run.checks.push_back(content.get<CheckResult>());
  } else if (record == "driver_files") {
    run.driver_files = driver_files_from_json(content);
  } else if (record == "access") {
    run.accesses.push_back(content);
  } else if (record == "action") {
    run.actions.push_back(content.get<std::string>());
  } else if (record == "error") {
    run.status = content.at("input").get<bool>() ? Status::bad_input : Status::crashed;
    content.at("output").get_to(run.is_lost);
    content.at("message").get_to(run.message);
  } else if (record == "coverage") {
    run.coverage = content;
  } else if (record == "load") {
    run.load = content;
  } else if (record == "kernel_log") {
    content.get_to(run.kernel_log);
  } else if (record == "end") {
    content.at("interrupted").get_to(told.interrupted);
    content.at("limit").get_to(told.limit);
    content.at("partial").get_to(told.partial);
    content.at("simulated_time_ps").get_to(run.simulated_time);
    content.at("findings").get_to(run.findings);
    run.traffic = content.at("traffic");
    run.interrupts = content.value("interrupts", Json());
    run.busiest = content.value("busiest", Json());
    told.ended = true;  // only a record that was read to its end
  }
}

/// Read a line. A driver may have made the file as large as it liked: what is no text is not read.
bool next_record(std::istream& stream, std::string& line) {
  constexpr std::size_t kPiece = 1U << 16;
  std::array<char, kPiece> piece;
  line.clear();
  do {
    stream.clear(stream.rdstate() & ~std::ios::failbit);  // a piece was full
    stream.getline(piece.data(), piece.size());
    if (std::strlen(piece.data()) + 1 < static_cast<std::size_t>(stream.gcount())) return false;  // a null byte
    line += piece.data();
  } while (stream.fail() && stream.gcount() > 0 && !stream.eof());
  return !line.empty();
}

/// The status of a process that died, or was killed, before its journal was complete.
RunResult::Status status_of_death(const process::ProcessEnd& end) {
  using Status = RunResult::Status;
  const bool killed = process::is_killed(end);
  if (killed && end.timed_out) return Status::timed_out;
  return killed && (end.stopped || end.asked || !end.limit.empty()) ? Status::interrupted : Status::crashed;
}

/// Judge a run that has crashed and is known to fail: it may be known to crash.
void judge_crash(const Told& told, RunResult& run) {
  RunResult judged = run;
  judged.checks.push_back({"crash", false, run.message});
  const std::string other = difference(judged, told.expected);
  if (!other.empty()) return;
  run.checks = std::move(judged.checks);
  run.message.clear();
  run.status = RunResult::Status::expected_failure;
}

/// Judge a run whose journal is complete.
void judge_run(const Told& told, const process::ProcessEnd& end, RunResult& run) {
  using Status = RunResult::Status;
  const bool passed = all_passed(run);
  const std::string& limit = told.limit.empty() ? end.limit : told.limit;
  if (told.interrupted && !limit.empty()) {
    run.status = Status::interrupted;
    run.is_limited = true;
    run.message = limit + "; the results so far are kept";
  } else if (told.interrupted && end.timed_out) {
    run.status = Status::timed_out;
    run.message = "it took too long and was stopped (--timeout); the results so far are kept";
  } else if (told.interrupted) {
    run.status = Status::interrupted;
    run.message = end.asked ? "stopped by the user; the results so far are kept"
                            : "a signal stopped it (does a driver send signals?); the results so far are kept";
  } else if (told.must_fail) {
    run.message = passed ? "" : difference(run, told.expected);
    run.status = passed ? Status::unexpected_pass : run.message.empty() ? Status::expected_failure : Status::failed;
  } else {
    CounterTotals totals;
    totals.add(run);
    run.status = status_of(totals, passed);
  }
}

}  // namespace

void read_records(const std::filesystem::path& file,
                  const std::function<void(const std::string& record, const Json& content)>& take) {
  std::ifstream stream(file, std::ios::binary);
  try {
    for (std::string line; next_record(stream, line);) {
      const Json json = Json::parse(line);
      take(json.at("record").get<std::string>(), json.at("content"));
    }
  } catch (const nlohmann::json::exception&) {
    return;  // the line the process died in
  }
}

RunResult read_journal(const std::filesystem::path& file, RunResult known, const process::ProcessEnd& end) {
  using Status = RunResult::Status;
  RunResult run = std::move(known);
  run.partial = true;
  Told told;
  read_records(file, [&](const std::string& record, const Json& content) { take_record(record, content, run, told); });
  told.measures.merge(told.begun_measures);  // those that a dead process left
  for (auto& [index, measure] : told.measures) run.measures.push_back(std::move(measure));
  if (run.status == Status::bad_input) run.simulated_time = 0;
  if (run.status == Status::bad_input || run.status == Status::crashed) return run;
  if (!told.begun || !told.ended || !end.exited || end.status != 0) {
    run.status = status_of_death(end);
    run.is_limited = run.status == Status::interrupted && !end.limit.empty();
    run.message = describe(end);
    if (told.must_fail && run.status == Status::crashed) judge_crash(told, run);
    return run;
  }
  run.partial = told.partial;
  judge_run(told, end, run);
  return run;
}

}  // namespace pmufab::scenario
