// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "testbench/fabrics/fabric_kinds.h"
#include "testbench/host/module_library.h"
#include "testbench/run/process/child_process.h"
#include "testbench/run/report/report.h"
#include "testbench/run/results/driver_files.h"
#include "testbench/run/yaml/input_error.h"
#include "testbench/run/yaml/quantity.h"
#include "tlm/spec/printable.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/driver/cache.h"
#include "tools/pmufab/driver/further_drivers.h"
#include "tools/pmufab/output.h"
#include "tools/pmufab/places.h"
#include "tools/pmufab/review/change.h"
#include "tools/pmufab/review/device_ids.h"
#include "tools/pmufab/review/event_changes.h"
#include "tools/pmufab/review/review_report.h"
#include "tools/pmufab/review/time_left.h"
#include "tools/pmufab/review/trial.h"
#include "tools/pmufab/scenarios/scenario_list.h"
#include "tools/pmufab/scenarios/served_pmus.h"
#include "tools/pmufab/user_program.h"

namespace pmufab::cli {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using scenario::InputError;
using scenario::Json;
using verify::FabricGenerator;

constexpr const char* kReviewState = "review-state.json";
constexpr const char* kUsualReview = "pmufab-review";
constexpr const char* kChangesNoDriver = "changes no driver";
constexpr unsigned kUsualTimeout = 60;  // seconds of a run

/// The kernel's own drivers that may be the base, the first choice first: those of --base, or all from the newest.
/// @throws InputError if there are none
std::vector<driver_host::DriverSet> possible_bases(const std::string& base) {
  const std::vector<driver_host::DriverSet> sets = find_stock_drivers();
  std::vector<driver_host::DriverSet> chosen = base.empty()                  ? sets
                                               : scenario::is_selector(base) ? scenario::select(sets, {base})
                                                                             : std::vector<driver_host::DriverSet>{};
  if (chosen.empty()) {
    std::vector<std::string> versions;
    for (const driver_host::DriverSet& set : sets) versions.push_back(set.kernel_version);
    throw InputError(fmt::format("--base: there are no drivers of Linux {}", base),
                     "the driver sets are " + scenario::quoted_list(versions));
  }
  std::ranges::reverse(chosen);
  return chosen;
}

/// What is changed, and what it serves.
struct Reviewed {
  Change change;
  Drivers stock;
  ChangedDrivers drivers;
  std::string broken;  ///< newest kernel that the change fits, but does not compile with, if the base is older
  std::vector<driver_host::DriverFile> files;  ///< the user's
  std::vector<const FabricGenerator*> fabrics;
  std::vector<fs::path> scenarios;
};

std::vector<driver_host::DriverFile> own_files(const driver_host::DriverSet& set) {
  std::vector<driver_host::DriverFile> files = driver_host::files_in(set.library);
  std::erase_if(files, [](const driver_host::DriverFile& file) { return !file.is_own; });
  return files;
}

/// @return the kernel's own drivers, with those of described PMUs that the changed ones have
Drivers stock_beside(const driver_host::DriverSet& stock, const driver_host::DriverSet& changed) {
  std::vector<driver_host::DriverSet> sets = {stock};
  add_further_drivers(sets, {{{changed.modules.begin(), changed.modules.end()}, {}}});
  return std::make_shared<const driver_host::DriverSet>(std::move(sets.back()));
}

/// Build the change on the first base that it fits. @throws InputError if it fits none
void build_on_base(Reviewed& subject, const std::string& base, const fs::path& folder) {
  std::optional<UnfitError> first;
  for (const driver_host::DriverSet& set : possible_bases(base)) {
    try {
      const ChangedDrivers drivers = build_change(subject.change, subject.change.patches.size(), set, folder);
      if (subject.stock != nullptr && drivers.set == nullptr) continue;
      if (subject.stock != nullptr) subject.broken = subject.stock->kernel_version;
      subject.stock = std::make_shared<const driver_host::DriverSet>(set);
      subject.drivers = drivers;
      if (drivers.set != nullptr) subject.stock = stock_beside(set, *drivers.set);
      if (drivers.set != nullptr) return;  // otherwise it is for an older kernel, or compiles with none
    } catch (const UnfitError& error) {
      if (!first) first = error;
    } catch (const InputError&) {
      if (subject.stock == nullptr) throw;
    }
  }
  if (subject.stock == nullptr) throw UnfitError(*first);
}

/// @return the kernel modules without which PMUs that a driver file serves do not count: its own, and those beside it, as
///         CXL PMUs need cxl_core
std::vector<std::string_view> modules_about(const driver_host::DriverFile& file) {
  std::vector<std::string_view> modules = modules_called(file.file);
  if (modules.empty()) return modules;
  for (const std::string_view one : modules_serving(pmus_served_by(file.file))) add_once(modules, one);
  return modules;
}

/// @throws InputError if no fabric has a PMU for the changed drivers
void find_what_it_serves(Reviewed& subject) {
  subject.files = own_files(*subject.drivers.set);
  // Code that is no module, as that of firmware tables, is not among them.
  for (const ChangedFile& changed : subject.drivers.files) {
    driver_host::DriverFile file;
    file.file = fs::path(changed.name).filename().string();
    file.is_own = true;
    const bool is_there = std::ranges::any_of(subject.files, [&](const driver_host::DriverFile& one) {
      return one.file.find(file.file) != std::string::npos;
    });
    if (!is_there && !modules_called(file.file).empty()) subject.files.push_back(std::move(file));
  }
  std::vector<std::string> names;
  std::vector<std::string_view> modules;
  for (const driver_host::DriverFile& file : subject.files) {
    names.push_back(file.file);
    for (const std::string_view module : modules_about(file)) add_once(modules, module);
  }
  subject.fabrics = generators_serving(modules);
  if (subject.fabrics.empty())
    throw InputError(names.empty() ? std::string("the change changes nothing that is compiled")
                                   : fmt::format("no fabric has a PMU for {}", fmt::join(names, ", ")),
                     names.empty() ? ""
                                   : "of a driver of your own, make results with pmufab run --driver and verify "
                                     "--platform, and compare them with pmufab compare");
  std::erase_if(names, [](const std::string& name) { return modules_called(name).empty(); });
  subject.scenarios = scenarios_serving(names);
}

/// @return SHA-256 in hexadecimal; empty if there is no such file
std::string sha256_of(const fs::path& file) {
  if (file.empty()) return {};
  const ProgramReply reply = ask_program({"sha256sum", "--zero", "--", file.string()});
  return reply.out.substr(0, reply.out.find(' '));
}

std::vector<ReviewedFile> reviewed_files(const Reviewed& subject) {
  std::vector<ReviewedFile> files;
  for (const ChangedFile& file : subject.drivers.files)
    files.push_back({fs::path(file.name).filename().string(), sha256_of(file.before), sha256_of(file.after)});
  return files;
}

/// What finished parts of a review have found, so that it can go on after an interruption.
class FinishedParts {
 public:
  /// @param asked  what the review was asked for: another one begins from its start
  FinishedParts(fs::path file, Json asked, bool resumes) : file_(std::move(file)) {
    json_["asked"] = std::move(asked);
    json_["parts"] = Json::object();
    std::ifstream stream(file_, std::ios::binary);
    const Json kept = Json::parse(stream, nullptr, false);
    const std::string folder = file_.parent_path().generic_string();
    if (!kept.is_object()) {
      if (resumes) complain("pmufab: {} has no review: a new one begins there\n", folder);
      return;
    }
    const bool is_another = kept.value("asked", Json()) != json_["asked"];
    if (is_another && resumes) refuse();
    if (is_another) complain("pmufab: the review in {} is replaced (--out names another folder)\n", folder);
    if (resumes && kept.value("parts", Json()).is_object()) json_ = kept;
  }
  /// @param built  what was built and runs
  void begin(Json built) {
    if (json_.contains("built") && json_["built"] != built) refuse();
    json_["built"] = std::move(built);
    write();
  }
  /// @return whether what a part found is kept
  [[nodiscard]] bool has(const std::string& name) const { return json_["parts"].contains(name); }
  /// @return what a part found: what is kept of it, or what `work` finds
  template <typename Work>
  Trial part(const std::string& name, Work work) {
    if (const auto kept = json_["parts"].find(name); kept != json_["parts"].end()) return read_part(*kept);
    Trial trial = work();
    if (interrupts() == 0) {
      json_["parts"][name] = trial;
      write();
    }
    return trial;
  }

