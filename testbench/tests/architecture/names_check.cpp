// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cctype>
#include <fstream>
#include <regex>

#include <fmt/format.h>

#include "testbench/tests/architecture/architecture.h"

namespace pmufab::architecture {
namespace {

constexpr const char* kListOfKinds = "testbench/fabrics/fabric_kinds.cpp";

/// Code that names fabrics that are not its own, for a reason. Six at most: a seventh is a fabric that does not tell
/// something of itself by its FabricKind or its PartSpec.
struct NameException {
  const char* files;  // a regular expression
  const char* reason;
};
constexpr std::array<NameException, 6> kExceptions{{
    {"(models|testbench/fabrics)/soc/.*", "PMUs by description count what other fabrics cause"},
    {"(models|testbench/fabrics)/plugin/.*", "sources of plug-ins are sources of PMUs by description"},
    {"testbench/doors/shell/sysfs_tree\\.cpp", "Linux shows memory devices of CXL in a tree of their own"},
    {"tools/pmufab/map/.*", "the command draws meshes"},
    {"tools/pmufab/commands/trace_command\\.cpp", "the command records and converts CXL operations"},
    {"testbench/(tests|bench|fuzz|fabrics/[a-z0-9]+/tests)/.*", "programs that try whole platforms"},
}};

/// @return the fabric whose room a file lies in; "": none
std::string room_of(const std::string& file, const std::set<std::string>& fabrics) {
  for (const std::string_view rooms : {"models/", "testbench/fabrics/"}) {
    if (!file.starts_with(rooms)) continue;
    std::string name = file.substr(rooms.size(), file.find('/', rooms.size()) - rooms.size());
    if (fabrics.contains(name)) return name;
  }
  return {};
}

/// @return whether a line has `namespace::`, and not as a part of another name
bool uses_namespace(const std::string& line, const std::string& name) {
  const std::string word = name + "::";
  for (std::size_t at = line.find(word); at != std::string::npos; at = line.find(word, at + 1)) {
    const char before = at == 0 ? ' ' : line[at - 1];
    if (before == ':' && at >= 8 && line.compare(at - 8, 8, "pmufab::") == 0) return true;
    if (std::isalnum(static_cast<unsigned char>(before)) == 0 && before != '_' && before != ':') return true;
  }
  return false;
}

/// @return the fabrics, other than that of its own room, which a file names, each with the line
std::vector<std::pair<std::string, unsigned>> named_in(const std::filesystem::path& root, const std::string& file,
                                                       const std::set<std::string>& fabrics) {
  const std::string own = room_of(file, fabrics);
  std::vector<std::pair<std::string, unsigned>> named;
  for (const Include& include : includes_of(root, file)) {
    if (const std::string other = room_of(include.target, fabrics); !other.empty() && other != own)
      named.emplace_back(other, include.line);
  }
  std::ifstream text(root / file);
  unsigned number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    line.resize(std::min(line.size(), line.find("//")));
    for (const std::string& fabric : fabrics) {
      if (fabric != own && uses_namespace(line, fabric)) named.emplace_back(fabric, number);
    }
  }
  return named;
}

}  // namespace

Complaints check_names(const std::filesystem::path& root, const std::set<std::string>& fabrics) {
  Complaints complaints;
  std::array<bool, kExceptions.size()> is_used{};
  for (const std::string& file : code_files(root)) {
    if (file == kListOfKinds) continue;
    const auto named = named_in(root, file, fabrics);
    if (named.empty()) continue;
    bool is_exception = false;
    for (std::size_t index = 0; index < kExceptions.size(); ++index) {
      if (!std::regex_match(file, std::regex(kExceptions[index].files))) continue;
      is_exception = is_used[index] = true;
    }
    if (is_exception) continue;
    for (const auto& [fabric, line] : named)
      complaints.push_back(fmt::format("{}:{}: names the fabric {}, whose room it is not in", file, line, fabric));
  }
  for (std::size_t index = 0; index < kExceptions.size(); ++index) {
    if (!is_used[index] && std::filesystem::exists(root / kListOfKinds))
      complaints.push_back(
          fmt::format("no file needs the exception {} ({})", kExceptions[index].files, kExceptions[index].reason));
  }
  return complaints;
}

}  // namespace pmufab::architecture
