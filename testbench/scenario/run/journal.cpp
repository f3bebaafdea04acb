// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/run/journal.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <map>

#include <fmt/format.h>

#include "testbench/scenario/run/expected_failure.h"
#include "testbench/scenario/yaml/input_error.h"

namespace pmufab::scenario {
Journal::Journal(const std::filesystem::path& file) : file_(std::fopen(file.c_str(), "w")) {
  if (file_ == nullptr)
    throw InputError(fmt::format("cannot write '{}': {}", file.generic_string(), std::strerror(errno)));
}

Journal::~Journal() { std::fclose(file_); }

void Journal::write(const std::string& record, Json content) {
  Json line;
  line["record"] = record;
  line["content"] = std::move(content);
  // Whatever text a driver logs must not break the line.
  const std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  std::fwrite(text.data(), 1, text.size(), file_);
  std::fflush(file_);
  if (std::ferror(file_) != 0) throw JournalError("the results of a run cannot be written");
}

RunResult read_journal(const std::filesystem::path& file, RunResult known, const process::ProcessEnd& end) {
  using Status = RunResult::Status;
  RunResult run = std::move(known);
  run.partial = true;
  std::ifstream stream(file);
  bool ended = false;
  bool interrupted = false;
  bool partial = false;
  bool must_fail = false;
  ExpectedFailures expected;
  std::map<std::size_t, MeasureResult> measures;
  for (std::string line; std::getline(stream, line);) {
    try {
      const Json json = Json::parse(line);
      const auto record = json.at("record").get<std::string>();
      const Json& content = json.at("content");
      if (record == "begin") {
        must_fail = content.at("must_fail").get<bool>();
        content.at("reason").get_to(run.expected_reason);
        expected = expected_failures(content);
      } else if (record == "measure") {
        measures.emplace(content.at("index").get<std::size_t>(), measure_from_json(content));
      } else if (record == "check") {
        run.checks.push_back(check_from_json(content));
      } else if (record == "action") {
        run.actions.push_back(content.get<std::string>());
      } else if (record == "error") {
        run.status = content.at("input").get<bool>() ? Status::bad_input : Status::crashed;
        content.at("message").get_to(run.message);
      } else if (record == "kernel_log") {
        content.get_to(run.kernel_log);
      } else if (record == "end") {
        ended = true;
        content.at("interrupted").get_to(interrupted);
        content.at("partial").get_to(partial);
        content.at("simulated_time_ps").get_to(run.simulated_time);
        content.at("findings").get_to(run.findings);
        run.traffic = content.at("traffic");
      }
    } catch (const nlohmann::json::exception&) {
      break;  // the line the process died in
    }
  }
  for (auto& [index, measure] : measures) run.measures.push_back(std::move(measure));  // in the order of the scenario
  if (run.status == Status::bad_input || run.status == Status::crashed) return run;
  if (!ended || !end.exited || end.status != 0) {
    const bool killed = !end.exited && end.status == SIGKILL;
    run.status = killed && end.timed_out ? Status::timed_out
                 : killed && end.stopped ? Status::interrupted
                                         : Status::crashed;
    run.message = describe(end);
    return run;
  }
  run.partial = partial;
  const bool passed = all_passed(run);
  if (interrupted && end.timed_out) {
    run.status = Status::timed_out;
    run.message = "it took too long and was stopped (--timeout); what had been measured is kept";
  } else if (interrupted) {
    run.status = Status::interrupted;
    run.message = "stopped by the user; what had been measured is kept";
  } else if (must_fail) {
    run.message = passed ? "" : difference(run, expected);
    run.status = passed ? Status::unexpected_pass : run.message.empty() ? Status::expected_failure : Status::failed;
  } else {
    run.status = passed ? Status::passed : Status::failed;
  }
  return run;
}

}  // namespace pmufab::scenario
