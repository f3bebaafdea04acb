// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <charconv>
#include <iostream>
#include <memory>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "testbench/campaigns/explore/explorer.h"
#include "testbench/campaigns/explore/report/export.h"
#include "testbench/campaigns/explore/report/findings.h"
#include "testbench/campaigns/explore/report/report.h"
#include "testbench/run/process/child_process.h"
#include "testbench/run/results/results.h"
#include "testbench/run/yaml/input_error.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/explore/slurm_exploration.h"
#include "tools/pmufab/explore/study_file.h"
#include "tools/pmufab/output.h"

namespace pmufab::cli {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using explore::Database;
using explore::Progress;
using explore::Study;
using scenario::counted;
using scenario::InputError;

std::string size_in_words(double mebibytes) {
  constexpr double kGibibyte = 1024;
  return mebibytes >= kGibibyte ? fmt::format("{:.1f} GiB", mebibytes / kGibibyte)
                                : fmt::format("{:.0f} MiB", std::max(1.0, mebibytes));
}

void show(ProgressLine& line, const Progress& progress) {
  const std::string left =
      progress.run_now == 0 ? "" : fmt::format(", {} left", time_in_words(progress.seconds_left()));
  line.show(static_cast<double>(progress.done) / static_cast<double>(std::max<std::uint64_t>(1, progress.all)),
            fmt::format("{} of {}{}{}", scenario::with_separators(progress.done), progress.is_most ? "at most " : "",
                        counted(progress.all, "point"), left));
}

/// @return the driver sets that --drivers selects
explore::DriverSets drivers_of(const po::variables_map& map) {
  explore::DriverSets sets = find_drivers(map);
  const std::string selector = selector_of(map);
  if (selector.empty()) return sets;
  sets = scenario::select(sets, {selector});
  if (sets.empty()) throw InputError(fmt::format("--drivers {} selects no driver set", selector));
  return sets;
}

explore::Shard shard_of(const std::string& text) {
  explore::Shard shard;
  if (text.empty()) return shard;
  const std::size_t slash = text.find('/');
  const auto number = [&](std::string_view digits, std::uint64_t& out) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
    return error == std::errc{} && end == digits.data() + digits.size();
  };
  const std::string_view all = text;
  constexpr std::uint64_t kMost = 1'000'000;
  if (slash == std::string::npos || !number(all.substr(0, slash), shard.number) ||
      !number(all.substr(slash + 1), shard.of) || shard.number == 0 || shard.number > shard.of || shard.of > kMost)
    throw InputError(fmt::format("--shard {}: is no part of a whole", text), "for example --shard 7/64");
  return shard;
}

explore::ExploreOptions explore_options(const po::variables_map& map, const fs::path& scratch) {
  explore::ExploreOptions options;
  options.runner.jobs = jobs_of(map);
  options.runner.timeout_seconds = map["timeout"].as<unsigned>();
  options.runner.limits = limits_of(map);
  options.runner.scratch = scratch;
  options.runner.interrupted = interrupts;
  return options;
}

std::string axes_in_words(const Study& study) {
  std::vector<std::string> parts;
  for (const explore::Axis& axis : study.axes) parts.push_back(fmt::format("{} of {}", axis.values.size(), axis.name));
  std::string text = fmt::format("{}", fmt::join(parts, " x "));
  if (study.repeats > 1) text += fmt::format(", each with {} seeds", study.repeats);
  return text;
}

/// What a study would take. A few runs tell it; they are kept.
/// @param trials, design  two of the same
int plan(const Study& study, const explore::PointMaker& points, explore::Design& trials, explore::Design& design,
         Database& database, explore::ExploreOptions options) {
  constexpr std::uint64_t kTrials = 3;
  const std::uint64_t all = design.size();
  explore::CostSummary costs = database.costs();
  // A study that has changed is tried, too: a mistake in it is told now, not after hours.
  if ((costs.runs < kTrials || database.points() == 0) && all > 0) {
    options.most = kTrials;
    static_cast<void>(explore::explore(study, points, trials, database, options));
    costs = database.costs();
  }
  options.runs_nothing = true;
  const std::uint64_t there = explore::explore(study, points, design, database, options).points;
  const std::uint64_t left = all - std::min(all, there);
  const unsigned jobs = options.runner.jobs;
  constexpr double kMebibyte = 1024.0 * 1024.0;
  constexpr double kRowBytes = 400;   // of a point with few values
  constexpr double kOwnMemory = 100;  // MiB of the program itself
  const double row = there > 100 ? static_cast<double>(database.size()) / static_cast<double>(there) : kRowBytes;
  fmt::print("{}: {}{} ({}), {} there, {} to run\n", study.name, design.is_search() ? "at most " : "",
             counted(all, "point"), axes_in_words(study), scenario::with_separators(there),
             scenario::with_separators(left));
  fmt::print("time: about {} with {} at a time ({:.3f} s each, of {})\n",
             time_in_words(costs.mean_seconds * static_cast<double>(left) / jobs), counted(jobs, "run"),
             costs.mean_seconds, counted(costs.runs, "run"));
  fmt::print("memory: about {}; disk: about {}\n",
             size_in_words(static_cast<double>(costs.most_memory_kib) / 1024 * jobs + kOwnMemory),
             size_in_words(row * static_cast<double>(all) / kMebibyte));
  return kPassed;
}