 private:
  [[noreturn]] void refuse() const {
    throw InputError(fmt::format("'{}' is of another review", file_.generic_string()),
                     "name another folder with --out, or leave out --resume");
  }

  void write() const { write_file(file_, json_.dump(1, ' ', true, Json::error_handler_t::replace)); }

  [[nodiscard]] Trial read_part(const Json& part) const {
    try {
      return part.get<Trial>();
    } catch (const Json::exception&) {
      throw InputError(fmt::format("'{}' is not the state of a review", file_.generic_string()),
                       "remove it, or name another folder with --out");
    }
  }

  fs::path file_;
  Json json_;
};

/// The library stays, so that what is found can be run again. @return its name as a shell's word
std::string keep_library(const fs::path& library, const fs::path& folder) {
  fs::create_directories(folder);
  write_file(folder / "changed.so", content_of(library));
  return process::shell_word((folder / "changed.so").generic_string());
}

/// One review from its change to its report.
class Reviewer {
 public:
  Reviewer(const po::variables_map& map, Reviewed& subject, fs::path out, const fs::path& scratch,
           const EventChanges& events)
      : map_(map), subject_(subject), out_(std::move(out)) {
    options_.before = subject.stock;
    options_.after = subject.drivers.set;
    options_.cases_for = find_stock_drivers().back().kernel_version;
    options_.out = out_;
    options_.renamed = events.renamed;
    options_.changed_events = events.measurable;
    options_.runner.jobs = jobs_of(map);
    options_.runner.timeout_seconds = map["timeout"].as<unsigned>();
    options_.runner.limits = limits_of(map);
    options_.runner.scratch = scratch;
    options_.runner.interrupted = interrupts;
    options_.on_progress = [this](double fraction, const std::string& what) {
      const std::optional<double> left = time_left_.seconds(fraction, passed());
      const double all = left ? passed() / std::max(1.0, passed() + *left) : 0;
      bar_.show(std::min(1.0, all), (left ? fmt::format("about {:.0f} s left, ", *left) : "") + patch_ + what);
    };
  }

