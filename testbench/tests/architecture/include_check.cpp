// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <fstream>
#include <regex>
#include <utility>

#include <fmt/format.h>

#include "testbench/tests/architecture/architecture.h"

namespace pmufab::architecture {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> kRooms{"tlm", "models", "testbench", "tools"};
constexpr std::array<std::string_view, 4> kRoomsOfPrograms{"testbench/tests/", "testbench/bench/", "testbench/fuzz/",
                                                           "testbench/support/"};

/// Files that scripts compile, or that are compiled on their own: they belong to no target.
struct UntargetedFolder {
  std::string_view path;
  std::string_view reason;
};
constexpr std::array<UntargetedFolder, 1> kWithoutTarget{{
    {"testbench/host/runtime/", "tools/build-drivers compiles it into each kernel's module"},
}};

/// The headers of an external library, and the names of its targets.
struct External {
  std::string_view headers;
  std::string_view targets;
};
constexpr std::array<External, 14> kExternal{{{"fmt/", "fmt::"},
                                              {"nlohmann/", "nlohmann_json::"},
                                              {"yaml-cpp/", "yaml-cpp::"},
                                              {"boost/", "Boost::"},
                                              {"systemc", "SystemC::"},
                                              {"tlm_utils/", "SystemC::"},
                                              {"sysc/", "SystemC::"},
                                              {"gtest/", "GTest::"},
                                              {"gmock/", "GTest::"},
                                              {"benchmark/", "benchmark::"},
                                              {"libfdt.h", "LibFdt::"},
                                              {"pugixml.hpp", "pugixml::"},
                                              {"muParser.h", "muparser::"},
                                              {"sqlite3.h", "SQLite::"}}};

std::string_view external_of(const std::string& include) {
  if (include == "tlm") return "SystemC::";
  for (const External& external : kExternal) {
    if (include.starts_with(external.headers)) return external.targets;
  }
  return {};
}

bool sees_external(const std::set<std::string>& visible, std::string_view external) {
  return std::any_of(visible.begin(), visible.end(),
                     [&](const std::string& name) { return std::string_view(name).starts_with(external); });
}

std::string_view program_room(const std::string& file) {
  for (const std::string_view room : kRoomsOfPrograms) {
    if (file.starts_with(room)) return room;
  }
  // testbench/fabrics/FABRIC/tests/
  constexpr std::string_view kFabrics = "testbench/fabrics/";
  if (file.starts_with(kFabrics) && file.find("/tests/", kFabrics.size()) != std::string::npos) return kFabrics;
  return {};
}

/// Checks the includes of one file, which is compiled for `target` and sees `visible`; and those of headers of
/// programs.
class Reader {
 public:
  Reader(const fs::path& root, const LinkGraph& graph, Complaints& complaints)
      : root_(root), graph_(graph), complaints_(complaints) {}

  void hold(const std::string& file, const std::string& target, const std::set<std::string>& visible) {
    if (!done_.insert({file, target}).second) return;
    for (const Include& include : includes_of(root_, file)) {
      const std::string_view external = external_of(include.name);
      if (include.target.empty()) {
        if (!external.empty() && !sees_external(visible, external))
          complain(file, include, target, fmt::format("the library {}", external.substr(0, external.size() - 2)));
        continue;
      }
      const std::string library = graph_.library_of(include.target);
      if (library.empty()) {
        if (program_room(include.target).empty() || program_room(file).empty()) {
          complain(file, include, target, "a file of tests");
        } else {
          hold(include.target, target, visible);
        }
      } else if (!visible.contains(library)) {
        complain(file, include, target, library);
      }
    }
  }

 private:
  void complain(const std::string& file, const Include& include, const std::string& target,
                const std::string& library) {
    complaints_.push_back(fmt::format("{}:{}: \"{}\" is of {}, which {} does not link{}", file, include.line,
                                      include.name, library, target, is_header(file) ? " publicly" : ""));
  }

