// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/yaml/compact_yaml.h"

#include <cstddef>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

namespace pmufab::scenario {
namespace {

/// @return a single value, with quotes where a list in one line needs them
std::string scalar_text(const Value& value) {
  YAML::Emitter out;
  out << YAML::Flow << YAML::BeginSeq;
  if (value.quoted) out << YAML::DoubleQuoted;
  out << value.scalar << YAML::EndSeq;
  const std::string text = out.c_str();
  return text.substr(1, text.size() - 2);
}

std::string in_one_line(const Value& value) {
  std::vector<std::string> parts;
  switch (value.kind) {
    case Value::Kind::null:
      return "null";
    case Value::Kind::scalar:
      return scalar_text(value);
    case Value::Kind::sequence:
      for (const Value& item : value.items) parts.push_back(in_one_line(item));
      return fmt::format("[{}]", fmt::join(parts, ", "));
    case Value::Kind::map:
      for (const Value::Entry& entry : value.entries)
        parts.push_back(fmt::format("{}: {}", scalar_text(Value::of(entry.key)), in_one_line(entry.value)));
      return fmt::format("{{{}}}", fmt::join(parts, ", "));
  }
  return {};
}

/// Write a map or a list over several lines, each of which begins at the column.
/// @param is_there  the column of the first line has been reached
void write_block(const Value& value, std::size_t column, bool is_there, std::string& out) {
  constexpr std::size_t kWidth = 120;
  const auto write = [&](const std::string& begin, const Value& item, bool is_item) {
    if (!std::exchange(is_there, false)) out += std::string(column, ' ');
    const std::string line = in_one_line(item);
    const bool is_flat = item.items.empty() && item.entries.empty();
    out += begin;
    if (is_flat || column + begin.size() + 1 + line.size() <= kWidth) {
      out += " " + line + "\n";
    } else {
      out += is_item ? " " : "\n";
      write_block(item, column + 2, is_item, out);
    }
  };
  for (const Value& item : value.items) write("-", item, true);
  for (const Value::Entry& entry : value.entries) write(scalar_text(Value::of(entry.key)) + ":", entry.value, false);
}

}  // namespace

std::string to_compact_yaml(const Value& document) {
  std::string out;
  write_block(document, 0, false, out);
  return out.empty() ? in_one_line(document) + "\n" : out;
}

std::string to_flow_yaml(const Value& value) { return in_one_line(value); }

}  // namespace pmufab::scenario
