// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "testbench/campaigns/interleave/exploration.h"
#include "testbench/run/report/report.h"
#include "testbench/run/yaml/input_error.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/output.h"
#include "tools/pmufab/scenario_names.h"
#include "tools/pmufab/simulator_process.h"

namespace pmufab::cli {
namespace {

namespace po = boost::program_options;
using interleave::Exploration;
using interleave::Outcome;
using interleave::Schedule;
using interleave::Schedules;
using scenario::InputError;
using scenario::Trigger;

/// Calls by the words of perf's driver interface, and by what people call them.
Trigger::Call call_named(const std::string& word) {
  if (const auto call = scenario::call_called(word)) return *call;
  if (word == "stop") return Trigger::Call::del;
  if (word == "start") return Trigger::Call::add;
  std::vector<std::string> words = {"start", "stop"};
  for (const auto& known : scenario::call_words()) words.emplace_back(known.first);
  throw InputError(word.empty() ? "--window is missing" : fmt::format("--window: there is no call '{}'", word),
                   "use one of " + scenario::quoted_list(words));
}

interleave::Subject subject_of(const Request& request) {
  const po::variables_map& map = request.options;
  if (request.words.size() != 1)
    throw InputError("exactly one scenario is explored at a time", "pmufab interleave SCENARIO --window read");
  const std::filesystem::path path = find_scenario(request.words.front());
  interleave::Subject subject;
  subject.document = scenario::load_file(path);
  subject.base = path.parent_path();
  subject.overrides = std::make_shared<const std::vector<std::string>>(values_of(map, "set"));
  subject.call = call_named(map["window"].as<std::string>());
  subject.nth_call = map["call"].as<std::uint64_t>();
  subject.pmu = map["pmu"].as<std::string>();
  subject.sources = values_of(map, "source");
  const scenario::ScenarioFile file(subject.document, subject.base);
  std::vector<scenario::Variant> variants = file.variants(*subject.overrides);
  if (variants.size() != 1)
    fmt::print(std::cout, "of the matrix's {}, the first is explored: {} (--set chooses another)\n",
               scenario::counted(variants.size(), "run"), variants.front().name);
  subject.variant = std::move(variants.front());
  subject.whole = map["whole"].as<bool>();
  const scenario::ScenarioSpec spec = file.load(subject.variant, *subject.overrides);
  scenario::require_judge(spec, "interleave");
  subject.drivers = std::make_shared<const driver_host::DriverSet>(find_newest_driver(map, spec.platform));
  return subject;
}

/// Numbers of schedules by outcome, and the first of each.
class Tally {
 public:
  explicit Tally(const std::vector<Outcome>& outcomes) {
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      Group& group = groups_[{outcomes[i].kind, outcomes[i].kind_of_failure}];
      if (group.number++ == 0) {
        group.first = i;
        group.what = outcomes[i].what;
      }
    }
  }
  [[nodiscard]] std::size_t number_of(Outcome::Kind kind) const {
    std::size_t number = 0;
    for (const auto& [key, group] : groups_) number += key.first == kind ? group.number : 0;
    return number;
  }
  [[nodiscard]] std::optional<std::size_t> first_of(Outcome::Kind kind) const {
    std::optional<std::size_t> first;
    for (const auto& [key, group] : groups_) {
      if (key.first == kind && (!first || group.first < *first)) first = group.first;
    }
    return first;
  }
  void print(std::string_view title) const {
    fmt::print(std::cout, "{}\n", title);
    for (const auto& [key, group] : groups_) {
      const std::string what =
          group.what.empty() ? "" : fmt::format(" (first: schedule {}): {}", group.first + 1, group.what);
      fmt::print(std::cout, "  {:>8}  {}{}\n", scenario::with_separators(group.number), word_of(key.first), what);
    }
  }