/// @return the exit code
int conclude(const Study& study, Database& database, const explore::Outcome& outcome, const std::string& file) {
  const explore::Findings findings = explore::find(study, database);
  for (const std::string& sentence : explore::in_words(study, findings)) fmt::print("{}\n", sentence);
  fmt::print("{}: {}, {} run now, {} without result; {}\n", study.name, counted(outcome.points, "point"),
             scenario::with_separators(outcome.run), scenario::with_separators(outcome.broken), file);
  if (outcome.broken > 0) complain("pmufab: {}\n", outcome.first_broken);
  if (outcome.is_interrupted) {
    complain("pmufab: stopped; the same command goes on\n");
  } else if (!outcome.is_complete) {
    complain("pmufab: points are missing; the same command goes on\n");
  }
  return !outcome.is_complete || outcome.broken > 0 || !findings.are_as_expected() ? kCheckFailed : kPassed;
}

/// @return the command of a task, which runs as this one would
std::string task_command(const Request& request, const fs::path& study, unsigned processors) {
  const po::variables_map& map = request.options;
  std::vector<std::string> words = {fs::read_symlink("/proc/self/exe").string(), "explore",
                                    fs::absolute(study).string(), "--jobs", std::to_string(processors)};
  for (const char* option : {"driver", "driver-dir", "drivers"}) {
    if (const std::string value = map[option].as<std::string>(); !value.empty())
      words.insert(words.end(), {std::string("--") + option,
                                 std::string_view(option) == "drivers" ? value : fs::absolute(value).string()});
  }
  for (const std::string& limit : values_of(map, "limit")) words.insert(words.end(), {"--limit", limit});
  words.insert(words.end(), {"--timeout", std::to_string(map["timeout"].as<unsigned>())});
  if (map["grid"].as<bool>()) words.emplace_back("--grid");
  std::string command;
  for (const std::string& word : words) command += (command.empty() ? "" : " ") + process::shell_word(word);
  return command;
}

/// @return true if other machines run the points
bool is_on_slurm(const po::variables_map& map) {
  const std::string on = map["on"].as<std::string>();
  if (on.empty()) {
    if (!map["tasks"].defaulted()) throw InputError("--tasks: needs --on slurm", "--jobs is for runs on this machine");
    return false;
  }
  if (on != "slurm")
    throw InputError(fmt::format("--on {}: is no scheduler that pmufab knows", on),
                     "--on slurm; --shard K/N is for other schedulers");
  if (!map["shard"].as<std::string>().empty()) throw InputError("--on and --shard contradict each other");
  if (map["plan"].as<bool>()) throw InputError("--on and --plan contradict each other", "--plan runs on this machine");
  return true;
}

unsigned tasks_of(const po::variables_map& map) {
  constexpr unsigned kMost = 1000;  // Slurm takes arrays of up to 1001 tasks, unless it is told otherwise
  const auto tasks = map["tasks"].as<unsigned>();
  if (tasks == 0 || tasks > kMost)
    throw InputError("--tasks: this number of tasks is not possible", fmt::format("use 1 ... {}", kMost));
  return tasks;
}

/// Another version of a study begins again in its database. Another study would take the place of the one that is there.
/// @throws InputError if the database is that of a study with another name
void check_owner(const Study& study, Database& database, const std::string& file) {
  const std::string text = database.note("study");
  if (text.empty()) return;
  std::string owner;
  try {
    owner = explore::read_study(scenario::parse_text(text, "study")).name;
  } catch (const InputError&) {
    return;  // of a version of pmufab that wrote studies otherwise
  }
  if (owner != study.name)
    throw InputError(fmt::format("'{}' is the database of the study '{}', not of '{}'", file, owner, study.name),
                     "name another file with --db");
}