  const fs::path& root_;
  const LinkGraph& graph_;
  Complaints& complaints_;
  std::set<std::pair<std::string, std::string>> done_;
};

/// Links that no #include of the library needs.
constexpr std::array<std::pair<std::string_view, std::string_view>, 1> kLinkedForOthers{{
    {"tlm", "fmt::fmt"},  // is among the precompiled headers, which all libraries take from tlm
}};

/// What files of a library include: libraries of the tree by name, external ones by the beginning of their targets.
struct Uses {
  std::set<std::string> by_headers;
  std::set<std::string> by_sources;
};

bool is_used(const std::set<std::string>& used, const std::string& link) {
  return std::any_of(used.begin(), used.end(), [&](const std::string& name) {
    return name == link || (name.ends_with("::") && link.starts_with(name));
  });
}

/// @return true if a line of a CMake file has this word, and not as a part of another or in a comment. A path may begin
/// with ${CMAKE_CURRENT_SOURCE_DIR}/.
bool has_word(const std::string& line, const std::string& word) {
  constexpr std::string_view kSeparators = " \t\"()";
  constexpr std::string_view kFolder = "${CMAKE_CURRENT_SOURCE_DIR}/";
  const std::string text = line.substr(0, line.find('#'));
  const auto separates = [&](std::size_t at) {
    return at >= text.size() || kSeparators.find(text[at]) != std::string_view::npos;
  };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::string_view before = std::string_view(text).substr(0, at);
    const bool begins = before.empty() || separates(at - 1) || before.ends_with(kFolder);
    if (begins && separates(at + word.size())) return true;
  }
  return false;
}

bool is_listed(const fs::path& root, const std::string& file) {
  for (fs::path folder = fs::path(file).parent_path(); !folder.empty(); folder = folder.parent_path()) {
    const std::string name = fs::path(file).lexically_relative(folder).string();
    std::ifstream list(root / folder / "CMakeLists.txt");
    for (std::string line; std::getline(list, line);) {
      if (has_word(line, name)) return true;
    }
  }
  return false;
}

}  // namespace

bool is_header(const std::string& file) { return file.ends_with(".h"); }
bool is_source(const std::string& file) { return file.ends_with(".cpp") || file.ends_with(".c"); }

bool is_of_programs(std::string_view file) { return !program_room(std::string(file)).empty(); }

std::vector<std::string> code_files(const fs::path& root) {
  std::vector<std::string> files;
  for (const std::string_view room : kRooms) {
    if (!fs::exists(root / room)) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / room)) {
      const std::string path = entry.path().lexically_relative(root).generic_string();
      if (entry.is_regular_file() && (is_header(path) || is_source(path))) files.push_back(path);
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<Include> includes_of(const fs::path& root, const std::string& file) {
  static const std::regex include_line(R"(^\s*#\s*include\s*["<]([^">]+)[">])");
  std::vector<Include> includes;
  std::ifstream text(root / file);
  unsigned number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    std::smatch match;
    if (line.find('#') == std::string::npos || !std::regex_search(line, match, include_line)) continue;
    std::string target;
    const fs::path beside = (fs::path(file).parent_path() / match.str(1)).lexically_normal();
    for (const fs::path& candidate : {beside, fs::path(match.str(1)).lexically_normal()}) {
      if (!target.empty() || candidate.is_absolute() || !fs::is_regular_file(root / candidate)) continue;
      target = candidate.generic_string();
    }
    includes.push_back({number, match.str(1), target});
  }
  return includes;
}

/// The one place where a thread may start, beside tests.
constexpr std::string_view kJudgesBeside = "testbench/judge/backlog.cpp";
/// It runs in the programs of a shell, and hands on the threads that they start: a new thread keeps its CPUs.
constexpr std::string_view kThreadsOfPrograms = "testbench/doors/shell/preload/affinity.c";

/// @param hints  one of them is in each line that `wanted` may be in: a regular expression takes long
/// @return a complaint for each line of a file that `wanted` is in, unless the file is of programs or in a place for it
Complaints lines_with(const fs::path& root, const std::regex& wanted, const std::vector<std::string_view>& hints,
                      const std::vector<std::string_view>& places, std::string_view reason) {
  Complaints complaints;
  for (const std::string& file : code_files(root)) {
    if (is_of_programs(file)) continue;
    if (std::ranges::any_of(places, [&](std::string_view place) { return file.starts_with(place); })) continue;
    std::ifstream text(root / file);
    unsigned number = 0;
    for (std::string line; std::getline(text, line);) {
      ++number;
      if (std::ranges::none_of(hints, [&](std::string_view hint) { return line.find(hint) != std::string::npos; }))
        continue;
      std::smatch match;
      if (std::regex_search(line, match, wanted))
        complaints.push_back(fmt::format("{}:{}: {} {}", file, number, match.str(), reason));
    }
  }
  return complaints;
}

