// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "testbench/scenario/yaml/input_error.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/output.h"

namespace pmufab::cli {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using scenario::InputError;

constexpr const char* kMoreOnDriver =
    R"(FILE.c stands in the place of the kernel's driver of the same name, or beside the drivers if there is none of that
name; all other drivers are those of the kernel. The result is one shared library, which --driver of the other commands
takes instead of the drivers that were built with pmufab. What has not changed since the last time is not compiled again.

Examples:
  pmufab driver build my/nvidia_cspmu.c                     # my/nvidia_cspmu.so
  pmufab run scenarios/tegra410/ucf-basic.yaml --driver my/nvidia_cspmu.so
  pmufab driver build my/arm-cmn.c --base 6.12 -o old.so
)";

/// Where things that can be made again are kept.
fs::path cache_folder() {
  for (const auto& [variable, below] : {std::pair{"XDG_CACHE_HOME", ""}, std::pair{"HOME", ".cache"}}) {
    const char* const value = std::getenv(variable);
    if (value != nullptr && *value == '/') return fs::path(value) / below / "pmufab";
  }
  throw InputError("there is no folder for what is compiled: neither XDG_CACHE_HOME nor HOME is set",
                   "set HOME to a folder of yours");
}

fs::path build_script() {
  fs::path script = fs::path(PMUFAB_SOURCE_FOLDER) / "tools" / "build-drivers";
  std::error_code error;
  if (!fs::is_regular_file(script, error))
    throw InputError(fmt::format("there is no {}", script.generic_string()),
                     "drivers are compiled with the headers of pmufab's sources: keep the folder it was built from");
  return script;
}

/// A folder of their own for these files and this kernel, always the same.
fs::path folder_for(const std::vector<std::string>& files, const std::string& base, bool sanitize) {
  std::string key = fmt::format("{} {}", base, sanitize);
  for (const std::string& file : files) key += '\n' + fs::weakly_canonical(file).generic_string();
  std::uint64_t sum = 14695981039346656037U;  // FNV-1a
  for (const char c : key) sum = (sum ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return cache_folder() / fmt::format("drivers-{:016x}", sum);
}

/// One build at a time in a folder of the cache; who comes second waits. Programs that are run meanwhile keep the lock
/// until they end, too, even if this one is killed.
class FolderLock {
 public:
  /// @throws InputError if nothing can be written beside the folder
  explicit FolderLock(const fs::path& folder) {
    const std::string file = folder.string() + ".lock";
    std::error_code error;
    fs::create_directories(folder.parent_path(), error);
    if (!error) file_ = open(file.c_str(), O_RDWR | O_CREAT, 0666);
    if (file_ < 0)
      throw InputError(fmt::format("cannot write '{}': {}", file,
                                   (error ? error : std::error_code(errno, std::generic_category())).message()),
                       "set XDG_CACHE_HOME to a folder of yours");
    if (flock(file_, LOCK_EX | LOCK_NB) == 0) return;
    if (errno == EWOULDBLOCK) complain("pmufab: waiting for another pmufab driver build of the same files\n");
    while (flock(file_, LOCK_EX) != 0) {
      if (errno == EINTR) continue;
      const int reason = errno;
      close(file_);
      throw std::system_error(reason, std::generic_category(), "cannot lock " + file);
    }
  }
  ~FolderLock() { close(file_); }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int file_ = -1;
};

/// Run a program with this one's standard streams. @return its exit code; 128 + the signal it died of
int run_program(const fs::path& program, const std::vector<std::string>& arguments) {
  std::string name = program.string();
  std::vector<std::string> kept = arguments;
  std::vector<char*> words = {name.data()};
  for (std::string& word : kept) words.push_back(word.data());
  words.push_back(nullptr);
  pid_t child = 0;
  if (const int error = posix_spawn(&child, name.c_str(), nullptr, nullptr, words.data(), environ); error != 0)
    throw std::system_error(error, std::generic_category(), "cannot run " + name);
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "cannot wait for " + name);
  }
  constexpr int kSignalled = 128;
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status);
}