int explore_study(const Request& request) {
  const po::variables_map& map = request.options;
  if (request.words.size() != 1)
    throw InputError("one study is needed", "pmufab explore STUDY; see pmufab explore --help");
  const auto sets = std::make_shared<const explore::DriverSets>(drivers_of(map));
  const bool on_slurm = is_on_slurm(map);
  const fs::path study_file = find_study(request.words.front());
  const StudyFile file = load_study(study_file, *sets);
  const Study& study = file.study;
  ScratchFolder scratch;
  explore::ExploreOptions options = explore_options(map, scratch.path());
  const explore::PointMaker points(study, file.scenario, sets);
  const auto make_design = [&] {
    return explore::design_of(study, shard_of(map["shard"].as<std::string>()), map["grid"].as<bool>());
  };
  std::unique_ptr<explore::Design> design = make_design();
  const std::string given = map["db"].as<std::string>();
  const std::string name = given.empty() ? study.name + ".sqlite" : given;
  std::optional<Database> database(std::in_place, name, Database::Mode::write);
  check_owner(study, *database, name);
  database->begin(study, file.text + points.made_with());
  database->set_note("scenario", file.scenario.generic_string());
  catch_interrupts();
  ProgressLine progress;
  if (on_slurm) {
    database.reset();  // its file is copied
    const unsigned processors = map["jobs"].defaulted() ? 1 : options.runner.jobs;
    const explore::Outcome outcome = explore_on_slurm(
        {study, points, make_design, options, name, task_command(request, study_file, processors), tasks_of(map),
         processors, [&](double part, const std::string& text) { progress.show(part, text); }});
    progress.clear();
    database.emplace(name, Database::Mode::write);
    return conclude(study, *database, outcome, name);
  }
  if (map["plan"].as<bool>()) return plan(study, points, *design, *make_design(), *database, options);
  options.on_progress = [&](const Progress& now) { show(progress, now); };
  options.runner.on_output = [&](const std::string& title, const std::string& output) {
    progress.clear();
    complain("--- output of {}\n{}{}---\n", title, output, output.ends_with('\n') ? "" : "\n");
  };
  const explore::Outcome outcome = explore::explore(study, points, *design, *database, options);
  progress.clear();
  return conclude(study, *database, outcome, name);
}

/// @return the database that a command names, which must be there
fs::path database_of(const Request& request, const char* command) {
  if (request.words.size() != 1)
    throw InputError("one database is needed", fmt::format("pmufab explore {} FILE.sqlite", command));
  return request.words.front();
}

int export_points(const Request& request) {
  Database database(database_of(request, "export"), Database::Mode::read);
  const Study study = explore::read_study(scenario::parse_text(database.study_text(), "study"));
  const std::string csv = request.options["csv"].as<std::string>();
  if (csv.empty()) {
    explore::write_csv(std::cout, study, database);
    std::cout.flush();
    return kPassed;
  }
  std::ostringstream text;
  explore::write_csv(text, study, database);
  write_file(csv, text.str());
  return kPassed;
}

int report(const Request& request) {
  const fs::path name = database_of(request, "report");
  Database database(name, Database::Mode::read);
  const Study study = explore::read_study(scenario::parse_text(database.study_text(), "study"));
  const explore::Findings findings = explore::find(study, database);
  const std::vector<explore::Picture> pictures = explore::pictures_of(study, findings, database);
  std::ostringstream page;
  explore::write_report(page, study, findings, pictures, database);
  const std::string given = request.options["html"].as<std::string>();
  const fs::path html = given.empty() ? fs::path(name).replace_extension(".html") : fs::path(given);
  ResultWriter results;
  results.write([&] { write_file(html, page.str()); });
  const fs::path folder = request.options["pictures"].as<std::string>();
  if (!folder.empty()) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
      throw InputError(fmt::format("--pictures: cannot write '{}': {}", folder.generic_string(), error.message()));
    for (const explore::Picture& picture : pictures) {
      results.write([&] { write_file(folder / (picture.name + ".svg"), picture.svg); });
      results.write([&] { write_file(folder / (picture.name + ".csv"), picture.csv); });
    }
  }
  for (const std::string& sentence : explore::in_words(study, findings)) fmt::print("{}\n", sentence);
  fmt::print("{}: {}, {}; {}\n", study.name, counted(database.points(), "point"), counted(pictures.size(), "picture"),
             html.generic_string());
  return results.finish(findings.are_as_expected() ? kPassed : kCheckFailed);
}

int merge(const Request& request) {
  if (request.words.size() < 2)
    throw InputError("a database to fill and the databases of shards are needed",
                     "pmufab explore merge ALL.sqlite SHARD.sqlite...");
  const std::string text = Database(request.words[1], Database::Mode::read).study_text();
  const Study study = explore::read_study(scenario::parse_text(text, "study"));
  Database all(request.words[0], Database::Mode::write);
  if (const std::string other = all.note("study"); !other.empty() && other != text)
    throw InputError(fmt::format("'{}' is of another study than '{}'", request.words[0], request.words[1]),
                     "name another file");
  all.begin(study, text);
  for (std::size_t i = 1; i < request.words.size(); ++i) {
    all.merge(study, request.words[i]);
    all.set_note("scenario", Database(request.words[i], Database::Mode::read).note("scenario"));
  }
  const explore::Findings findings = explore::find(study, all);
  for (const std::string& sentence : explore::in_words(study, findings)) fmt::print("{}\n", sentence);
  fmt::print("{}: {} from {}\n", study.name, counted(all.points(), "point"), counted(request.words.size() - 1, "file"));
  return kPassed;
}

}  // namespace

