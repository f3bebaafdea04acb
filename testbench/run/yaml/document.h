// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "testbench/run/yaml/input_error.h"

namespace pmufab::scenario {

/// A configuration document as written: YAML with a place for every node, and nothing interpreted yet.
///
/// Differs from plain YAML in being strict: one document per file, a map at the top, no key twice in a map.
struct Value {
  enum class Kind : std::uint8_t { null, scalar, sequence, map };
  struct Entry;

  Kind kind = Kind::null;
  std::string scalar;          ///< kind scalar: the text
  bool quoted = false;         ///< kind scalar: written in quotes, hence text even if it looks like a number
  std::vector<Value> items;    ///< kind sequence
  std::vector<Entry> entries;  ///< kind map, in the order written
  Source source;

  [[nodiscard]] const Value* find(std::string_view key) const noexcept;
  [[nodiscard]] Value* find(std::string_view key) noexcept;
  /// Append to a map (turns a null into one). @return the new value
  Value& add(std::string key, Value value);

  /// Null, at a place.
  [[nodiscard]] static Value nothing(Source source);
  [[nodiscard]] static Value of(std::string text, bool quoted = false);
  [[nodiscard]] static Value map();
  [[nodiscard]] static Value sequence();
};

struct Value::Entry {
  std::string key;
  Source source;
  Value value;
};

/// @return "a number", "a list", ... for messages.
[[nodiscard]] std::string_view describe(Value::Kind kind) noexcept;

/// Read a file that holds one YAML document with a map at the top.
/// @throws InputError if it cannot be read, is not YAML (with the place), repeats a key, nests too deeply, or is not a
/// map
[[nodiscard]] Value load_file(const std::filesystem::path& path);

/// As load_file, from text; `name` takes the place of the file name in messages. Any kind of value at the top.
[[nodiscard]] Value parse_text(std::string_view text, std::string name);

/// One `--set path=value`.
struct Override {
  std::string path;  ///< keys with dots, list elements in brackets: "traffic[0].rate"
  Value value;       ///< parsed as YAML
  std::string text;  ///< as given
};

/// @param origin  what messages call the place it comes from
/// @throws InputError if there is no '=', the path is not well formed, or the value is not YAML
[[nodiscard]] Override parse_override(std::string_view text, std::string_view origin = "--set");

/// Put the value where the path says, replacing what is there. Maps on the way are made when missing; a list element
/// must exist, or be the one after the last.
/// @throws InputError if something on the way is neither map nor list as the path needs it
void apply(const Override& override, Value& document);

/// @return the document as YAML text: block style, keys in order, strings quoted where YAML would read them otherwise.
[[nodiscard]] std::string to_yaml(const Value& document);

/// @return the document as to_yaml() writes it, in few lines: what fits into one line is written in one, with braces
///         and brackets
[[nodiscard]] std::string to_compact_yaml(const Value& document);

/// @return the value in one line, however long: "[1, 2]", "{rate: 1}"
[[nodiscard]] std::string to_flow_yaml(const Value& value);

}  // namespace pmufab::scenario
