// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/coverage/exclusions.h"

#include <algorithm>
#include <array>
#include <memory>

#include <fmt/format.h>

#include "testbench/run/yaml/input_error.h"
#include "testbench/run/yaml/input_file.h"
#include "tlm/spec/printable.h"

namespace pmufab::coverage {
namespace {

using scenario::InputError;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  return begin == std::string_view::npos ? std::string_view()
                                         : text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

/// Each part of the pattern between '*' must come in turn.
bool fits(std::string_view pattern, std::string_view name) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == name;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  name.remove_prefix(star);
  pattern.remove_prefix(star + 1);
  for (std::size_t next = pattern.find('*'); next != std::string_view::npos; next = pattern.find('*')) {
    const std::size_t found = name.find(pattern.substr(0, next));
    if (found == std::string_view::npos) return false;
    name.remove_prefix(found + next);
    pattern.remove_prefix(next + 1);
  }
  return name.ends_with(pattern);
}

}  // namespace

Exclusions::Exclusions(std::string_view text, const std::string& file) {
  const auto name = std::make_shared<const std::string>(file);
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view written = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(written.size() + 1, text.size()));
    std::string_view line = trimmed(written);
    if (line.empty() || line.front() == '#') continue;
    if (printable(line) != line)
      throw InputError({name, number, 1}, "", "the line holds a control character, or a byte that is not UTF-8",
                       "remove it");
    std::array<std::string, 4> parts;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      const std::size_t end = part + 1 < parts.size() ? line.find('|') : line.size();
      parts.at(part) = trimmed(line.substr(0, end));
      line.remove_prefix(std::min(end == std::string_view::npos ? line.size() : end + 1, line.size()));
      if (parts.at(part).empty())
        throw InputError({name, number, 1}, "", "a bin is not excluded without a reason",
                         "write KIND | COVERPOINT | BIN | REASON");
    }
    const bool is_there = std::ranges::any_of(lines_, [&](const Line& other) {
      return other.kind == parts[0] && other.point == parts[1] && other.bin == parts[2];
    });
    if (is_there) throw InputError({name, number, 1}, "", "these bins are excluded by an earlier line");
    lines_.push_back({parts[0], parts[1], parts[2], parts[3]});
  }
}

Exclusions Exclusions::read(const std::filesystem::path& file) {
  const std::string name = file.generic_string();
  constexpr std::size_t kMostBytes = 1U << 20U;
  const std::string text = scenario::read_input(file, kMostBytes);
  if (text.size() > kMostBytes)
    throw InputError(fmt::format("'{}' is larger than 1 MiB", name), "is it the right file?");
  return {text, name};
}

const Exclusions::Line* Exclusions::find(std::string_view kind, std::string_view point, std::string_view bin) const {
  const auto found = std::ranges::find_if(lines_, [&](const Line& line) {
    return fits(line.kind, kind) && fits(line.point, point) && fits(line.bin, bin);
  });
  return found == lines_.end() ? nullptr : &*found;
}

}  // namespace pmufab::coverage
