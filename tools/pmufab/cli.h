// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <boost/program_options.hpp>

#include "testbench/run/session/kernel_selection.h"
#include "testbench/run/session/runner.h"
#include "tlm/spec/printable.h"
#include "tools/pmufab/command.h"

/// The pmufab command line: the commands, and what they share.
namespace pmufab::cli {

// Each command in a file of its own.
[[nodiscard]] Command run_command();
[[nodiscard]] Command interleave_command();
[[nodiscard]] Command list_command();
[[nodiscard]] Command stat_command();
[[nodiscard]] Command verify_command();
[[nodiscard]] Command compare_command();
[[nodiscard]] Command review_command();
[[nodiscard]] Command explain_command();
[[nodiscard]] Command regs_command();
[[nodiscard]] Command firmware_command();
[[nodiscard]] Command import_acpi_command();
[[nodiscard]] Command import_rdl_command();
[[nodiscard]] Command import_svd_command();
[[nodiscard]] Command import_tree_command();
[[nodiscard]] Command serve_command();
[[nodiscard]] Command shell_command();
[[nodiscard]] Command boot_command();
[[nodiscard]] Command map_command();
[[nodiscard]] Command coverage_command();
[[nodiscard]] Command explore_command();
[[nodiscard]] Command explore_export_command();
[[nodiscard]] Command explore_merge_command();
[[nodiscard]] Command explore_report_command();
[[nodiscard]] Command trace_import_command();
[[nodiscard]] Command trace_record_command();
[[nodiscard]] Command trace_info_command();
[[nodiscard]] Command driver_build_command();
[[nodiscard]] Command driver_cache_command();
[[nodiscard]] Command driver_fetch_command();
[[nodiscard]] Command guest_prepare_command();

/// @return --driver, --driver-dir and --drivers
[[nodiscard]] Options driver_options(const std::string& default_selector);

/// The driver set of --driver; otherwise all sets of --driver-dir, the environment variable PMUFAB_DRIVERS, the build
/// folder or the installation. Versions that do not build are named on standard error.
/// @throws scenario::InputError if there are none
[[nodiscard]] std::vector<driver_host::DriverSet> find_drivers(const boost::program_options::variables_map& options);

/// As above, but ignores the options.
[[nodiscard]] std::vector<driver_host::DriverSet> find_stock_drivers();

/// As find_drivers(), but only one set: the newest of those that --drivers selects and that have the platform's
/// drivers.
[[nodiscard]] driver_host::DriverSet find_newest_driver(const boost::program_options::variables_map& options,
                                                        const platform::PlatformSpec& platform);

/// Build the drivers of a kernel for a debugger, with -O0, into the cache, unless they are there.
/// @return the folder of their set. @throws scenario::InputError if they do not build
[[nodiscard]] std::filesystem::path build_debug_drivers(const std::string& version);

// Drivers from pmufab driver build --sanitize need AddressSanitizer's library. It must be the first one that a program
// loads. So pmufab becomes itself once more, with LD_PRELOAD, before it loads such a driver (sanitizer.cpp).

/// Call this first. If this program has become itself once more, its environment is the user's again: what is preloaded
/// is not for the programs that it starts.
/// @param arguments  of main()
void take_arguments(char** arguments);
/// @return them, without the program's name
[[nodiscard]] Arguments given_arguments();
/// Call this before a command does anything. Becomes this program once more if the driver sets of the options need it.
/// @throws scenario::InputError if the library cannot be loaded
void preload_sanitizer(const boost::program_options::variables_map& options);

/// @return the selector of --drivers, which may be empty where the command's default is
/// @throws scenario::InputError if it is none
[[nodiscard]] std::string selector_of(const boost::program_options::variables_map& options);

/// @return --jobs, and the number that was given. @throws scenario::InputError if that many runs are not possible
[[nodiscard]] Option jobs_option();
[[nodiscard]] unsigned jobs_of(const boost::program_options::variables_map& options);

/// Values of an option that may be given several times; empty if it was not given.
[[nodiscard]] std::vector<std::string> values_of(const boost::program_options::variables_map& options,
                                                 const std::string& name);

/// @return --limit, and what to say about it in the description of a command with these defaults
[[nodiscard]] Option limit_option();
[[nodiscard]] std::string limit_description(const scenario::RunLimits& limits = {});
/// @return whether a command has that option, and it is given
[[nodiscard]] bool has_run_limits(const boost::program_options::variables_map& options);
/// @return the limits of --limit, and the defaults of others. @throws scenario::InputError
[[nodiscard]] scenario::RunLimits limits_of(const boost::program_options::variables_map& options,
                                            scenario::RunLimits limits = {});

/// A progress bar on standard error, if that is a terminal. It appears two seconds after its construction.
class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();
  ProgressBar& operator=(ProgressBar&&) = delete;
  /// @param fraction  0 ... 1
  void show(double fraction, const std::string& text);
  /// Remove the bar, so that other text can be printed. The next show() draws it again.
  void clear();

 private:
  double started_;
  bool terminal_;
  bool visible_ = false;
  int last_permille_ = -1;
  std::string last_text_;
};

/// A bar on a terminal, and otherwise a line a minute.
class ProgressLine {
 public:
  ProgressLine();
  /// @param fraction  0 ... 1
  void show(double fraction, const std::string& text);
  void clear() { bar_.clear(); }
  /// @return of this object's existence
  [[nodiscard]] double seconds() const;

 private:
  double started_;
  double told_ = 0;  // of seconds()
  ProgressBar bar_;
};

/// "3 min 20 s"
[[nodiscard]] std::string time_in_words(double seconds);

/// From now on SIGINT, SIGTERM, SIGQUIT and SIGHUP (unless that is ignored) are counted instead of ending the program.
void catch_interrupts();
/// @return their number so far
[[nodiscard]] int interrupts() noexcept;

/// Do work, and print what it throws on standard error. @return its exit code, or the one for the error
[[nodiscard]] int answer_errors(const std::function<int()>& work);

/// Do work that runs drivers, in a process of its own, so that a driver that crashes ends only that process. The work's
/// machine echoes its kernel log, which is printed if the process dies.
/// @param show_log  show the kernel log as it grows
/// @return the exit code of the work, which has printed its errors; kInternalError if its process died
[[nodiscard]] int guarded(bool show_log, const std::function<int()>& work);

/// Print to standard error. Whatever a driver, a plug-in or a file has to do with it, no character controls the terminal.
/// Unlike fmt::print, this does not throw if standard error cannot be written.
template <typename... Values>
void complain(fmt::format_string<Values...> format, Values&&... values) {
  std::fputs(printable_lines(fmt::format(format, std::forward<Values>(values)...)).c_str(), stderr);
}

/// @return true if text on standard output may hold characters beyond ASCII.
[[nodiscard]] bool speaks_utf8();

}  // namespace pmufab::cli
