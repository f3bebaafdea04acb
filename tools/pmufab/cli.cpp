// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/cli.h"
#include "tools/pmufab/driver/further_drivers.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <system_error>
#include <typeinfo>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "models/plugin/part/plugin_library.h"
#include "testbench/fabrics/fabric_kinds.h"
#include "testbench/fabrics/plugin/scenario/plugin_probe.h"
#include "testbench/perf/event_syntax.h"
#include "testbench/run/process/child_process.h"
#include "testbench/run/process/resource_limits.h"
#include "testbench/run/yaml/input_error.h"
#include "testbench/run/yaml/input_file.h"
#include "tlm/spec/printable.h"
#include "tools/pmufab/output.h"
#include "tools/pmufab/places.h"

namespace pmufab::cli {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using driver_host::DriverSet;
using scenario::InputError;

volatile std::sig_atomic_t interrupt_count = 0;

void count_interrupt(int) { interrupt_count = interrupt_count + 1; }

double host_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The driver sets in the folder given with --driver-dir, or in the first place that has some.
std::vector<DriverSet> find_drivers_in(const std::string& given) {
  std::string looked;
  for (const fs::path& folder : given.empty() ? driver_folders() : std::vector<fs::path>{given}) {
    std::error_code error;
    looked += fmt::format("{}{}", looked.empty() ? "" : ", ", folder.generic_string());
    if (!fs::is_directory(folder, error)) {
      if (!given.empty())
        throw InputError(fmt::format("there is no folder '{}'", given),
                         "pmufab driver fetch builds driver sets, and prints their folder");
      continue;
    }
    const scenario::DriverFolder found = scenario::read_driver_folder(folder);
    for (const auto& [version, reason] : found.left_out)
      complain("pmufab: the drivers of Linux {} are left out: {}\n", version, reason);
    if (!found.sets.empty()) return found.sets;
  }
  throw InputError(fmt::format("there are no drivers in {}", looked.empty() ? "any known place" : looked),
                   "pmufab driver fetch gets the sources of Linux drivers and builds them");
}

std::vector<std::string> versions_of(const std::vector<DriverSet>& sets) {
  std::vector<std::string> versions;
  for (const DriverSet& set : sets) versions.push_back(set.kernel_version);
  return versions;
}

}  // namespace

Options driver_options(const std::string& default_selector) {
  return {
      text("driver", "FILE.so", "your own drivers, built by pmufab driver build"),
      text("driver-dir", "DIR",
           "folder of driver sets (default: $PMUFAB_DRIVERS, the build folder, or the cache of pmufab driver fetch)"),
      text("drivers", "V", "driver sets to use: all, newest, a kernel version (7.3), or a range ('>=7.1 <7.3')",
           default_selector),
  };
}

std::vector<DriverSet> find_drivers(const po::variables_map& options) {
  const std::string folder = options["driver-dir"].as<std::string>();
  const std::string library = options["driver"].as<std::string>();
  if (library.empty()) return find_drivers_in(folder);
  if (!folder.empty())
    throw InputError(
        fmt::format("--driver and --driver-dir cannot be used together: --driver {} is the only driver set, and "
                    "--driver-dir {} is a folder of others",
                    library, folder),
        "leave one out");
  std::error_code error;
  if (!fs::is_regular_file(library, error))
    throw InputError(fmt::format("there is no file '{}'", library), "compile a driver: pmufab driver build FILE.c");
  scenario::note_input(library);
  if (fs::path(library).extension() == ".c")
    throw InputError(fmt::format("--driver {}: this is a C file, and a library is needed", library),
                     fmt::format("compile it: pmufab driver build {}", library));
  const std::string selector = selector_of(options);
  DriverSet own;
  try {
    own = driver_host::driver_set_of(library);
  } catch (const driver_host::DriverSetError& failure) {
    throw InputError(failure.what());
  }
  if (selector.empty() || scenario::selects(selector, own.kernel_version)) return {own};
  throw InputError(fmt::format("--drivers {} does not select --driver {}, which is built for Linux {}", selector,
                               library, own.kernel_version),
                   "leave out --drivers, or build your driver for another kernel: pmufab driver build --base V");
}

std::vector<DriverSet> find_stock_drivers() { return find_drivers_in({}); }

std::string selector_of(const po::variables_map& options) {
  std::string selector = options["drivers"].as<std::string>();
  if (options["drivers"].defaulted() || scenario::is_selector(selector)) return selector;
  throw InputError(fmt::format("--drivers {} is not a driver selector", selector),
                   "write all, newest, 7.3, or '>=7.1 <7.3'");
}

