// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <fstream>
#include <regex>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "testbench/tests/architecture/architecture.h"

namespace pmufab::architecture {
namespace {

namespace fs = std::filesystem;

using Arrow = std::pair<std::string, std::string>;

constexpr std::size_t kMostFiles = 25;

/// Folders that are larger for a reason.
struct LargeFolder {
  std::string_view folder;
  std::string_view reason;
};
constexpr std::array<LargeFolder, 1> kLargeFolders{{
    {"testbench/host/shim/include/linux", "a header for each of the kernel's that drivers include"},
}};

/// @return the lines of a document's first ```language block.
std::vector<std::string> block_of(const std::string& document, const std::string& language) {
  std::vector<std::string> lines;
  std::istringstream text(document);
  bool inside = false;
  for (std::string line; std::getline(text, line);) {
    if (inside && line == "```") break;
    if (inside) lines.push_back(line);
    inside = inside || line == "```" + language;
  }
  return lines;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    const std::size_t first = part.find_first_not_of(' ');
    if (first != std::string::npos) parts.push_back(part.substr(first, part.find_last_not_of(' ') - first + 1));
  }
  return parts;
}

/// Links between libraries of the tree, and from the command.
std::map<std::string, std::set<std::string>> drawn_links(const LinkGraph& graph) {
  std::map<std::string, std::set<std::string>> links;
  for (const auto& [name, target] : graph.targets()) {
    const bool is_drawn = target.type.ends_with("_LIBRARY") || name == "command";
    if (!is_drawn || target.folder.empty() || is_of_programs(target.folder + "/")) continue;
    std::set<std::string>& of_it = links[name];
    for (const std::set<std::string>* const list : {&target.public_links, &target.private_links}) {
      for (const std::string& link : *list) {
        if (graph.targets().contains(link) && link != "settings") of_it.insert(link);
      }
    }
  }
  return links;
}

bool reaches(const std::map<std::string, std::set<std::string>>& links, const std::string& from,
             const std::string& to) {
  std::set<std::string> seen{from};
  std::vector<std::string> open{from};
  while (!open.empty()) {
    const auto found = links.find(open.back());
    open.pop_back();
    if (found == links.end()) continue;
    if (found->second.contains(to)) return true;
    for (const std::string& next : found->second) {
      if (seen.insert(next).second) open.push_back(next);
    }
  }
  return false;
}

/// Links that do not follow from other links.
std::set<Arrow> arrows_of(const LinkGraph& graph) {
  const std::map<std::string, std::set<std::string>> links = drawn_links(graph);
  std::set<Arrow> arrows;
  for (const auto& [name, targets] : links) {
    for (const std::string& target : targets) {
      const bool follows = std::any_of(targets.begin(), targets.end(), [&](const std::string& other) {
        return other != target && reaches(links, other, target);
      });
      if (!follows) arrows.emplace(name, target);
    }
  }
  return arrows;
}

/// An order of the folders in a room: each may include what has a lower rank, and itself.
struct Order {
  std::string room;
  std::map<std::string, std::size_t> rank;  // by folder; "." is the files of the room itself
};

std::vector<Order> orders_of(const std::string& document) {
  std::vector<Order> orders;
  for (const std::string& line : block_of(document, "order")) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    Order order{.room = line.substr(0, colon), .rank = {}};
    std::size_t rank = 0;
    for (const std::string& step : split(line.substr(colon + 1), '|')) {
      for (const std::string& folder : split(step, ',')) order.rank[folder] = rank;
      ++rank;
    }
    orders.push_back(std::move(order));
  }
  return orders;
}

/// @return the folder of a room a file lies in, "." for the room itself; "" for a file elsewhere.
std::string part_of(const std::string& room, const std::string& file) {
  if (!file.starts_with(room + "/")) return {};
  const std::string rest = file.substr(room.size() + 1);
  const std::size_t slash = rest.find('/');
  return slash == std::string::npos ? "." : rest.substr(0, slash);
}