Command explore_command() {
  return {
      .name = "explore",
      .arguments = "[options] STUDY",
      .summary = "run a study: one scenario in thousands of variants, and the answers",
      .description =
          R"(A study names a scenario, axes that vary it, responses that are read from each run, and goals such as "the
smallest width that loses nothing"; docs/studies/README.md describes it. STUDY is the path of a file, or the name of a
study that comes with pmufab.

Each point is written to a database (SQLite) as soon as its run has ended. The same command goes on where another one
was stopped or killed, and runs nothing twice, unless its configuration, drivers, measured values or pmufab's version
have changed.

With --on slurm, a job array of Slurm runs the points. Each task runs a part, and pmufab puts their databases together.
The study, pmufab and its drivers must have the same paths on all nodes. --jobs is for each task then (default: 1).
Slurm's own variables choose partition and time: SBATCH_PARTITION, SBATCH_TIMELIMIT.

)" + limit_description(),
      .options =
          Options{
              text("db", "FILE", "the database (default: the study's name with .sqlite)"),
              flag("plan", "say how many points, how much time, memory and disk, and end; a few are run to know it"),
              flag("grid", "run every combination, whatever the study says"),
              text("shard", "K/N", "run part K of N; pmufab explore merge puts their databases together"),
              jobs_option(),
              text("on", "slurm", "let tasks of Slurm run the points, and wait for them"),
              number<unsigned>("tasks", "N", "with --on slurm: tasks of the job array", 16),
              number<unsigned>("timeout", "SECONDS", "stop a run that takes longer (0: never)", 0),
              limit_option(),
          } +
          driver_options(""),
      .words = Words::files,
      .examples = {{"pmufab explore coresight-width --plan", "a study that comes with pmufab: what it takes"},
                   {"pmufab explore coresight-width", "run it; the answers come first"},
                   {"pmufab explore my-study.yaml --shard 1/2 --db part1.sqlite", "half of it, on one of two machines"},
                   {"pmufab explore my-study.yaml --on slurm --tasks 64", "all of it, on a cluster"}},
      .exit_codes = {{"0", "all points were run, and what the study expects holds"},
                     {"1", "something that the study expects does not hold, a point has no result, or it was stopped"},
                     {"2", "bad input, or output that could not be written"},
                     {"3", "internal error"}},
      .run = explore_study,
  };
}

Command explore_export_command() {
  return {
      .name = "explore export",
      .arguments = "[options] FILE.sqlite",
      .summary = "write the points of a study as comma-separated values",
      .description =
          R"(One line for each point, in the order of the study: number, axes, seed, drivers, status, responses. Two explorations of
a study give the same bytes, however often they were interrupted.)",
      .options = {text("csv", "FILE.csv", "write to this file (default: standard output)")},
      .words = Words::files,
      .examples = {{"pmufab explore export coresight-width.sqlite --csv points.csv"}},
      .exit_codes = usual_exit_codes(),
      .run = export_points,
  };
}

Command explore_report_command() {
  return {
      .name = "explore report",
      .arguments = "[options] FILE.sqlite",
      .summary = "write the answers and pictures of a study as a page for a browser",
      .description =
          R"(The page has the answers first, then curves, heat maps, what each axis does alone, the designs that no other beats (the
key "front"), and a table of all points, with search, filter and sorting, and the command that runs each point alone. It
is one file, and needs no network.)",
      .options = {text("html", "FILE.html", "the page (default: the database's name with .html)"),
                  text("pictures", "DIR", "write each picture as SVG, and its numbers as comma-separated values")},
      .words = Words::files,
      .examples = {{"pmufab explore report coresight-width.sqlite --pictures pictures"}},
      .exit_codes = usual_exit_codes(),
      .run = report,
  };
}

Command explore_merge_command() {
  return {
      .name = "explore merge",
      .arguments = "ALL.sqlite SHARD.sqlite...",
      .summary = "put the databases of shards of a study together",
      .description =
          R"(Each machine runs a part of a study with --shard. ALL.sqlite gets the points of all of them. It may be there, and then
keeps what it has.)",
      .options = {},
      .words = Words::files,
      .examples = {{"pmufab explore merge all.sqlite part1.sqlite part2.sqlite"}},
      .exit_codes = usual_exit_codes(),
      .run = merge,
  };
}

}  // namespace pmufab::cli