 private:
  struct Group {
    std::size_t number = 0;
    std::size_t first = 0;
    std::string what;
  };
  static std::string_view word_of(Outcome::Kind kind) {
    switch (kind) {
      case Outcome::Kind::passed:
        return "passed";
      case Outcome::Kind::as_expected:
        return "failed, as expected";
      case Outcome::Kind::not_reached:
        return "passed; not all of it came";
      case Outcome::Kind::not_judged:
        return "not judged";
      case Outcome::Kind::failed:
        return "FAILED";
      case Outcome::Kind::not_run:
        break;
    }
    return "not run";
  }

  std::map<std::pair<Outcome::Kind, std::string>, Group> groups_;
};

void print_choices(const Exploration& exploration) {
  const interleave::Choices& choices = exploration.choices();
  for (const auto& of : choices.windows) {
    fmt::print(std::cout, "  {} call {}: {}", scenario::to_string(of.window.call), of.window.nth_call,
               fmt::format("{} register access{}", of.window.accesses, of.window.accesses == 1 ? "" : "es"));
    for (const auto& event : of.events)
      fmt::print(std::cout, "; {} times {}", scenario::with_separators(event.count), event.source);
    fmt::print(std::cout, "\n");
  }
  for (const std::string& note : exploration.notes()) fmt::print(std::cout, "  {}\n", note);
  for (const std::string& reason : exploration.left_out()) fmt::print(std::cout, "  left out: {}\n", reason);
}

/// What became of all schedules, in one line.
std::string headline(const Tally& tally) {
  using Kind = Outcome::Kind;
  const auto told = [&](Kind kind) { return scenario::counted(tally.number_of(kind), "schedule"); };
  if (tally.number_of(Kind::failed) > 0) return fmt::format("FAILED: {}", told(Kind::failed));
  if (tally.number_of(Kind::not_run) > 0) return fmt::format("NOT RUN: {}", told(Kind::not_run));
  if (tally.number_of(Kind::as_expected) > 0)
    return fmt::format("PASSED: {} failed, as expected", told(Kind::as_expected));
  return tally.number_of(Kind::passed) > 0 ? "PASSED: no schedule failed" : "NOT JUDGED";
}

/// --save
void save(const Exploration& exploration, const Schedule& schedule, const po::variables_map& map) {
  if (const std::string file = map["save"].as<std::string>(); !file.empty())
    write_file(file, exploration.as_scenario(schedule));
}

int code_of_schedules(const Tally& tally, bool interrupted) {
  if (tally.number_of(Outcome::Kind::failed) > 0 || interrupted) return kCheckFailed;
  const std::size_t judged = tally.number_of(Outcome::Kind::passed) + tally.number_of(Outcome::Kind::as_expected);
  return judged == 0 ? kNotJudged : kPassed;
}

/// @param name  "schedule 3"
void show_schedule(const Exploration& exploration, const Schedule& schedule, const std::string& name) {
  std::string time_line;
  const Outcome outcome = exploration.run(schedule, time_line);
  fmt::print(std::cout, "\n{}:\n", name);
  for (const interleave::Step& step : schedule.steps) fmt::print(std::cout, "  {}\n", describe(step));
  if (!outcome.what.empty()) fmt::print(std::cout, "  {}\n", outcome.what);
  fmt::print(std::cout, "{}", time_line);
}

int replay(const Exploration& exploration, const std::vector<Schedule>& schedules, const po::variables_map& map) {
  const auto number = map["replay"].as<std::uint64_t>();
  if (number > schedules.size())
    throw InputError(fmt::format("--replay {}: there are {} schedules", number, schedules.size()));
  const Schedule& schedule = schedules[number - 1];
  save(exploration, schedule, map);
  show_schedule(exploration, schedule, fmt::format("schedule {}", number));
  const Tally tally(exploration.run(std::vector<Schedule>{schedule}));
  tally.print("");
  return code_of_schedules(tally, exploration.was_interrupted());
}

/// @return what to show of these schedules: the first that failed, or the first that failed as expected
std::optional<std::size_t> to_show(const Tally& tally) {
  const auto failed = tally.first_of(Outcome::Kind::failed);
  return failed ? failed : tally.first_of(Outcome::Kind::as_expected);
}

/// The schedules, and beside them as many at random times.
int explore(const Exploration& exploration, const std::vector<Schedule>& schedules, const po::variables_map& map) {
  const Tally tally(exploration.run(schedules));
  tally.print(fmt::format("{} with up to {}", scenario::counted(schedules.size(), "schedule"),
                          scenario::counted(map["bound"].as<unsigned>(), "step")));
  std::vector<Schedule> random;
  if (const std::uint64_t number = map["random"].as<std::uint64_t>(); number > 0 && !exploration.was_interrupted())
    random = interleave::random_schedules(schedules, number, map["seed"].as<std::uint64_t>(),
                                          exploration.first_access(), exploration.last_access());
  const Tally at_random(exploration.run(random));
  if (!random.empty()) {
    at_random.print(fmt::format("{} at random times, seed {}", scenario::counted(random.size(), "schedule"),
                                map["seed"].as<std::uint64_t>()));
  }
  const bool only_at_random =
      tally.number_of(Outcome::Kind::failed) == 0 && at_random.number_of(Outcome::Kind::failed) > 0;
  fmt::print(std::cout, "{}{}\n", headline(only_at_random ? at_random : tally),
             only_at_random ? " at random times" : "");
  if (const auto shown = to_show(only_at_random ? at_random : tally); shown && !exploration.was_interrupted()) {
    const Schedule& schedule = only_at_random ? random[*shown] : schedules[*shown];
    show_schedule(exploration, schedule,
                  fmt::format("{} {}", only_at_random ? "random schedule" : "schedule", *shown + 1));
    save(exploration, schedule, map);
  }
  const int code = code_of_schedules(tally, exploration.was_interrupted());
  return random.empty() || exploration.was_interrupted() ? code
                                                         : scenario::graver(code, code_of_schedules(at_random, false));
}

InputError nothing_wraps(const Exploration& exploration) {
  if (!exploration.is_anything_in_bulk())
    return InputError(fmt::format("no event of {} that the scenario measures can happen in bulk, so nothing can wrap",
                                  exploration.choices().pmu),
                      "--source names what happens; docs/scenario-format.md says what can");
  return InputError(
      "nothing that happens in bulk makes anything wrap in these calls",
      "however often it happens, no value that the driver reads falls, and no access differs: its counters "
      "are read whole");
}

int run_interleave(const Request& request) {
  const po::variables_map& map = request.options;
  constexpr unsigned kMostSteps = 4;
  constexpr std::uint64_t kMostSchedules = 250'000;  // they are kept in memory
  if (const auto bound = map["bound"].as<unsigned>(); bound == 0 || bound > kMostSteps)
    throw InputError("--bound: this number of steps is not possible", fmt::format("use 1 ... {}", kMostSteps));
  if (const auto most = map["schedules"].as<std::uint64_t>(); most == 0 || most > kMostSchedules)
    throw InputError("--schedules: this number is not possible",
                     fmt::format("use 1 ... {}", scenario::with_separators(kMostSchedules)));
  if (map["replay"].as<std::uint64_t>() > 0 && map["random"].as<std::uint64_t>() > 0)
    throw InputError("--replay and --random contradict each other", "give one of them");
  if (map["random"].as<std::uint64_t>() > kMostSchedules)
    throw InputError("--random: these are too many schedules",
                     fmt::format("use up to {}", scenario::with_separators(kMostSchedules)));
  if (const std::string file = map["save"].as<std::string>(); !file.empty()) check_writable(file);
  interleave::Subject subject = subject_of(request);
  const std::string title =
      fmt::format("{} calls, drivers of Linux {}", map["window"].as<std::string>(), subject.drivers->kernel_version);
  catch_interrupts();
  ScratchFolder scratch;
  ProgressBar bar;
  scenario::RunnerOptions options;
  options.jobs = jobs_of(map);
  options.timeout_seconds = map["timeout"].as<unsigned>();
  options.limits = limits_of(map);
  options.scratch = scratch.path();
  options.interrupted = interrupts;
  options.on_progress = [&](const scenario::RunnerProgress& progress) {
    bar.show(progress.fraction, fmt::format("{} of {} runs", progress.done, progress.all));
  };
  Exploration exploration(std::move(subject), std::move(options));
  exploration.look();
  bar.clear();
  if (exploration.was_interrupted()) {
    print_stopped();
    return kCheckFailed;
  }
  fmt::print(std::cout, "{}: {}\n", exploration.choices().pmu, title);
  print_choices(exploration);
  constexpr std::uint64_t kUsualInShortLife = 2'000;
  const bool is_few = exploration.is_short() && map["schedules"].defaulted();
  const auto most = is_few ? kUsualInShortLife : map["schedules"].as<std::uint64_t>();
  const Schedules schedules = all_schedules(exploration.choices(), map["bound"].as<unsigned>(), most);
  if (schedules.list.empty()) throw nothing_wraps(exploration);
  if (!schedules.is_all)
    fmt::print(std::cout, "  there are more schedules than {}: those with most steps are left out (--schedules)\n",
               scenario::with_separators(most));
  const int code = map["replay"].as<std::uint64_t>() > 0 ? replay(exploration, schedules.list, map)
                                                         : explore(exploration, schedules.list, map);
  bar.clear();
  std::cout.flush();
  if (exploration.was_interrupted()) print_stopped();
  return code;
}

}  // namespace