Complaints check_threads(const fs::path& root) {
  static const std::regex start(R"(\bstd::(jthread|async)\b|\bstd::thread\b(?!::)|\b(pthread_create|thrd_create)\b)");
  return lines_with(root, start, {"thr", "async"}, {kJudgesBeside, kThreadsOfPrograms}, "starts a thread");
}

Complaints check_drawing(const fs::path& root) {
  static const std::regex element("<(svg|g|rect|line|circle|path|polyline|text)(?=[ >])");
  return lines_with(root, element, {"<"}, {"testbench/pages/"}, "draws");
}

Complaints check_includes(const fs::path& root, const LinkGraph& graph) {
  Complaints complaints;
  Reader reader(root, graph, complaints);
  for (const std::string& file : code_files(root)) {
    const std::string library = graph.library_of(file);
    if (is_source(file)) {
      for (const std::string& target : graph.targets_with(file))
        reader.hold(file, target, graph.visible_to_sources_of(target));
    } else if (!library.empty()) {
      // Headers of a program or a module are only for its own sources.
      const std::string& type = graph.targets().at(library).type;
      const bool is_shared = type == "STATIC_LIBRARY" || type == "INTERFACE_LIBRARY";
      reader.hold(file, library, is_shared ? graph.visible_through(library) : graph.visible_to_sources_of(library));
    }
  }
  return complaints;
}

Complaints check_links(const fs::path& root, const LinkGraph& graph) {
  std::map<std::string, Uses> uses;
  for (const std::string& file : code_files(root)) {
    const std::string library = graph.library_of(file);
    if (library.empty()) continue;
    for (const Include& include : includes_of(root, file)) {
      const std::string used =
          include.target.empty() ? std::string(external_of(include.name)) : graph.library_of(include.target);
      if (!used.empty() && used != library)
        (is_header(file) ? uses[library].by_headers : uses[library].by_sources).insert(used);
    }
  }
  Complaints complaints;
  for (const auto& [name, target] : graph.targets()) {
    const bool is_library = target.type == "STATIC_LIBRARY" || target.type == "INTERFACE_LIBRARY";
    if (!is_library || is_of_programs(target.folder + "/") || target.folder.empty()) continue;
    const Uses& of_it = uses[name];
    const auto is_known = [&](const std::string& link) {
      return graph.targets().contains(link) ||
             std::any_of(kExternal.begin(), kExternal.end(),
                         [&](const External& external) { return link.starts_with(external.targets); });
    };
    for (const std::string& link : target.public_links) {
      const bool is_exception =
          std::find(kLinkedForOthers.begin(), kLinkedForOthers.end(),
                    std::pair<std::string_view, std::string_view>(name, link)) != kLinkedForOthers.end();
      if (is_exception || !is_known(link) || is_used(of_it.by_headers, link)) continue;
      complaints.push_back(is_used(of_it.by_sources, link)
                               ? fmt::format("{} links {} publicly, but none of its headers needs it", name, link)
                               : fmt::format("{} links {} and includes nothing of it", name, link));
    }
    for (const std::string& link : target.private_links) {
      if (!is_known(link) || link == "settings" || is_used(of_it.by_sources, link)) continue;
      complaints.push_back(fmt::format("{} links {} and includes nothing of it", name, link));
    }
  }
  return complaints;
}

Complaints check_sources(const fs::path& root, const LinkGraph& graph) {
  Complaints complaints;
  for (const std::string& file : code_files(root)) {
    if (!is_source(file)) continue;
    const bool is_exception =
        std::any_of(kWithoutTarget.begin(), kWithoutTarget.end(),
                    [&](const UntargetedFolder& exception) { return file.starts_with(exception.path); });
    if (is_exception) continue;
    std::vector<std::string> targets = graph.targets_with(file);
    if (targets.empty() && !is_listed(root, file)) complaints.push_back(file + " is in no target");
    std::erase_if(targets,
                  [&](const std::string& name) { return is_of_programs(graph.targets().at(name).folder + "/"); });
    if (targets.size() > 1)
      complaints.push_back(fmt::format("{} is in {} and in {}", file, targets.front(), targets.back()));
  }
  return complaints;
}

}  // namespace pmufab::architecture
