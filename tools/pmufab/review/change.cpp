// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/review/change.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "testbench/run/process/child_process.h"
#include "testbench/run/yaml/input_error.h"
#include "testbench/run/yaml/input_file.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/driver/further_drivers.h"
#include "tools/pmufab/output.h"
#include "tools/pmufab/places.h"
#include "tools/pmufab/user_program.h"

namespace pmufab::cli {
namespace {

namespace fs = std::filesystem;
using scenario::InputError;

bool is_c_source(const std::string& word) {
  return fs::path(word).extension() == ".c" || fs::path(word).extension() == ".h";
}

/// The patches of a revision or a range, as mails. @throws InputError if git knows none
fs::path ask_git(const std::string& range, const fs::path& folder) {
  if (const std::size_t dots = range.find("..."); dots != std::string::npos)
    throw InputError(fmt::format("'{}' has the commits of both sides", range),
                     fmt::format("give {}..{}", range.substr(0, dots), range.substr(dots + 3)));
  // A revision alone is what it changes beside its parent: nothing, if that is no driver, or if it is a merge. A range of a
  // kernel has thousands of other patches.
  const ProgramReply reply =
      ask_program({"git", "format-patch", "--stdout", "--full-diff", "--src-prefix=a/", "--dst-prefix=b/",
                   range.find("..") == std::string::npos ? range + "^!" : range, "--", ":/drivers/perf",
                   ":/drivers/cxl", ":/drivers/acpi/arm64", ":/include/cxl", ":/include/soc/amlogic",
                   ":/include/linux/pci_ids.h", ":/include/linux/pcie-dwc.h"});
  if (reply.exit_code == kNoSuchProgram)
    throw InputError(fmt::format("there is no file '{}'", range), "a range of commits needs the program git");
  if (reply.exit_code != 0)
    throw InputError(fmt::format("there is no file '{}', and it is no commit of the current folder", range),
                     "give a patch, a mailbox, a C file, - or a range such as HEAD~2..HEAD");
  if (reply.out.empty()) {
    const bool is_merge = ask_program({"git", "rev-parse", "--verify", "--quiet", range + "^2"}).exit_code == 0;
    throw InputError(fmt::format("no commit of '{}' changes a PMU driver", range),
                     is_merge ? fmt::format("it is a merge, of {0}^1..{0}", range) : "");
  }
  fs::path file = folder / fmt::format("range-{:016x}.mbox", std::hash<std::string>()(range));
  write_file(file, reply.out);
  return file;
}

/// Patches one by one, in their order. @param given  files, or "-"
std::vector<PatchFile> split_patches(const std::vector<std::string>& given, const fs::path& folder) {
  Arguments words = {"--split", folder.string()};
  for (const std::string& patch : given) words.insert(words.end(), {"--patch", patch});
  fs::create_directories(folder);
  if (run_script("build-drivers", words, ScriptOutput::error) != 0) throw InputError("the patches cannot be read");
  std::vector<PatchFile> patches;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".patch") continue;
    patches.push_back({entry.path(), first_line_of(fs::path(entry.path()).replace_extension(".subject"))});
  }
  std::ranges::sort(patches, {}, &PatchFile::file);
  return patches;
}

/// "[PATCH v2 2/4] perf: x" -> "perf: x"
std::string without_tags(const std::string& subject) {
  constexpr std::string_view kBlank = " \t";
  std::size_t begin = subject.find_first_not_of(kBlank);
  while (begin != std::string::npos && subject[begin] == '[') {
    const std::size_t end = subject.find(']', begin);
    if (end == std::string::npos) break;
    begin = subject.find_first_not_of(kBlank, end + 1);
  }
  return begin == std::string::npos ? std::string() : subject.substr(begin);
}

/// @param cover  subject of a cover letter; empty: there is none
std::string title_of(const Change& change, const std::string& cover, const std::vector<std::string>& words) {
  if (!cover.empty() && change.patches.size() > 1)
    return fmt::format("{} ({} patches)", without_tags(cover), change.patches.size());
  if (!change.patches.empty() && !change.patches.front().subject.empty()) {
    const std::size_t more = change.patches.size() - 1;
    return without_tags(change.patches.front().subject) + (more == 0   ? ""
                                                           : more == 1 ? " (and 1 more patch)"
                                                                       : fmt::format(" (and {} more patches)", more));
  }
  return change.tree.empty() ? fmt::format("{}", fmt::join(words, ", ")) : change.tree;
}

/// The kernel's file that a file of the user's replaces; empty: there is none.
fs::path kernels_file(const fs::path& source, const fs::path& given) {
  fs::path best;
  std::size_t most = 0;
  std::error_code error;
  for (const char* const part : {"drivers/perf", "drivers/cxl", "drivers/acpi/arm64", "include"}) {
    for (fs::recursive_directory_iterator entry(source / part, error), end; !error && entry != end;
         entry.increment(error)) {
      if (entry->path().filename() != given.filename()) continue;
      // The one whose last folders are the same.
      auto mine = std::make_reverse_iterator(given.end());
      auto theirs = std::make_reverse_iterator(entry->path().end());
      std::size_t same = 0;
      while (mine != std::make_reverse_iterator(given.begin()) && *mine == *theirs) ++mine, ++theirs, ++same;
      if (same <= most) continue;
      most = same;
      best = entry->path();
    }
  }
  return best;
}