  /// @param seconds  for random cases
  void run(Review& review, double seconds, FinishedParts& state) {
    const bool each = map_["each"].as<bool>() && subject_.change.patches.size() > 1;
    const std::size_t patches = subject_.change.patches.size();
    for (std::size_t i = each ? 1 : patches; i < patches; ++i) add_parts(seconds / static_cast<double>(patches));
    add_parts(seconds);
    if (!explorable().empty()) time_left_.add(TimeLeft::Kind::interleavings);
    review.seed = map_["seed"].as<std::uint64_t>();
    options_.library = review.library;
    review.all_patches = subject_.change.patches.size();
    const bool is_last_changing = !each || try_each(review, seconds, state);
    const auto add = [&](const std::string& name, const auto& work) {
      if (interrupts() == 0) review.trials.push_back(part(state, "", name, work));
    };
    add("scenarios", [&] { return try_scenarios(subject_.scenarios, options_); });
    add("random cases", [&] { return try_random_cases(subject_.fabrics, review.seed, seconds, options_); });
    add("interleavings", [&] { return try_interleavings(explorable(), options_); });
    bear_shorter_turns(review.trials);
    if (each && interrupts() == 0) {
      PatchVerdict last;
      if (is_last_changing) {
        last = verdict_of(review.trials);
      } else {
        last.text = kChangesNoDriver;
      }
      last.subject = subject_.change.patches.back().subject;
      review.patches.push_back(std::move(last));
    }
    bar_.clear();
    review.is_stopped = interrupts() > 0;
  }

 private:
  /// @return seconds since the review began
  [[nodiscard]] double passed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }
  /// Those that each patch has.
  void add_parts(double seconds) {
    time_left_.add(TimeLeft::Kind::scenarios);
    time_left_.add(TimeLeft::Kind::random_cases, seconds);
  }

  /// The scenarios that are made for interleavings.
  [[nodiscard]] std::vector<fs::path> explorable() const {
    std::vector<fs::path> files = subject_.scenarios;
    std::erase_if(files, [](const fs::path& file) { return file.parent_path().filename() != "interleave"; });
    return files;
  }

