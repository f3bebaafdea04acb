// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/review/function_coverage.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/pmufab/user_program.h"

namespace pmufab::cli {
namespace {

namespace fs = std::filesystem;
using Gcov = nlohmann::json;  // what it prints
using Numbers = std::set<std::uint64_t>;

/// @return the lines of the new text that differ; where lines were only taken out, both beside the gap
Numbers changed_lines(const ChangedFile& file) {
  static const std::regex hunk(R"(^@@ -\d+(,\d+)? \+(\d+)(,(\d+))? @@)");
  const ProgramReply reply =
      ask_program({"diff", "-U0", file.before.empty() ? "/dev/null" : file.before.string(), file.after.string()});
  Numbers lines;
  std::istringstream text(reply.out);
  for (std::string line; std::getline(text, line);) {
    std::smatch found;
    if (!std::regex_search(line, found, hunk)) continue;
    const std::uint64_t first = std::stoull(found[2]);
    const std::uint64_t count = found[4].matched ? std::stoull(found[4]) : 1;
    const std::uint64_t shown = count == 0 ? 2 : count;
    for (std::uint64_t i = 0; i < shown; ++i) lines.insert(first + i);
  }
  return lines;
}

std::vector<std::string> lines_of(const fs::path& file) {
  std::vector<std::string> lines;
  std::istringstream text(content_of(file));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

/// @return functions that a file defines, in the kernel's style: each begins at the start of a line
std::set<std::string> functions_of(const fs::path& file) {
  constexpr std::size_t kLongestHead = 1000;  // std::regex takes stack for each letter
  static const std::regex begin(R"(^[A-Za-z_][^=;"/]*?\b(\w+)\([^;=]*$)");
  std::set<std::string> names;
  std::smatch found;
  for (const std::string& line : lines_of(file)) {
    if (line.size() < kLongestHead && std::regex_search(line, found, begin)) names.insert(found[1]);
  }
  return names;
}

/// A line of a file, as gcov tells of it. A header is in several objects.
struct Line {
  std::uint64_t count = 0;
  std::vector<std::uint64_t> branches;  // how often each way was taken
};
struct Function {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t calls = 0;
};
struct Measured {
  std::map<std::uint64_t, Line> lines;
  std::map<std::string, Function> functions;
};

void add_file(const Gcov& json, Measured& file) {
  for (const Gcov& one : json.at("lines")) {
    Line& line = file.lines[one.at("line_number").get<std::uint64_t>()];
    line.count += one.at("count").get<std::uint64_t>();
    const Gcov& branches = one.at("branches");
    line.branches.resize(std::max(line.branches.size(), branches.size()));
    for (std::size_t i = 0; i < branches.size(); ++i) line.branches[i] += branches[i].at("count").get<std::uint64_t>();
  }
  for (const Gcov& one : json.at("functions")) {
    Function& function = file.functions[one.at("name").get<std::string>()];
    function.first = one.at("start_line").get<std::uint64_t>();
    function.last = one.at("end_line").get<std::uint64_t>();
    function.calls += one.at("execution_count").get<std::uint64_t>();
  }
}

/// @return by canonical path; nothing if there is no gcov, or the compiler counts nothing
std::map<fs::path, Measured> ask_gcov(const fs::path& objects) {
  std::map<fs::path, Measured> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(objects, error)) {
    if (entry.path().extension() != ".gcno") continue;
    const ProgramReply reply = ask_program({"gcov", "--json-format", "--stdout", "-b", entry.path().string()});
    const Gcov json = Gcov::parse(reply.out, nullptr, false);
    if (reply.exit_code != 0 || !json.is_object()) continue;
    try {
      const fs::path folder = json.value("current_working_directory", "");
      for (const Gcov& file : json.at("files")) {
        const fs::path place = fs::weakly_canonical(folder / file.at("file").get<std::string>(), error);
        add_file(file, files[place]);
      }
    } catch (const Gcov::exception&) {
      continue;  // what another gcov prints is not known here
    }
  }
  return files;
}

/// @return the function with that line; end() if it is in none
auto function_at(const Measured& file, std::uint64_t line) {
  return std::ranges::find_if(
      file.functions, [line](const auto& entry) { return entry.second.first <= line && line <= entry.second.last; });
}

/// A jump often has no code of its own, and is a way out of the branch before it.
/// @return that branch, if the line is such a jump; end() otherwise
auto branch_before(const Measured& file, std::uint64_t number, const std::string& text) {
  constexpr std::uint64_t kMostLines = 2;  // of a condition that goes on in the next line, and of the jump
  static const std::regex jump(R"(^\s*(return|goto|break|continue)\b)");
  const auto after = file.lines.lower_bound(number);
  const bool is_way_out =
      std::regex_search(text, jump) && after != file.lines.begin() && number - std::prev(after)->first <= kMostLines;
  return is_way_out ? std::prev(after) : file.lines.end();
}

}  // namespace

FunctionCoverage read_coverage(const ChangedDrivers& drivers) {
  FunctionCoverage coverage;
  const std::map<fs::path, Measured> files = ask_gcov(drivers.objects);
  coverage.is_measured = !files.empty();
  for (const ChangedFile& changed : drivers.files) {
    std::error_code error;
    const auto found = files.find(fs::weakly_canonical(changed.after, error));
    static const Measured nothing;
    const Measured& file = found == files.end() ? nothing : found->second;
    std::map<std::string, ChangedFunction> functions;
    const std::vector<std::string> texts = lines_of(changed.after);
    Numbers counted;  // branches
    for (const std::uint64_t number : changed_lines(changed)) {
      const auto around = function_at(file, number);
      const std::string name = around == file.functions.end() ? "" : around->first;
      ChangedFunction& function = functions[name];
      function.file = fs::path(changed.name).filename().string();
      function.name = name;
      if (around != file.functions.end()) function.calls = around->second.calls;
      auto line = file.lines.find(number);
      if (line != file.lines.end()) {
        function.lines.push_back(number);
        if (line->second.count == 0) function.not_run.push_back(number);
      } else if (number <= texts.size()) {
        line = branch_before(file, number, texts[number - 1]);
      }
      if (line == file.lines.end() || !counted.insert(line->first).second) continue;
      function.branches += line->second.branches.size();
      function.branches_not_taken +=
          static_cast<std::uint64_t>(std::ranges::count(line->second.branches, std::uint64_t{0}));
    }
    const std::set<std::string> now = functions_of(changed.after);
    for (const std::string& name : changed.before.empty() ? std::set<std::string>() : functions_of(changed.before)) {
      if (now.contains(name)) continue;
      ChangedFunction& removed = functions[name];
      removed.file = fs::path(changed.name).filename().string();
      removed.name = name;
      removed.is_removed = true;
      // Lines beside the gap that it leaves are no change outside of functions.
      if (const auto outside = functions.find(""); outside != functions.end() && outside->second.lines.empty())
        functions.erase(outside);
    }
    for (auto& [name, function] : functions) coverage.functions.push_back(std::move(function));
  }
  return coverage;
}

std::string ranges_text(const std::vector<std::uint64_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", numbers[i]);
    if (last > i) text += fmt::format("-{}", numbers[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace pmufab::cli
