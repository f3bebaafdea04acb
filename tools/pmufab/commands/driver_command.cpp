// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "testbench/host/driver_sets.h"
#include "testbench/host/module_library.h"
#include "testbench/run/yaml/input_error.h"
#include "testbench/run/yaml/input_file.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/driver/cache.h"
#include "tools/pmufab/output.h"
#include "tools/pmufab/places.h"
#include "tools/pmufab/user_program.h"

namespace pmufab::cli {
namespace {

namespace fs = std::filesystem;
using scenario::InputError;

constexpr std::string_view kStandardInput = "-";  // as a patch

/// The cache folder for these files and this kernel. The same input always gives the same folder.
/// @param flags  options of tools/build-drivers that change the code
fs::path folder_for(const std::vector<std::string>& files, const std::string& base, const Arguments& flags) {
  std::string key = fmt::format("{} {}", base, fmt::join(flags, " "));
  for (const std::string& file : files) key += '\n' + fs::weakly_canonical(file).generic_string();
  std::uint64_t sum = 14695981039346656037U;  // FNV-1a
  for (const char c : key) sum = (sum ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return cache_folder() / fmt::format("drivers-{:016x}", sum);
}

/// @throws InputError unless they are headers, and C files of different modules
void check_sources(const std::vector<std::string>& files) {
  std::map<std::string, std::string> modules;  // and the file of each; names of modules have _ for -
  for (const std::string& file : files) {
    std::error_code error;
    if (!fs::exists(file, error)) throw InputError(fmt::format("there is no file '{}'", file));
    if (!fs::is_regular_file(file, error)) throw InputError(fmt::format("'{}' is not an ordinary file", file));
    scenario::note_input(file);
    if (fs::path(file).extension() == ".h") continue;
    if (fs::path(file).extension() != ".c")
      throw InputError(fmt::format("'{}' is not a C file", file),
                       "give the driver's source, or a header of the kernel's; --patch takes a patch or a mailbox");
    if (const auto [other, is_new] = modules.emplace(driver_host::module_of(file), file); !is_new)
      throw InputError(fmt::format("'{}' and '{}' are both the driver {}", other->second, file, other->first),
                       "give one of them, or rename one");
  }
}

/// A module of that name can be loaded once.
/// @throws InputError if a file has the module name of another file of the kernel's
void check_names(const std::vector<std::string>& files, const driver_host::DriverSet& stock) {
  const std::vector<driver_host::DriverFile> known = driver_host::files_in(stock.library);
  for (const std::string& file : files) {
    const fs::path name = fs::path(file).filename();
    if (name.extension() != ".c") continue;
    for (const driver_host::DriverFile& kernels : known) {
      const fs::path other = fs::path(kernels.file).filename();
      if (other.extension() == ".c" && other != name && driver_host::module_of(other) == driver_host::module_of(name))
        throw InputError(fmt::format("'{}' has the module name of the kernel's {}", file, other.string()),
                         fmt::format("call it {} to replace that, or choose another name", other.string()));
    }
  }
}

/// @throws InputError unless there is such a folder, and such files
void check_changes(const std::string& tree, const std::vector<std::string>& patches) {
  std::error_code error;
  if (!tree.empty() && !fs::is_directory(tree, error)) throw InputError(fmt::format("there is no folder '{}'", tree));
  for (const std::string& patch : patches) {
    if (patch == kStandardInput) continue;
    if (!fs::is_regular_file(patch, error)) throw InputError(fmt::format("there is no file '{}'", patch));
    scenario::note_input(patch);
  }
}

/// @return the library's name if the user gives none: beside the file; in the current folder, with the name of the tree
/// @throws InputError of the standard input, which has no name
fs::path usual_output(fs::path input) {
  std::error_code error;
  if (input == kStandardInput)
    throw InputError("a patch from the standard input needs a name for the library", "add -o FILE.so");
  if (input.extension() == ".gz") input.replace_extension();
  if (!fs::is_directory(input, error)) return input.replace_extension(".so");
  input = fs::canonical(input);  // "linux/", or "."
  return input.filename() += ".so";
}

/// Copy a library to the place the user named. A library in use keeps its content, because the new file replaces its
/// name.
void deliver(const fs::path& library, const fs::path& output) {
  std::ifstream in(library, std::ios::binary);
  if (!in) throw InputError(fmt::format("cannot read '{}'", library.generic_string()));
  write_file(output, std::string(std::istreambuf_iterator<char>(in), {}));
}

/// @param code  of the script, which did not succeed
/// @throws InputError if a full disk is likely to be the reason
int code_of_build(int code, const fs::path& folder) {
  for (const fs::path& disk : {folder, temporary_folder()}) {
    if (is_full(disk))
      throw InputError(
          fmt::format("the drivers could not be built: nothing can be written to '{}'", disk.generic_string()),
          "is the disk full?");
  }
  return code == kBadInput || code == kUnfitPatch ? kBadInput : kCheckFailed;
}

/// What the user did not name and the script compiled again: "; changed: arm_cspmu.c (with my/arm_cspmu.h)".
std::string changed_files(const fs::path& manifest) {
  std::vector<std::string> changes;
  std::ifstream in(manifest);
  for (std::string line; std::getline(in, line);) {
    constexpr std::string_view kMark = "changed ";
    if (!line.starts_with(kMark)) continue;
    const std::size_t name = line.find(' ', kMark.size());
    const std::string file = line.substr(kMark.size(), name - kMark.size());
    const std::size_t headers = line.find_first_not_of(' ', name);  // there may be none
    changes.push_back(headers == std::string::npos ? file : fmt::format("{} (with {})", file, line.substr(headers)));
  }
  return changes.empty() ? "" : fmt::format("; changed: {}", fmt::join(changes, ", "));
}

/// @param sources  folder of kernel sources; empty: the usual one
/// @return the arguments of tools/build-drivers for a kernel
Arguments base_words(const std::string& base, std::string sources) {
  Arguments words = {"--base", base};
  if (sources.empty() && is_installed()) sources = fetched_sources().string();
  if (!sources.empty()) words.insert(words.end(), {"--sources", sources});
  return words;
}

int build(const Request& request) {
  const std::vector<std::string>& files = request.words;
  const std::string tree = request.options["tree"].as<std::string>();
  const auto patches = values_of(request.options, "patch");
  std::vector<std::string> inputs = files;  // as the user names them
  inputs.insert(inputs.end(), patches.begin(), patches.end());
  if (!tree.empty()) inputs.push_back(tree);
  if (inputs.empty()) throw InputError("no driver is given", "name its C file: pmufab driver build my/nvidia_cspmu.c");
  check_sources(files);
  check_changes(tree, patches);
  const driver_host::DriverSet stock = find_stock_drivers().back();
  check_names(files, stock);
  std::string base = request.options["base"].as<std::string>();
  if (base.empty()) base = stock.kernel_version;
  Arguments flags;
  for (const char* const option : {"sanitize", "debug"}) {
    if (request.options[option].as<bool>()) flags.push_back(fmt::format("--{}", option));
  }
  const fs::path folder = folder_for(inputs, base, flags);
  fs::path output = request.options["output"].as<std::string>();
  if (output.empty()) output = usual_output(inputs.front());
  check_writable(output);

  std::vector<std::string> words = base_words(base, request.options["sources"].as<std::string>());
  words.insert(words.end(), flags.begin(), flags.end());
  words.insert(words.end(), {"--like", stock.library.parent_path().parent_path().string()});
  for (const std::string& file : files) words.insert(words.end(), {"--driver", file});
  if (!tree.empty()) words.insert(words.end(), {"--tree", tree});
  for (const std::string& patch : patches) words.insert(words.end(), {"--patch", patch});
  words.push_back(folder.string());
  const FolderLock lock(folder, "pmufab driver build of the same files");
  if (const int code = run_script("build-drivers", words); code != 0) return code_of_build(code, folder.parent_path());
  const driver_host::DriverSet built = driver_host::find_driver_sets(folder).back();
  deliver(built.library, output);
  trim_cache(folder.parent_path(), folder);
  std::ranges::replace(inputs, std::string("-"), std::string("the standard input"));
  fmt::print("{}: Linux {} with {}{}\n", output.generic_string(), built.kernel_version, fmt::join(inputs, ", "),
             changed_files(built.library.parent_path() / "manifest.txt"));
  return kPassed;
}

int fetch(const Request& request) {
  Arguments words;
  for (const char* option : {"from", "mirror"}) {
    const std::string value = request.options[option].as<std::string>();
    if (!value.empty()) words.insert(words.end(), {fmt::format("--{}", option), value});
  }
  for (const char* option : {"newest", "refresh"}) {
    if (request.options[option].as<bool>()) words.push_back(fmt::format("--{}", option));
  }
  const fs::path sources = fetched_sources();
  const fs::path folder = driver_folder_to_fill();
  words.push_back(sources.string());
  const FolderLock lock(folder, "pmufab driver fetch");
  if (const int code = run_script("fetch-linux-sources", words); code != 0) return kBadInput;
  if (const int code = run_script("build-drivers", {"--sources", sources.string(), folder.string()}); code != 0)
    return code_of_build(code, folder);
  fmt::print("Driver sets in {}:\n", folder.generic_string());
  for (const driver_host::DriverSet& set : driver_host::find_driver_sets(folder))
    fmt::print("  Linux {}\n", set.kernel_version);
  return kPassed;
}

}  // namespace

fs::path build_debug_drivers(const std::string& version) {
  fs::path folder = cache_folder() / ("drivers-debug-" + version);
  Arguments words = base_words(version, "");
  words.insert(words.end(), {"--debug", folder.string()});
  const FolderLock lock(folder, "build of drivers for gdb");
  if (run_script("build-drivers", words) != 0)
    throw InputError(fmt::format("the drivers of Linux {} could not be built for a debugger", version),
                     "--driver FILE.so or --driver-dir DIR takes drivers that are built");
  return folder;
}

Command driver_build_command() {
  return {
      .name = "driver build",
      .arguments = "[options] [FILE]...",
      .summary = "compile your own drivers into a library for --driver",
      .description =
          R"(FILE is a driver's C file. It replaces the kernel's file of the same name. If the kernel has none of that name, FILE is
added. FILE can be a header too. A header that has the name of one of the kernel's, given or beside a given C file,
replaces that in all drivers that include it. --tree takes the drivers from your kernel tree, --patch changes those of
the kernel: a diff, a mail or a mailbox, compressed by gzip or not. Of a mailbox, the patches of the newest version of a
series are applied in their order. What a patch changes besides drivers is named and left out. All other drivers are the kernel's. The result is one shared library. Other commands load it with --driver,
in place of the stock drivers. Only files that changed since the last build are compiled again.

Drivers built with --sanitize need libasan, which comes with gcc. Commands with --driver preload it by themselves, and
add detect_leaks=0 to ASAN_OPTIONS.)",
      .options =
          {
              text("output,o", "FILE.so",
                   "library to write (default: beside the first FILE or patch; of a tree, in the current folder)"),
              text("tree", "DIR", "kernel tree, or a part of one: the drivers that it has are taken from there"),
              list("patch", "FILE",
                   "apply a patch, as git writes it, to a copy of the drivers; - is the standard input; may be given "
                   "several times"),
              text("base", "V", "kernel version of the other drivers, such as 7.3 or 7.3.4 (default: the newest)"),
              text("sources", "DIR", "folder of kernel sources (default: the build's, or that of pmufab driver fetch)"),
              flag("sanitize", "build with AddressSanitizer and UndefinedBehaviorSanitizer"),
              flag("debug", "build for a debugger, with -O0 in place of -O2: parameters and variables are all there"),
          },
      .words = Words::sources,
      .examples = {{"pmufab driver build my/nvidia_cspmu.c", "makes my/nvidia_cspmu.so"},
                   {"pmufab run ucf-basic --driver my/nvidia_cspmu.so"},
                   {"pmufab driver build my/arm-cmn.c --base 6.12 -o old.so"},
                   {"pmufab driver build --patch 0001-perf-arm-cmn.patch -o patched.so"},
                   {"b4 am -o - MESSAGE-ID | pmufab driver build --patch - -o patched.so"},
                   {"pmufab driver build --tree ~/linux", "makes linux.so in the current folder"}},
      .exit_codes = {{"0", "the library was built"},
                     {"1", "the driver does not compile or link; the compiler's messages say where"},
                     {"2", "bad input, or output that could not be written"},
                     {"3", "an internal error"}},
      .run = build,
  };
}

Command driver_fetch_command() {
  return {
      .name = "driver fetch",
      .arguments = "[options]",
      .summary = "fetch the sources of Linux PMU drivers from Debian, and build driver sets from them",
      .description =
          R"(Asks a Debian mirror for its kernels, fetches the linux-source package of each (about 150 MB), keeps the folders of
the drivers, and compiles a driver set for each kernel. Sources go to the cache folder. Driver sets go to $PMUFAB_DRIVERS
if that is set, otherwise to the cache folder. The other commands find them there. Kernels that are there already are not
fetched again. gcc is needed, root is not.

The drivers are licensed under GPL-2.0. That is why they are built on your machine and do not come with pmufab.)",
      .options =
          {
              text("from", "DIR", "take the drivers from this Linux source tree, not from Debian"),
              text("mirror", "URL", "Debian mirror (default: the mirror of this machine's packages)"),
              flag("newest", "only the newest kernel"),
              flag("refresh", "ask the mirror again and fetch newer point releases"),
          },
      .examples = {{"pmufab driver fetch"}, {"pmufab driver fetch --from ~/linux"}},
      .exit_codes = {{"0", "the driver sets are there"},
                     {"1", "the drivers of a kernel do not build"},
                     {"2", "the sources cannot be fetched, or there is no compiler"},
                     {"3", "an internal error"}},
      .run = fetch,
  };
}

}  // namespace pmufab::cli
