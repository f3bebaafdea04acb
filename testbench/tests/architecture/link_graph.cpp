// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "testbench/tests/architecture/architecture.h"

namespace pmufab::architecture {
namespace {

/// "pmufab_tlm" and "pmufab::tlm" are "tlm", the command is "command"; others stay.
std::string short_name(const std::string& name) {
  if (name == "pmufab") return "command";
  for (const std::string_view prefix : {"pmufab_", "pmufab::"}) {
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  }
  return name;
}

bool is_below(const std::string& file, const std::string& folder) { return file.starts_with(folder + "/"); }

}  // namespace

LinkGraph LinkGraph::read(std::istream& text) {
  LinkGraph graph;
  Target* target = nullptr;
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::string kind;
    std::string name;
    words >> kind >> name;
    if (kind == "target") {
      target = &graph.targets_[short_name(name)];
      target->name = short_name(name);
      words >> target->type >> target->folder;
      continue;
    }
    const bool is_part = target != nullptr && !name.empty();
    if (is_part && kind == "source") {
      target->sources.insert(name);
    } else if (is_part && kind == "public") {
      target->public_links.insert(short_name(name));
    } else if (is_part && kind == "private") {
      target->private_links.insert(short_name(name));
    } else {
      throw std::runtime_error("not a line of a link graph: " + line);
    }
  }
  return graph;
}

std::set<std::string> LinkGraph::visible_through(const std::string& target) const {
  std::set<std::string> seen{target};
  std::vector<std::string> open{target};
  while (!open.empty()) {
    const auto found = targets_.find(open.back());
    open.pop_back();
    if (found == targets_.end()) continue;  // an external library
    for (const std::string& link : found->second.public_links) {
      if (seen.insert(link).second) open.push_back(link);
    }
  }
  return seen;
}

std::set<std::string> LinkGraph::visible_to_sources_of(const std::string& target) const {
  std::set<std::string> seen = visible_through(target);
  for (const std::string& link : targets_.at(target).private_links) seen.merge(visible_through(link));
  // A test program that compiles a file of a library also has the library's headers.
  for (const std::string& file : targets_.at(target).sources) {
    if (const std::string library = library_of(file); !library.empty()) seen.insert(library);
  }
  return seen;
}

std::string LinkGraph::library_of(const std::string& file) const {
  if (is_of_programs(file)) return {};
  const Target* nearest = nullptr;
  for (const auto& [name, target] : targets_) {
    const bool is_library = target.type.ends_with("_LIBRARY") || name == "command";
    if (!is_library || is_of_programs(target.folder + "/")) continue;
    if (target.sources.contains(file)) return name;
    // A header-only library that lists its headers has no folder of its own.
    if (target.type == "INTERFACE_LIBRARY" && !target.sources.empty()) continue;
    if (!is_below(file, target.folder)) continue;
    if (nearest == nullptr || target.folder.size() > nearest->folder.size()) nearest = &target;
  }
  return nearest == nullptr ? std::string() : nearest->name;
}

std::vector<std::string> LinkGraph::targets_with(const std::string& file) const {
  std::vector<std::string> found;
  for (const auto& [name, target] : targets_) {
    if (target.sources.contains(file)) found.push_back(name);
  }
  return found;
}

}  // namespace pmufab::architecture