  template <typename Work>
  Trial part(FinishedParts& state, const std::string& of_patch, const std::string& name, Work work) {
    if (state.has(of_patch + name)) {
      time_left_.leave_out(1);
    } else {
      time_left_.begin(passed());
    }
    if (isatty(STDERR_FILENO) == 0) complain("    {}{}\n", patch_, name);
    return state.part(of_patch + name, work);
  }

  static PatchVerdict verdict_of(const std::vector<Trial>& trials) {
    PatchVerdict verdict;
    for (const Trial& trial : trials) {
      verdict.same += trial.same;
      verdict.better += trial.better;
      verdict.worse += trial.worse;
      for (const Finding& finding : trial.worse_findings) verdict.worse_findings.push_back(finding);
    }
    return verdict;
  }

  /// @return the drivers after some of the patches; without a set if they do not compile; nothing if no driver is changed
  ///         yet
  std::optional<ChangedDrivers> drivers_after(std::size_t count) {
    try {
      return build_change(subject_.change, count, *subject_.stock,
                          options_.runner.scratch / fmt::format("after-{}", count));
    } catch (const InputError&) {
      return std::nullopt;  // all patches together change a driver of this kernel
    }
  }

  /// The drivers after each patch but the last. @return whether the last one changes them
  bool try_each(Review& review, double seconds, FinishedParts& state) {
    const std::size_t all = subject_.change.patches.size();
    std::map<std::string, std::string> sources;
    for (std::size_t count = 1; count < all; ++count) {
      bar_.clear();
      const std::optional<ChangedDrivers> drivers = drivers_after(count);
      PatchVerdict verdict;
      const std::map<std::string, std::string> before =
          std::exchange(sources, drivers ? sources_of(*drivers) : std::map<std::string, std::string>());
      if (drivers && sources == before) {
        time_left_.leave_out(2);
        verdict.text = kChangesNoDriver;
      } else if (drivers && drivers->set != nullptr) {
        TrialOptions options = options_;
        options.out = out_ / fmt::format("after-{}", count);
        options.after = drivers->set;
        options.library = keep_library(drivers->set->library, options.out);
        patch_ = fmt::format("after {}/{}: ", count, all);
        const std::string name = fmt::format("after {} patches: ", count);
        const double share = seconds / static_cast<double>(all);
        std::vector<Trial> trials = {
            part(state, name, "scenarios", [&] { return try_scenarios(subject_.scenarios, options); }),
            part(state, name, "random cases",
                 [&] { return try_random_cases(subject_.fabrics, review.seed, share, options); })};
        bear_shorter_turns(trials);
        verdict = verdict_of(trials);
        verdict.library = options.library;
        patch_.clear();
      } else {
        time_left_.leave_out(2);
        verdict.worse = drivers ? 1 : 0;
        verdict.text = drivers ? "does not compile" : "no driver is changed yet";
      }
      if (interrupts() > 0) return true;
      verdict.subject = subject_.change.patches[count - 1].subject;
      review.patches.push_back(std::move(verdict));
    }
    return sources != sources_of(subject_.drivers);
  }

  /// @return the changed sources, by name
  static std::map<std::string, std::string> sources_of(const ChangedDrivers& drivers) {
    std::map<std::string, std::string> sources;
    for (const ChangedFile& file : drivers.files) sources[file.name] = content_of(file.after);
    return sources;
  }

  const po::variables_map& map_;
  Reviewed& subject_;
  fs::path out_;
  TrialOptions options_;
  ProgressBar bar_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::string patch_;  ///< that is tried: "after 2/4: "
  TimeLeft time_left_;
};

/// @return the command that makes the same review, without --out and reports: its reader has folders of their own
std::string command_of(const Request& request, const std::string& base) {
  const po::variables_map& map = request.options;
  std::string command = "pmufab review";
  if (const std::string tree = map["tree"].as<std::string>(); !tree.empty())
    command += " --tree " + process::shell_word(tree);
  for (const std::string& word : request.words) command += " " + process::shell_word(resolved(word));
  command += fmt::format(" --base {} --for {}", base, process::shell_word(map["for"].as<std::string>()));
  if (const auto seed = map["seed"].as<std::uint64_t>(); seed != 1) command += fmt::format(" --seed {}", seed);
  if (map["each"].as<bool>()) command += " --each";
  if (const auto timeout = map["timeout"].as<unsigned>(); timeout != kUsualTimeout)
    command += fmt::format(" --timeout {}", timeout);
  if (has_run_limits(map)) {
    for (const std::string& limit : map["limit"].as<std::vector<std::string>>())
      command += " --limit " + process::shell_word(limit);
  }
  return command;
}