int build(const Arguments& arguments) {
  po::options_description options("Options");
  options.add_options()("output,o", po::value<std::string>()->default_value("")->value_name("FILE.so"),
                        "where the library goes (otherwise beside the first FILE.c)")(
      "base", po::value<std::string>()->default_value("")->value_name("V"),
      "kernel version the other drivers are of: 7.3 or 7.3.4 (otherwise the newest there is)")(
      "sources", po::value<std::string>()->default_value("")->value_name("DIR"),
      "where tools/fetch-linux-sources put the kernels' drivers")(
      "sanitize", po::bool_switch(), "with AddressSanitizer and UndefinedBehaviorSanitizer");
  const auto parsed = parse(arguments, options, "file",
                            {"pmufab driver build [options] FILE.c...",
                             "Compile drivers of your own into a library that --driver takes.", kMoreOnDriver});
  if (!parsed) return kPassed;
  const std::vector<std::string> files = values_of(*parsed, "file");
  if (files.empty()) throw InputError("no driver to build", "give its file: pmufab driver build my/nvidia_cspmu.c");
  for (const std::string& file : files) {
    std::error_code error;
    if (!fs::exists(file, error)) throw InputError(fmt::format("there is no file '{}'", file));
    if (!fs::is_regular_file(file, error)) throw InputError(fmt::format("'{}' is no ordinary file", file));
    if (fs::path(file).extension() != ".c")
      throw InputError(fmt::format("'{}' is no C file", file), "give the driver's source");
  }
  const driver_host::DriverSet stock = find_stock_drivers().back();
  std::string base = (*parsed)["base"].as<std::string>();
  if (base.empty()) base = stock.kernel_version;
  const bool sanitize = (*parsed)["sanitize"].as<bool>();
  const fs::path folder = folder_for(files, base, sanitize);
  fs::path output = (*parsed)["output"].as<std::string>();
  if (output.empty()) output = fs::path(files.front()).replace_extension(".so");
  check_writable(output);

  std::vector<std::string> words = {"--base", base};
  const std::string sources = (*parsed)["sources"].as<std::string>();
  if (!sources.empty()) words.insert(words.end(), {"--sources", sources});
  if (sanitize) words.emplace_back("--sanitize");
  words.insert(words.end(), {"--like", stock.library.parent_path().parent_path().string()});
  for (const std::string& file : files) words.insert(words.end(), {"--driver", file});
  words.push_back(folder.string());
  const FolderLock lock(folder);
  if (const int code = run_program(build_script(), words); code != 0)
    return code == kBadInput ? kBadInput : kCheckFailed;
  try {
    const driver_host::DriverSet built = driver_host::find_driver_sets(folder).back();
    // A library that is in use keeps its content: the new one takes its name.
    fs::path fresh = output;
    fresh += fmt::format(".{}.new", getpid());
    fs::copy_file(built.library, fresh, fs::copy_options::overwrite_existing);
    fs::rename(fresh, output);
    fmt::print("{}: Linux {} with {}\n", output.generic_string(), built.kernel_version, fmt::join(files, ", "));
  } catch (const fs::filesystem_error& error) {
    throw InputError(fmt::format("cannot write '{}': {}", output.generic_string(), error.code().message()),
                     "name another file with --output");
  }
  return kPassed;
}

}  // namespace

int driver_command(const Arguments& arguments) {
  if (!arguments.empty() && arguments.front() == "build")
    return build(Arguments(arguments.begin() + 1, arguments.end()));
  if (!arguments.empty() && (arguments.front() == "--help" || arguments.front() == "-h")) return build({"--help"});
  throw InputError(arguments.empty() ? "pmufab driver does nothing by itself"
                                     : fmt::format("there is no command 'driver {}'", arguments.front()),
                   "pmufab driver build FILE.c");
}

}  // namespace pmufab::cli