Command interleave_command() {
  constexpr std::uint64_t kUsualSchedules = 100'000;
  return {
      .name = "interleave",
      .arguments = "[options] SCENARIO --window CALL",
      .summary = "let counters wrap between any two register accesses of a driver's calls",
      .description =
          R"(Runs the scenario once as it is and records the register accesses of the calls. Then it runs the scenario with every
schedule: one to BOUND steps, each before one of these accesses or after the last. A step is an event that happens so
often that a counter wraps, an interrupt that is held back until after a later call, or another process that reads the
events. The scoreboard judges each run. Printed are the numbers of schedules by outcome, and the register accesses of
the smallest schedule that fails. docs/verification/interleave.md says what is found with it.

CALL is read, add (start), del (stop), interrupt, pmu_enable, pmu_disable, start_txn, commit_txn or cancel_txn. SCENARIO
is as for pmufab run. Of a matrix the first run is explored, and of several PMUs the first in which anything wraps.
A scenario that lets nothing happen in bulk, or has no such call, is run once; then a short life of its events is
explored: they are opened, read twice and closed on the same platform, without traffic.

)" + limit_description(),
      .options =
          Options{
              text("window", "CALL", "calls of the driver whose accesses are explored"),
              text("pmu", "PMU", "whose driver, if the scenario measures several"),
              number<std::uint64_t>("call", "N", "the N-th such call alone", 0, "all"),
              list("source", "EVENT", "what happens in bulk, in place of the events that are measured"),
              number<unsigned>("bound", "K", "steps in one schedule, at most", 2),
              number<std::uint64_t>("schedules", "N",
                                    "run the first N schedules, at most; of a short life 2000, if not given",
                                    kUsualSchedules),
              number<std::uint64_t>("random", "N", "besides, N schedules with the same steps at random times", 0),
              number<std::uint64_t>("seed", "S", "of the random times", 1),
              number<std::uint64_t>("replay", "N", "run schedule N alone, and show its accesses", 0, "none"),
              flag("whole", "the scenario as it is, even if it lets nothing happen in bulk"),
              text("save", "FILE", "write the smallest schedule that fails, or that of --replay, as a scenario"),
              list("set", "PATH=VALUE", "change a value of the scenario; may be given several times"),
              jobs_option(),
              number<unsigned>("timeout", "SECONDS", "stop a run that takes longer (0: never)", 0),
              limit_option(),
          } +
          driver_options("newest"),
      .words = Words::scenarios,
      .examples = {{"pmufab interleave interleave-c2c --window read", "every place of a wrap in each reading"},
                   {"pmufab interleave interleave-c2c --window read --random 100 --driver my.so",
                    "your driver, and as many wraps at random times"}},
      .exit_codes = judging_exit_codes(),
      .run = run_interleave,
  };
}

}  // namespace pmufab::cli