/// @return what two reviews that go on with each other have in common, as far as it is known before drivers are built
Json asked_for(const Change& change, const po::variables_map& map) {
  Json json;
  json["version"] = scenario::version();
  for (const char* const option : {"base", "for", "tree"}) json[option] = map[option].as<std::string>();
  json["seed"] = map["seed"].as<std::uint64_t>();
  json["each"] = map["each"].as<bool>();
  json["timeout"] = map["timeout"].as<unsigned>();
  json["limit"] = Json::array();
  if (has_run_limits(map)) json["limit"] = map["limit"].as<std::vector<std::string>>();
  json["change"] = Json::array();
  for (const PatchFile& patch : change.patches) json["change"].push_back(printable(content_of(patch.file)));
  for (const std::string& file : change.files) json["change"].push_back(printable(content_of(file)));
  return json;
}

/// @return the same of what was built
Json built_of(const Review& review, const std::vector<fs::path>& scenarios) {
  Json json = {{"base", review.base}, {"files", review.files}, {"scenarios", Json::array()}};
  for (const fs::path& file : scenarios) json["scenarios"].push_back(file.generic_string());
  return json;
}

double random_seconds_of(const po::variables_map& map) {
  constexpr double kPicosecondsPerSecond = 1e12;
  try {
    return static_cast<double>(scenario::parse_quantity(map["for"].as<std::string>(), scenario::Quantity::duration)) /
           kPicosecondsPerSecond;
  } catch (const std::exception& error) {
    throw InputError(fmt::format("--for {}: {}", map["for"].as<std::string>(), error.what()), "for example --for 2min");
  }
}

int write_reports(const Review& review, const po::variables_map& map) {
  std::cout << mail_text(review);
  std::cout.flush();
  ResultWriter results;
  const auto write = [&](const char* option, const auto& text) {
    const std::string file = map[option].as<std::string>();
    if (!file.empty()) results.write([&] { write_file(file, text()); });
  };
  write("json", [&] { return to_json(review).dump(2, ' ', true, Json::error_handler_t::replace) + "\n"; });
  write("markdown", [&] { return markdown_text(review); });
  write("html", [&] { return html_page(review); });
  const int code = review.is_worse() || review.is_stopped ? kCheckFailed
                   : review.verdict() == "NOT TRIED"      ? kNotJudged
                                                          : kPassed;
  return results.finish(code);
}

int run_review(const Request& request) {
  const po::variables_map& map = request.options;
  check_reports(map, {"json", "markdown", "html"});
  for (const char* const option : {"json", "markdown", "html"}) {
    if (const std::string file = map[option].as<std::string>(); !file.empty()) check_writable(file);
  }
  const double seconds = random_seconds_of(map);
  Reviewed subject;
  ScratchFolder scratch;
  subject.change = read_change(request.words, map["tree"].as<std::string>(), scratch.path());
  const std::string given = map["out"].as<std::string>();
  const fs::path out = given.empty() ? kUsualReview : given;
  std::error_code error;
  fs::create_directories(out, error);
  if (error) throw InputError(fmt::format("--out: cannot write '{}': {}", out.generic_string(), error.message()));
  const OutFolderLock lock(out, "another review");
  FinishedParts state(out / kReviewState, asked_for(subject.change, map), map["resume"].as<bool>());
  Review review;
  review.title = subject.change.title;
  // What is built stays, because it has the counts of lines: a review that goes on adds to them.
  const fs::path built =
      cache_folder() / fmt::format("drivers-review-{:016x}", std::hash<std::string>()(fs::absolute(out).string()));
  const FolderLock built_lock(built, "review");
  if (!map["resume"].as<bool>()) fs::remove_all(built, error);
  build_on_base(subject, map["base"].as<std::string>(), built);
  review.base = subject.stock->kernel_version;
  review.command = command_of(request, review.base);
  if (subject.drivers.set == nullptr) {
    review.fault = "the drivers do not compile with the change; the compiler says why above";
    return write_reports(review, map);
  }
  find_what_it_serves(subject);
  for (const FabricGenerator* fabric : subject.fabrics) review.fabrics.emplace_back(fabric->name());
  review.files = reviewed_files(subject);
  catch_interrupts();
  state.begin(built_of(review, subject.scenarios));
  review.library = keep_library(subject.drivers.set->library, out);
  review.folder = process::shell_word(out.generic_string());
  review.build = fmt::format("{} --base {}", subject.change.build, review.base);
  const EventChanges events = event_changes(subject.scenarios, subject.stock->library, subject.drivers.set->library);
  Reviewer(map, subject, out, scratch.path(), events).run(review, seconds, state);
  review.coverage = read_coverage(subject.drivers);
  if (!subject.broken.empty())
    review.not_covered.push_back(fmt::format("does not compile with Linux {}", subject.broken));
  for (const EventChanges::Change& change : events.changes) {
    const auto counted = [&](const Trial& trial) { return trial.counted.contains(change.measurable); };
    if (!review.is_stopped && std::ranges::none_of(review.trials, counted)) review.not_covered.push_back(change.text);
  }
  // A run that has a device which is new to the drivers should be better.
  if (!review.is_stopped && review.total(&Trial::better) == 0) {
    for (const std::string& device : added_devices(subject.drivers.files))
      review.not_covered.push_back(fmt::format("adds the device {}: no run shows that it works", device));
  }
  trim_cache(cache_folder(), built);
  return write_reports(review, map);
}

}  // namespace