/// What differs between the kernel's sources and the copy that has been built.
void add_changed_files(const fs::path& source, const fs::path& copy, std::vector<ChangedFile>& files) {
  std::error_code error;
  for (fs::recursive_directory_iterator entry(copy, error), end; !error && entry != end; entry.increment(error)) {
    if (!entry->is_regular_file(error) || !is_c_source(entry->path().string())) continue;
    const fs::path name = entry->path().lexically_relative(copy);
    const bool is_new = !fs::exists(source / name, error);
    if (is_new || content_of(source / name) != content_of(entry->path()))
      files.push_back({name.generic_string(), is_new ? fs::path() : source / name, entry->path()});
  }
}

}  // namespace

std::string content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string resolved(const std::string& word) {
  std::error_code error;
  if (word == "-" || fs::exists(word, error)) return word;
  const ProgramReply reply = ask_program({"git", "rev-parse", "--short=12", word});
  std::istringstream lines(reply.out);
  std::string last;
  std::string first;
  if (reply.exit_code != 0 || !std::getline(lines, last)) return word;
  const bool is_range = std::getline(lines, first) && first.starts_with('^');
  return is_range ? fmt::format("{}..{}", first.substr(1), last) : last;
}

Change read_change(const std::vector<std::string>& words, const std::string& tree, const fs::path& scratch) {
  Change change;
  change.tree = tree;
  change.build = "pmufab driver build";
  if (!tree.empty()) change.build += " --tree " + process::shell_word(tree);
  std::string mails;  // commands that write those of ranges
  std::vector<std::string> patches;
  for (const std::string& word : words) {
    std::error_code error;
    if (word != "-" && fs::is_directory(word, error))
      throw InputError(fmt::format("'{}' is a folder", word), "--tree names a kernel tree");
    if (is_c_source(word)) {
      if (!fs::exists(word, error)) throw InputError(fmt::format("there is no file '{}'", word));
      scenario::note_input(word);
      change.files.push_back(word);
      change.build += " " + process::shell_word(word);
    } else if (word == "-" || fs::exists(word, error)) {
      if (word != "-") scenario::note_input(word);
      if (std::ranges::find(patches, word) != patches.end())
        throw InputError(fmt::format("'{}' is given twice", word), "give it once");
      patches.push_back(word);
      change.build += " --patch " + process::shell_word(word);
    } else {
      patches.push_back(ask_git(word, scratch).string());
      const std::string commits = resolved(word);
      const char* const one = commits.find("..") == std::string::npos ? "-1 " : "";
      if (mails.empty()) change.build += " --patch -";
      mails += fmt::format("git format-patch --stdout {}{}; ", one, process::shell_word(commits));
    }
  }
  if (!mails.empty()) change.build = fmt::format("({}) | {}", mails.substr(0, mails.size() - 2), change.build);
  const int kinds =
      static_cast<int>(!patches.empty()) + static_cast<int>(!change.files.empty()) + static_cast<int>(!tree.empty());
  if (kinds == 0)
    throw InputError("there is nothing to review",
                     "give a patch, a mailbox, -, a range of commits, C files, or --tree DIR");
  if (kinds > 1) throw InputError("patches, files and a tree are different things to review", "give one of them");
  if (!patches.empty()) change.patches = split_patches(patches, scratch / "patches");
  change.title = title_of(change, first_line_of(scratch / "patches" / "cover.subject"), words);
  return change;
}

ChangedDrivers build_change(const Change& change, std::size_t patches, const driver_host::DriverSet& stock,
                            const fs::path& folder) {
  const std::string& version = stock.kernel_version;
  Arguments words = {"--base",
                     version,
                     "--coverage",
                     "--sources",
                     kernel_sources().string(),
                     "--like",
                     stock.library.parent_path().parent_path().string()};
  for (std::size_t i = 0; i < patches; ++i) words.insert(words.end(), {"--patch", change.patches[i].file.string()});
  for (const std::string& file : change.files) words.insert(words.end(), {"--driver", file});
  if (!change.tree.empty()) words.insert(words.end(), {"--tree", change.tree});
  // Of a series, a later patch may be the first that changes one of them.
  for (const FurtherDriver& one : further_drivers()) {
    if (stock.holds(one.module)) words.insert(words.end(), {"--module", one.module});
  }
  words.push_back(folder.string());
  const int code = run_script("build-drivers", words, ScriptOutput::error);
  if (code == kUnfitPatch)
    throw UnfitError(fmt::format("the change does not fit the drivers of Linux {}", version),
                     "--base V names another kernel");
  if (code == kBadInput) throw InputError("nothing of the change can be reviewed");
  std::error_code error;
  if (code != 0 && !fs::exists(folder / version / "FAILED", error))
    throw std::runtime_error(fmt::format("the drivers could not be built (tools/build-drivers ended with {})", code));
  ChangedDrivers drivers;
  const fs::path source = source_of(version);
  drivers.objects = folder / version / "obj";
  add_changed_files(source, folder / version / "source", drivers.files);
  for (const std::string& file : change.files) {
    if (fs::path(file).extension() == ".h") continue;  // its copy has been added
    const fs::path given = fs::absolute(file);
    const fs::path before = kernels_file(source, given);
    if (!before.empty() && content_of(before) == content_of(given)) continue;
    drivers.files.push_back(
        {before.empty() ? given.filename().string() : before.lexically_relative(source).generic_string(), before,
         given});
  }
  if (code != 0) return drivers;
  const std::vector<driver_host::DriverSet> sets = driver_host::find_driver_sets(folder);
  const auto own = std::ranges::find(sets, version, &driver_host::DriverSet::kernel_version);
  if (own != sets.end()) drivers.set = std::make_shared<const driver_host::DriverSet>(*own);
  return drivers;
}

}  // namespace pmufab::cli