Option jobs_option() {
  return number<unsigned>("jobs,j", "N", "runs at the same time", process::processors(),
                          "one per processor; a run that has two to itself uses both");
}

unsigned jobs_of(const po::variables_map& options) {
  constexpr unsigned kMost = 1024;  // a negative number arrives here as a huge one
  const auto jobs = options["jobs"].as<unsigned>();
  if (jobs == 0 || jobs > kMost)
    throw InputError("--jobs: this number of runs is not possible", fmt::format("use 1 ... {}", kMost));
  return jobs;
}

DriverSet find_newest_driver(const po::variables_map& options, const platform::PlatformSpec& platform) {
  const std::string selector = selector_of(options);
  std::vector<DriverSet> all = find_drivers(options);
  add_further_drivers(all, {{scenario::driver_modules(platform), {}}}, selector);
  const std::vector<DriverSet> able = scenario::sets_for(all, platform);
  for (const std::string_view module : scenario::driver_modules(platform)) {
    const bool is_known =
        std::ranges::any_of(all, [&](const DriverSet& set) { return set.modules.empty() || set.holds(module); }) ||
        std::ranges::find(further_drivers(), module, &FurtherDriver::module) != further_drivers().end();
    if (!is_known)
      throw InputError(fmt::format("no kernel has the driver of this platform, {}", module),
                       "give yours with --driver FILE.so, which pmufab driver build makes");
  }
  if (able.empty() && (selector == "newest" || selector == "all"))
    throw InputError("no driver set holds the drivers of this platform",
                     is_installed() ? "pmufab driver fetch --refresh gets every kernel that has them"
                                    : "tools/fetch-linux-sources --refresh and a build make one of every kernel");
  const std::vector<DriverSet> chosen = scenario::select(able, {selector});
  if (chosen.empty()) {
    const std::vector<std::string> unable = versions_of(scenario::select(all, {selector}));
    if (unable.empty())
      throw InputError(fmt::format("no driver set matches --drivers {}", selector),
                       "there are " + scenario::quoted_list(versions_of(able.empty() ? all : able)));
    throw InputError(fmt::format("--drivers {}: Linux {} {} drivers that this platform needs", selector,
                                 fmt::join(unable, ", "), unable.size() == 1 ? "lacks" : "lack"),
                     able.empty() ? "try a newer one"
                                  : fmt::format("Linux {} {} them", fmt::join(versions_of(able), ", "),
                                                able.size() == 1 ? "has" : "have"));
  }
  if (chosen.size() > 1 && selector != "newest") {
    throw InputError(fmt::format("--drivers {} selects {} driver sets, and this command takes one driver set at a time",
                                 selector, chosen.size()),
                     "choose one of " + scenario::quoted_list(versions_of(chosen)));
  }
  return chosen.back();
}

std::vector<std::string> values_of(const po::variables_map& options, const std::string& name) {
  return options.count(name) > 0 ? options[name].as<std::vector<std::string>>() : std::vector<std::string>{};
}

Option limit_option() {
  return list("limit", "KEY=VALUE", "limit what a run may use, such as memory=2GiB; may be given several times");
}

std::string limit_description(const scenario::RunLimits& limits) {
  return fmt::format(
      "--limit keeps one run from harming others. A run that reaches a limit is stopped and keeps its results. The\n"
      "defaults are\n{}.\n"
      "0 means no limit, except for log, readings and trace. Of a longer kernel log, the beginning, the end and errors "
      "between\n"
      "them are kept. readings are the intervals of one measure, and processes are those that drivers start.",
      scenario::in_words(limits));
}

bool has_run_limits(const po::variables_map& options) {
  return options.count("limit") != 0 && options["limit"].value().type() == typeid(std::vector<std::string>);
}

scenario::RunLimits limits_of(const po::variables_map& options, scenario::RunLimits limits) {
  for (const std::string& text : values_of(options, "limit")) scenario::set_limit(limits, text);
  return limits;
}

namespace {

/// What varies between runs stands at the end of their titles, so a long text loses its middle.
std::string without_middle(const std::string& text) {
  constexpr std::size_t kLongest = 60;
  constexpr std::size_t kFirst = 22;
  constexpr std::string_view kGap = "...";
  if (text.size() <= kLongest) return text;
  const auto is_within_letter = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U; };
  std::size_t begin = kFirst;
  while (begin > 0 && is_within_letter(begin)) --begin;
  std::size_t end = text.size() - (kLongest - kFirst - kGap.size());
  while (end < text.size() && is_within_letter(end)) ++end;
  return text.substr(0, begin) + std::string(kGap) + text.substr(end);
}