void check_order(const fs::path& root, const Order& order, const std::vector<std::string>& files,
                 Complaints& complaints) {
  if (!fs::is_directory(root / order.room)) {
    complaints.push_back(fmt::format("the order of {}: there is no such room", order.room));
    return;
  }
  for (const auto& [folder, rank] : order.rank) {
    if (!fs::is_directory(root / order.room / folder))
      complaints.push_back(fmt::format("the order of {}: there is no folder {}", order.room, folder));
  }
  std::set<std::string> unknown;
  for (const std::string& file : files) {
    const std::string from = part_of(order.room, file);
    if (from.empty()) continue;
    if (!order.rank.contains(from)) {
      unknown.insert(from);
      continue;
    }
    for (const Include& include : includes_of(root, file)) {
      const std::string to = part_of(order.room, include.target);
      if (to.empty() || to == from || !order.rank.contains(to)) continue;
      if (order.rank.at(to) >= order.rank.at(from))
        complaints.push_back(
            fmt::format("{}:{}: in {}, {} does not know {}", file, include.line, order.room, from, to));
    }
  }
  for (const std::string& folder : unknown)
    complaints.push_back(fmt::format("the order of {} does not say where {} is", order.room, folder));
}

/// @return the arrows with the fabrics' libraries as those of one fabric, F
std::set<Arrow> as_one_fabric(const std::set<Arrow>& arrows, const LinkGraph& graph) {
  constexpr std::string_view kSuffix = "_fabric";
  const auto fabric_of = [&](const std::string& library) {
    const std::string fabric = library.substr(0, library.find('_'));
    return graph.targets().contains(fabric + std::string(kSuffix)) ? fabric : std::string();
  };
  std::set<Arrow> folded;
  for (const auto& [from, to] : arrows) {
    const std::string first = fabric_of(from);
    const std::string second = fabric_of(to);
    const bool is_between = !first.empty() && !second.empty() && first != second;
    const auto name = [&](const std::string& library, const std::string& fabric) {
      return is_between || fabric.empty() ? library : "F" + library.substr(fabric.size());
    };
    folded.emplace(name(from, first), name(to, second));
  }
  return folded;
}

}  // namespace

Complaints check_picture(const std::string& document, const LinkGraph& graph) {
  static const std::regex arrow_line(R"(^\s*(\w+) --> (\w+)\s*$)");
  std::set<Arrow> drawn;
  for (const std::string& line : block_of(document, "mermaid")) {
    std::smatch match;
    if (std::regex_match(line, match, arrow_line)) drawn.emplace(match.str(1), match.str(2));
  }
  const std::set<Arrow> built = as_one_fabric(arrows_of(graph), graph);
  Complaints complaints;
  for (const Arrow& arrow : built) {
    if (!drawn.contains(arrow))
      complaints.push_back(fmt::format("the picture lacks: {} --> {}", arrow.first, arrow.second));
  }
  for (const Arrow& arrow : drawn) {
    if (!built.contains(arrow))
      complaints.push_back(fmt::format("the build does not have: {} --> {}", arrow.first, arrow.second));
  }
  return complaints;
}

Complaints check_orders(const fs::path& root, const std::string& document) {
  Complaints complaints;
  const std::vector<std::string> files = code_files(root);
  const std::vector<Order> orders = orders_of(document);
  if (orders.empty()) complaints.emplace_back("the document gives no order");
  for (const Order& order : orders) check_order(root, order, files, complaints);
  return complaints;
}

Complaints check_paths(const fs::path& root, const std::string& document) {
  static const std::regex code(R"(`([\w./-]+/[\w./-]*)`)");
  Complaints complaints;
  std::size_t paths = 0;
  for (std::sregex_iterator match(document.begin(), document.end(), code); match != std::sregex_iterator(); ++match) {
    const std::string path = (*match)[1].str();
    const fs::path first = *fs::path(path).begin();
    if (!fs::is_directory(root / first)) continue;  // not a path of the tree
    ++paths;
    if (!fs::exists(root / path))
      complaints.push_back(fmt::format("the document names {}, which does not exist", path));
  }
  if (paths == 0) complaints.emplace_back("the document names no path");
  return complaints;
}

Complaints check_folders(const fs::path& root) {
  Complaints complaints;
  std::map<std::string, std::size_t> files;
  for (const std::string_view room : {"docs", "models", "scenarios", "testbench", "tlm", "tools"}) {
    if (!fs::exists(root / room)) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / room)) {
      if (entry.is_regular_file() && !entry.path().filename().string().starts_with('.'))
        ++files[entry.path().parent_path().lexically_relative(root).generic_string()];
    }
  }
  for (const auto& entry : files) {
    const std::string& folder = entry.first;
    const bool is_exception =
        std::any_of(kLargeFolders.begin(), kLargeFolders.end(),
                    [&](const LargeFolder& exception) { return folder.starts_with(exception.folder); });
    if (entry.second > kMostFiles && !is_exception) {
      complaints.push_back(
          fmt::format("{} has {} files, more than {} to choose from", folder, entry.second, kMostFiles));
    }
  }
  return complaints;
}

}  // namespace pmufab::architecture
