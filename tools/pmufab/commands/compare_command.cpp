// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "testbench/run/report/result_difference.h"
#include "testbench/run/yaml/input_error.h"
#include "tools/pmufab/cli.h"

namespace pmufab::cli {
namespace {

int run_compare(const Request& request) {
  if (request.words.size() != 2)
    throw scenario::InputError("two results are needed, those from before first", "pmufab compare BEFORE AFTER");
  const std::set<std::string_view>& keys = scenario::compared_keys();
  const scenario::ResultDifference difference(scenario::read_results(request.words[0], keys),
                                              scenario::read_results(request.words[1], keys));
  if (request.options["json"].as<bool>()) {
    // In ASCII: names may hold what would reverse or hide a terminal's text.
    std::cout << difference.to_json().dump(2, ' ', true, scenario::Json::error_handler_t::replace) << '\n';
  } else {
    difference.write_text(std::cout, request.options["all"].as<bool>());
  }
  std::cout.flush();
  return difference.worse() == 0 ? kPassed : kCheckFailed;
}

}  // namespace

Command compare_command() {
  return {
      .name = "compare",
      .arguments = "[options] BEFORE AFTER",
      .summary = "show what two results of runs say differently",
      .description =
          R"(Compares two files of --json, or two folders of --out: results of two drivers, or of yesterday and today. It shows the
driver files whose SHA-256 differs, the runs whose verdict, counts or failed checks differ, and how many runs are the
same. What is worse comes first, then what is better.

Runs belong together if scenario, variant and Linux version are the same, in their order if there are several. Of the
rest, those of one scenario and variant belong together if there are as many on each side. A run is "worse" if something
that was right is wrong now; if the run, a counter or a check is missing now; or if an event's share of the time, as
counters take turns, falls by more than 10 percentage points (from 91 % to 80 %, say). It is "better" if only the reverse
of the first, and "changed" if the verdicts are the same and figures are not.)",
      .options = Options{flag("all", "show the runs that are the same, too"), flag("json", "print JSON")},
      .words = Words::files,
      .examples = {{"pmufab run ucf-basic --out before\npmufab run ucf-basic --driver my.so --out after\n"
                    "pmufab compare before after"},
                   {"pmufab compare yesterday.json today.json --json"}},
      .exit_codes = {{"0", "nothing is worse"}, {"1", "something is worse"}, {"2", "bad input"}},
      .run = run_compare,
  };
}

}  // namespace pmufab::cli