/// To a terminal, which it controls.
void draw(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

ProgressBar::ProgressBar() : started_(host_seconds()), terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::show(double fraction, const std::string& text) {
  constexpr int kWidth = 30;
  const int permille = static_cast<int>(std::clamp(fraction, 0.0, 1.0) * 1000);
  const bool is_same = permille == last_permille_ && text == last_text_;
  if (!terminal_ || (visible_ && is_same) || host_seconds() - started_ < 2) return;
  const int filled = permille * kWidth / 1000;
  draw(fmt::format("\r[{:#<{}}{:.<{}}] {:3} %  {}\x1b[K", "", filled, "", kWidth - filled, permille / 10,
                   printable(without_middle(text))));
  visible_ = true;
  last_permille_ = permille;
  last_text_ = text;
}

void ProgressBar::clear() {
  if (!visible_) return;
  draw("\r\x1b[K");
  visible_ = false;
}

ProgressLine::ProgressLine() : started_(host_seconds()) {}

double ProgressLine::seconds() const { return host_seconds() - started_; }

void ProgressLine::show(double fraction, const std::string& text) {
  if (isatty(STDERR_FILENO) == 1) {
    bar_.show(fraction, text);
    return;
  }
  constexpr double kMinute = 60;
  const double now = seconds();
  if (now - told_ < kMinute) return;
  told_ = now;
  complain("pmufab: {}, {:.1f} %\n", text, fraction * 100);
}

std::string time_in_words(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  constexpr std::uint64_t kMinute = 60;
  constexpr std::uint64_t kHour = 3600;
  if (whole >= kHour) return fmt::format("{} h {} min", whole / kHour, whole % kHour / kMinute);
  if (whole >= kMinute) return fmt::format("{} min {} s", whole / kMinute, whole % kMinute);
  return whole == 0 ? "less than 1 s" : fmt::format("{} s", whole);
}

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = count_interrupt;
  action.sa_flags = SA_RESTART;  // results that are being written to a pipe stay whole
  for (const int signal : {SIGINT, SIGTERM, SIGQUIT}) sigaction(signal, &action, nullptr);
  // nohup ignores it so that the program goes on when the terminal is closed.
  struct sigaction now {};
  if (sigaction(SIGHUP, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
}

int interrupts() noexcept { return interrupt_count; }

int answer_errors(const std::function<int()>& work) {
  try {
    return work();
  } catch (const perf::EventError& error) {
    complain("pmufab:\n{}\n", error.picture());
    return kBadInput;
  } catch (const InputError& error) {
    complain("pmufab: {}\n", error.what());
    return kBadInput;
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) != 0) return kPassed;  // printing threw: finish_standard_output() says why
    const bool no_room = scenario::is_output_error(error.code());
    complain("pmufab: {}{}\n", no_room ? "" : "internal error: ",
             no_room ? InputError(error.what(), "is the disk of $TMPDIR full?").what() : error.what());
    return no_room ? kBadInput : kInternalError;
  } catch (const platform::PluginError& error) {
    complain("pmufab: {}\n", error.what());
    return kInternalError;
  } catch (const std::exception& error) {
    if (std::ferror(stdout) != 0) return kPassed;  // printing threw: finish_standard_output() says why
    complain("pmufab: internal error: {}\n", error.what());
    return kInternalError;
  }
}

int guarded(bool show_log, const std::function<int()>& work) {
  constexpr std::size_t kShown = 10;
  std::cout.flush();
  const scenario::CrashPlace crash;
  process::GuardedEnd end = process::run_guarded({.shows_errors = show_log}, [&](std::string& /*told*/) {
    crash.follow();
    return finish_standard_output(answer_errors(work));
  });
  complain("{}", end.errors);
  if (end.finished) return end.process.status;
  end.process.place = crash.place();
  const std::string culprit = crash.culprit();
  complain("pmufab: {} crashed: {}\n", culprit.empty() ? "the drivers" : culprit, process::describe(end.process));
  const std::vector<std::string>& log = end.kernel_log;
  const std::size_t first = log.size() - std::min(kShown, log.size());
  if (!log.empty()) complain("{} of the kernel log:\n", first == 0 ? "All" : "The end");
  for (std::size_t i = first; i < log.size(); ++i) complain("  {}\n", log[i]);
  return kInternalError;
}

bool speaks_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string text = value;
    return text.find("UTF-8") != std::string::npos || text.find("utf8") != std::string::npos;
  }
  return false;
}

}  // namespace pmufab::cli
