// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/judge/publication/mesh_map.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace pmufab::scoreboard {
namespace {

/// One crosspoint of a map, as it is shown.
struct Cell {
  struct Port {
    std::string device;
    std::array<std::string, 2> ids;
  };
  std::string number;
  std::string domain;
  std::vector<Port> ports;
};
struct Row {
  std::string y;
  std::vector<Cell> cells;
};

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string_view::npos ? std::string()
                                         : std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

/// "5" of "XP #5" or "#5"
std::string after_sign(const std::string& text) {
  const std::size_t sign = text.find('#');
  return sign == std::string::npos ? text : trimmed(std::string_view(text).substr(sign + 1));
}

/// The columns of a line, which end with '|'.
std::vector<std::string> columns_of(const std::string& line, std::size_t begin) {
  std::vector<std::string> columns;
  for (std::size_t end = line.find('|', begin); end != std::string::npos; end = line.find('|', begin)) {
    columns.push_back(trimmed(std::string_view(line).substr(begin, end - begin)));
    begin = end + 1;
  }
  return columns;
}

/// Rows from the north. The line of a row's crosspoints begins with its number in the first column; that of a port has the
/// number in the third, and that of a device at the port in the fifth.
std::vector<Row> rows_of(const std::string& text) {
  constexpr std::size_t kOfPort = 2;
  constexpr std::size_t kOfDevice = 4;
  std::vector<Row> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t bar = line.find('|');
    if (bar == std::string::npos) continue;
    const std::size_t place = line.find_first_not_of(' ');
    const std::vector<std::string> columns = columns_of(line, bar + 1);
    if (place == 0) {
      rows.push_back({trimmed(std::string_view(line).substr(0, bar)), std::vector<Cell>(columns.size())});
      for (std::size_t x = 0; x < columns.size(); ++x) rows.back().cells[x].number = after_sign(columns[x]);
      continue;
    }
    if (rows.empty()) continue;
    for (std::size_t x = 0; x < std::min(columns.size(), rows.back().cells.size()); ++x) {
      Cell& cell = rows.back().cells[x];
      if (place == bar && columns[x].starts_with("DTC")) cell.domain = trimmed(std::string_view(columns[x]).substr(3));
      if (place == kOfPort) cell.ports.push_back({columns[x], {}});
      if (place == kOfDevice && !cell.ports.empty() && (line[place] == '0' || line[place] == '1'))
        cell.ports.back().ids.at(line[place] == '0' ? 0 : 1) = after_sign(columns[x]);
    }
  }
  return rows;
}

/// @return the first line whose columns end elsewhere than those of the first line that has any
std::optional<std::string> crooked_line(const std::string& text) {
  std::vector<std::size_t> expected;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::size_t> ends;
    for (std::size_t end = line.find('|'); end != std::string::npos; end = line.find('|', end + 1)) ends.push_back(end);
    if (ends.empty()) continue;
    if (expected.empty()) expected = ends;
    if (ends != expected) return line;
  }
  return std::nullopt;
}

std::optional<std::string> compare_ports(const MeshMap::Crosspoint& expected, const Cell& shown) {
  const std::size_t ports = std::max(expected.ports.size(), shown.ports.size());
  for (std::size_t port = 0; port < ports; ++port) {
    const MeshMap::Port right = port < expected.ports.size() ? expected.ports[port] : MeshMap::Port{};
    const Cell::Port told = port < shown.ports.size() ? shown.ports[port] : Cell::Port{};
    if (told.device != right.device)
      return fmt::format("has '{}' at port {}, which must be '{}'", told.device, port, right.device);
    for (std::size_t device = 0; device < right.ids.size(); ++device) {
      const std::set<unsigned>& ids = right.ids.at(device);
      const bool is_right = std::any_of(ids.begin(), ids.end(),
                                        [&](unsigned id) { return told.ids.at(device) == fmt::format("{}", id); });
      if (!ids.empty() && !is_right)
        return fmt::format("has logical id '{}' for device {} of port {}, which must be {}", told.ids.at(device),
                           device, port, fmt::join(ids, " or "));
    }
  }
  return std::nullopt;
}

std::optional<std::string> compare_cell(const MeshMap::Crosspoint& expected, std::size_t number, const Cell& shown) {
  if (shown.number != fmt::format("{}", number)) return fmt::format("has number '{}'", shown.number);
  if (shown.domain != expected.domain && !(expected.may_be_unknown && shown.domain == "??"))
    return fmt::format("has DTC '{}', which must be {}", shown.domain, expected.domain);
  return compare_ports(expected, shown);
}

}  // namespace

std::optional<std::string> compare_map(const MeshMap& expected, const std::string& text) {
  if (const std::optional<std::string> line = crooked_line(text))
    return fmt::format("has a line whose columns are not below those of the others: '{}'", *line);
  const std::vector<Row> rows = rows_of(text);
  const std::size_t height = expected.crosspoints.size() / std::max(expected.columns, 1U);
  if (rows.size() != height) return fmt::format("has {} rows, and the mesh {}", rows.size(), height);
  for (std::size_t line = 0; line < height; ++line) {
    const Row& row = rows[line];
    const std::size_t y = height - 1 - line;
    if (row.y != fmt::format("{}", y)) return fmt::format("has row '{}' in the place of row {}", row.y, y);
    if (row.cells.size() != expected.columns)
      return fmt::format("has {} columns in row {}, and the mesh {}", row.cells.size(), y, expected.columns);
    for (std::size_t x = 0; x < row.cells.size(); ++x) {
      const std::size_t number = y * expected.columns + x;
      const std::optional<std::string> problem = compare_cell(expected.crosspoints[number], number, row.cells[x]);
      if (problem) return fmt::format("is wrong: crosspoint {} {}", number, *problem);
    }
  }
  return std::nullopt;
}

}  // namespace pmufab::scoreboard
