// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "testbench/campaigns/coverage/coverage.h"
#include "testbench/campaigns/coverage/exclusions.h"
#include "testbench/campaigns/coverage/report.h"
#include "testbench/run/yaml/input_error.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/coverage/coverage_file.h"
#include "tools/pmufab/output.h"
#include "tools/pmufab/places.h"

namespace pmufab::cli {
namespace {

namespace po = boost::program_options;
using scenario::InputError;

constexpr std::size_t kNamed = 12;  // missing bins of a coverpoint, without --verbose

/// "95", "99.5": in hundredths of a percent.
std::uint64_t hundredths_of(const std::string& text) {
  const std::size_t point = text.find('.');
  const std::string whole = text.substr(0, point);
  std::string part = point == std::string::npos ? "" : text.substr(point + 1);
  const bool is_number = !whole.empty() && whole.size() <= 3 && part.size() <= 2 &&
                         (point == std::string::npos || !part.empty()) &&
                         (whole + part).find_first_not_of("0123456789") == std::string::npos;
  part.resize(2, '0');
  constexpr std::uint64_t kHundred = 100;
  const std::uint64_t value = is_number ? std::stoull(whole) * kHundred + std::stoull(part) : 0;
  if (!is_number || value > kHundred * kHundred)
    throw InputError(fmt::format("--least {} is no percentage", text),
                     "write a number of 0 to 100, such as 95 or 99.5");
  return value;
}

int report_coverage(const Request& request) {
  const po::variables_map& map = request.options;
  if (request.words.empty())
    throw InputError("no file is given", "pmufab run --coverage FILE writes one; see pmufab coverage --help");
  const std::string least = map["least"].as<std::string>();
  const std::uint64_t wanted = least.empty() ? 0 : hundredths_of(least);
  std::vector<std::filesystem::path> outputs;
  for (const char* option : {"json", "html", "merge"}) {
    const std::filesystem::path file = std::filesystem::path(map[option].as<std::string>()).lexically_normal();
    if (file.empty()) continue;
    if (std::ranges::find(outputs, file) != outputs.end())
      throw InputError(fmt::format("--{}: another report goes to '{}' too", option, file.generic_string()),
                       "name another file");
    check_writable(file);
    outputs.push_back(file);
  }
  const coverage::Exclusions exclusions = find_exclusions(map["excluded"].as<std::string>());
  coverage::Coverage all;
  for (const std::string& file : request.words) all.merge(coverage::read_coverage(file));

  const coverage::Report report = make_report(all, exclusions);
  fmt::print(std::cout, "{}", text_report(report, map["verbose"].as<bool>() ? 0 : kNamed));
  std::cout.flush();
  int code = kPassed;
  const auto write = [&](const char* option, const auto& content) {
    const std::string file = map[option].as<std::string>();
    if (file.empty()) return;
    try {
      write_file(file, content());
    } catch (const InputError& error) {  // the others are written all the same
      complain("pmufab: {}\n", error.what());
      code = kBadInput;
    }
  };
  write("json", [&] { return json_report(report).dump(2) + "\n"; });
  write("html", [&] { return html_report(report); });
  write("merge", [&] { return to_text(all); });

  for (const std::string& wrong : report.wrong_exclusions()) {
    complain("pmufab: excluded, and met all the same: {}\n", wrong);
    code = std::max(code, kCheckFailed);
  }
  if (!least.empty() && !report.tally.has(wanted)) {
    complain("pmufab: {} of the bins were met, less than the {} % of --least\n", report.tally.percent(), least);
    code = std::max(code, kCheckFailed);
  }
  return code;
}

}  // namespace

Command coverage_command() {
  return {
      .name = "coverage",
      .arguments = "[options] FILE...",
      .summary = "report what drivers have met, and name what they have never met",
      .description =
          R"(FILE is what --coverage of pmufab run, verify, shell or boot has written. Several files count as one.

A bin is something a driver can meet: an event, an event in a group, a counter that passes its maximum while the
driver reads it, a mesh that is taller than wide. Which bins there are follows from what the drivers publish, and from
the platforms. A bin is met if an event counted in that situation, and the scoreboard says that its count was not 0.
docs/coverage.md lists the coverpoints.

Bins that nothing can reach are excluded. The list is scenarios/coverage-excluded.txt; each line has a reason. One that
was met all the same fails.)",
      .options = {text("json", "FILE", "write the report as JSON"),
                  text("html", "FILE", "write the report as one HTML page"),
                  text("merge", "FILE", "write the coverage of all files as one file"),
                  text("least", "PERCENT", "fail if less of what can be reached was met"),
                  text("excluded", "FILE", "another list of bins that nothing can reach"),
                  flag("verbose,v", "name every bin that was never met")},
      .words = Words::files,
      .examples = {{"pmufab run ucf-basic --coverage ucf.coverage && pmufab coverage ucf.coverage"},
                   {"pmufab coverage monday.coverage tuesday.coverage --merge week.coverage --html week.html"}},
      .exit_codes = {{"0", "otherwise"},
                     {"1", "an excluded bin was met, or less was met than --least says"},
                     {"2", "a file cannot be read, or holds no coverage; or output could not be written"}},
      .run = report_coverage,
  };
}

namespace {

constexpr const char* kExclusions = "scenarios/coverage-excluded.txt";

}  // namespace

CoverageFile::CoverageFile(std::filesystem::path file) : file_(std::move(file)) {
  if (is_wanted()) check_writable(file_);
}

void CoverageFile::add(const coverage::Json& run, const std::string& name) {
  if (!run.is_null()) coverage_.merge(coverage::Coverage::from_json(run, name));
}

void CoverageFile::write() const {
  if (is_wanted()) write_file(file_, to_text(coverage_));
}

coverage::Exclusions find_exclusions(const std::string& file) {
  return coverage::Exclusions::read(file.empty() ? data_folder() / kExclusions : std::filesystem::path(file));
}

}  // namespace pmufab::cli