Command review_command() {
  return {
      .name = "review",
      .arguments = "[options] PATCH|MBOX|-|RANGE|FILE.c...",
      .summary = "say what a change to a PMU driver makes better and worse, in thirty lines for a mail",
      .description =
          R"(Takes a change to drivers: patches or a mailbox, as git format-patch, git send-email, b4 and lore make them; the standard
input (-); a commit or a range of commits of the kernel repository in the current folder; C files; or --tree. Compiles the
drivers of the base kernel with it, and runs them and the kernel's own drivers in turns: the shipped scenarios that measure
PMUs of the changed drivers, then random cases, the same for both, then wraps between any two register accesses of calls.

Prints at most thirty lines of plain text: what was changed, what ran, what is the same, better and worse, what is wrong
there, what did not run, and the smallest scenario that shows a mistake. --json has all of it. What is wrong with both
drivers is the same. --each tries the drivers after each patch of a series, too, in scenarios and random cases: a series must
be right after each.

The folder of --out gets the drivers with the change and the scenarios that were found. After an interruption, --resume goes
on with the part that was interrupted.)",
      .options =
          Options{
              text("tree", "DIR", "kernel tree, or a part of one: the drivers that it has are reviewed"),
              text("base", "V",
                   "kernel whose drivers are changed, such as 7.3 (default: the newest that the change fits)"),
              text("for", "TIME",
                   "how long random cases run, for both drivers together, after the scenarios, such as 10min", "2min"),
              number<std::uint64_t>("seed", "N", "another seed gives other random cases", 1),
              flag("each", "also try the drivers after each patch of a series"),
              text("out", "DIR", "folder for the drivers and for scenarios that are found (default: pmufab-review)"),
              flag("resume", "go on with the review in that folder"),
              text("json", "FILE", "write everything as JSON"),
              text("markdown", "FILE", "write the report for a pull request"),
              text("html", "FILE", "write a page for a browser"),
              jobs_option(),
              number<unsigned>("timeout", "SECONDS", "a run that takes longer has failed (0: never)", kUsualTimeout),
              limit_option(),
          },
      .words = Words::sources,
      .examples = {{"pmufab review 0001-perf-arm-cmn.patch"},
                   {"b4 am -o - MESSAGE-ID | pmufab review - --each"},
                   {"pmufab review HEAD~3..HEAD --for 30s --markdown review.md", "in a kernel repository"},
                   {"pmufab review my/dwc_pcie_pmu.c"}},
      .exit_codes = {{"0", "nothing is worse"},
                     {"1", "something is worse, the drivers do not compile, or the user stopped the review"},
                     {"2", "bad input, or output that could not be written"},
                     {"3", "an internal error"},
                     {"4", "nothing could be tried: no scenario has a PMU for the base kernel's drivers"}},
      .run = run_review,
  };
}

}  // namespace pmufab::cli
