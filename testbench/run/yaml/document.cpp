// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/yaml/document.h"

#include <algorithm>
#include <cstddef>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "testbench/run/yaml/input_file.h"
#include "tlm/spec/printable.h"

namespace pmufab::scenario {
namespace {

constexpr unsigned kMaximumDepth = 32;
constexpr std::size_t kMaximumBytes = 16 << 20;   // of a file; a device may never end
constexpr std::size_t kMaximumNodes = 1'000'000;  // aliases multiply: a small file can mean a huge document

using File = std::shared_ptr<const std::string>;

Source source_of(const File& file, const YAML::Mark& mark) {
  if (mark.is_null()) return {file, 0, 0};
  return {file, mark.line + 1, mark.column + 1};
}

/// @return true if the text of a null says so: a value that is not there at all is most likely forgotten.
/// @param text  from the place of the value on
bool is_written_null(std::string_view text) {
  if (text.starts_with('&') || text.starts_with('!')) return true;  // with an anchor or a tag
  for (const std::string_view word : {"null", "Null", "NULL", "~"}) {
    if (!text.starts_with(word)) continue;
    text.remove_prefix(word.size());
    return text.empty() || std::string_view(" \t\r\n,]}").find(text.front()) != std::string_view::npos;
  }
  return false;
}

[[noreturn]] void refuse_size(const Source& source) {
  throw InputError(source, {}, "the document is too large (do aliases multiply it?)");
}

class Converter {
 public:
  /// @param text  that the nodes come from
  Converter(File file, std::string_view text) : file_(std::move(file)), text_(text) {}

  Value convert(const YAML::Node& node, unsigned depth = 0) {
    const Source source = source_of(file_, node.Mark());
    if (depth > kMaximumDepth) throw InputError(source, {}, "the document nests too deeply");
    if (++nodes_ > kMaximumNodes) refuse_size(source);
    Value value;
    value.source = source;
    switch (node.Type()) {
      case YAML::NodeType::Undefined:
      case YAML::NodeType::Null:
        break;
      case YAML::NodeType::Scalar:
        value.kind = Value::Kind::scalar;
        value.scalar = node.Scalar();
        check_text(value.scalar, source);
        value.quoted = node.Tag() == "!";
        break;
      case YAML::NodeType::Sequence:
        value.kind = Value::Kind::sequence;
        for (const YAML::Node& item : node) {
          value.items.push_back(convert(item, depth + 1));
          if (is_forgotten(item)) throw InputError(source, {}, "an element of this list is empty", "remove it");
        }
        break;
      case YAML::NodeType::Map:
        value.kind = Value::Kind::map;
        add_entries(value, node, depth);
        break;
    }
    return value;
  }

 private:
  [[nodiscard]] bool is_forgotten(const YAML::Node& node) const {
    if (!node.IsNull() || node.Mark().is_null()) return false;
    return !is_written_null(text_.substr(std::min(static_cast<std::size_t>(node.Mark().pos), text_.size())));
  }

  /// Names go to terminals and reports.
  static void check_text(const std::string& text, const Source& source) {
    if (const std::string safe = printable_lines(text); safe != text)
      throw InputError(source, {}, fmt::format("the text '{}' holds a control character", safe), "remove it");
  }

  void add_entries(Value& map, const YAML::Node& node, unsigned depth) {
    std::unordered_set<std::string> keys;
    for (const auto& entry : node) {
      const YAML::Node& key = entry.first;
      const Source source = source_of(file_, key.Mark());
      if (!key.IsScalar()) throw InputError(source, {}, "a key must be a word");
      check_text(key.Scalar(), source);
      if (!keys.insert(key.Scalar()).second)
        throw InputError(source, {}, fmt::format("the key '{}' is given twice", key.Scalar()), "remove one of them");
      if (is_forgotten(entry.second))
        throw InputError(source, {}, fmt::format("the key '{}' has no value", key.Scalar()),
                         "give one, or remove the key; null stands for the default");
      map.entries.push_back({key.Scalar(), source, convert(entry.second, depth + 1)});
    }
  }

  File file_;
  std::string_view text_;
  std::size_t nodes_ = 0;
};

/// The place of a byte of a text.
Source source_at(const File& file, std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const auto line = static_cast<int>(std::ranges::count(before, '\n')) + 1;
  return {file, line, static_cast<int>(at - (before.rfind('\n') + 1)) + 1};  // npos + 1 is 0
}

/// What the parser makes of a text takes memory with each of these characters, half a KiB or more. So they are counted
/// before.
void check_size(std::string_view text, const File& file) {
  if (text.size() <= kMaximumNodes) return;
  constexpr std::string_view kMarks = "\n[]{},:-?&*!|>'\"";
  std::size_t marks = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (kMarks.find(text[i]) != std::string_view::npos && ++marks > kMaximumNodes)
      refuse_size(source_at(file, text, i));
  }
}

Value parse(std::string text, const File& file) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  try {
    check_size(text, file);
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    if (documents.empty()) return Value::nothing({file, 1, 1});
    if (documents.size() > 1) {
      throw InputError(source_of(file, documents[1].Mark()), {}, "a second document begins here",
                       "one file holds one document");
    }
    return Converter(file, text).convert(documents.front());
  } catch (const YAML::Exception& error) {
    throw InputError(source_of(file, error.mark), {}, "this is not YAML: " + error.msg);
  }
}

/// @return what a file with this content is, if it is well known and not YAML; otherwise nothing.
std::string_view other_kind(std::string_view text) {
  if (text.starts_with("\x7f"
                       "ELF"))
    return "a program or a library";
  if (text.starts_with("PMUTRACE") || text.starts_with("kind,address") || text.starts_with("time,device"))
    return "a trace";
  if (text.starts_with("<?xml")) return "an XML file";
  return {};
}

struct Step {
  std::string key;  // empty: an index
  std::size_t index = 0;
};

std::vector<Step> parse_path(const std::string& path, const Source& source) {
  const auto bad = [&] {
    return InputError(source, path, "is not a path",
                      "write keys with dots and list elements in brackets: traffic[0].rate");
  };
  std::vector<Step> steps;
  std::size_t at = 0;
  while (at < path.size()) {
    if (path[at] == '[') {
      const std::size_t end = path.find(']', at);
      const std::string digits = end == std::string::npos ? "" : path.substr(at + 1, end - at - 1);
      if (digits.empty() || digits.size() > 6 || digits.find_first_not_of("0123456789") != std::string::npos ||
          steps.empty())
        throw bad();
      steps.push_back({"", std::stoul(digits)});
      at = end + 1;
      if (at < path.size() && path[at] == '.') {
        if (++at == path.size()) throw bad();
      } else if (at < path.size() && path[at] != '[') {
        throw bad();
      }
      continue;
    }
    const std::size_t end = std::min(path.find_first_of(".[", at), path.size());
    if (end == at) throw bad();
    steps.push_back({path.substr(at, end - at), 0});
    at = end;
    if (at < path.size() && path[at] == '.' && ++at == path.size()) throw bad();
  }
  if (steps.empty()) throw bad();
  return steps;
}

void emit(YAML::Emitter& out, const Value& value) {
  switch (value.kind) {
    case Value::Kind::null:
      out << YAML::Null;
      break;
    case Value::Kind::scalar:
      if (value.quoted) out << YAML::DoubleQuoted;
      out << value.scalar;
      break;
    case Value::Kind::sequence: {
      const bool plain = std::ranges::all_of(value.items, [](const Value& v) { return v.kind == Value::Kind::scalar; });
      if (plain) out << YAML::Flow;
      out << YAML::BeginSeq;
      for (const Value& item : value.items) emit(out, item);
      out << YAML::EndSeq;
      break;
    }
    case Value::Kind::map:
      if (value.entries.empty()) out << YAML::Flow;
      out << YAML::BeginMap;
      for (const Value::Entry& entry : value.entries) {
        out << YAML::Key << entry.key << YAML::Value;
        emit(out, entry.value);
      }
      out << YAML::EndMap;
      break;
  }
}

}  // namespace

const Value* Value::find(std::string_view key) const noexcept {
  for (const Entry& entry : entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

Value* Value::find(std::string_view key) noexcept { return const_cast<Value*>(std::as_const(*this).find(key)); }

Value& Value::add(std::string key, Value value) {
  kind = Kind::map;
  entries.push_back({std::move(key), {}, std::move(value)});
  return entries.back().value;
}

Value Value::nothing(Source source) {
  Value value;
  value.source = std::move(source);
  return value;
}

Value Value::of(std::string text, bool quoted) {
  Value value;
  value.kind = Kind::scalar;
  value.scalar = std::move(text);
  value.quoted = quoted;
  return value;
}

Value Value::map() {
  Value value;
  value.kind = Kind::map;
  return value;
}

Value Value::sequence() {
  Value value;
  value.kind = Kind::sequence;
  return value;
}

std::string_view describe(Value::Kind kind) noexcept {
  switch (kind) {
    case Value::Kind::null:
      return "nothing";
    case Value::Kind::scalar:
      return "a single value";
    case Value::Kind::sequence:
      return "a list";
    case Value::Kind::map:
      return "a map";
  }
  return "?";
}

Value load_file(const std::filesystem::path& path) {
  const auto file = std::make_shared<const std::string>(path.generic_string());
  note_input(path);
  std::string text = read_input(path, kMaximumBytes);
  if (const std::string_view other = other_kind(text); !other.empty())
    throw InputError({file}, {}, fmt::format("is {}, not a YAML file", other), "is it the right file?");
  if (text.size() > kMaximumBytes)
    throw InputError({file}, {}, fmt::format("is larger than {} MiB", kMaximumBytes >> 20), "is it the right file?");
  if (text.find('\0') != std::string::npos) throw InputError({file}, {}, "is not a text file");
  if (const std::size_t good = utf8_prefix(text); good < text.size()) {
    throw InputError(source_at(file, text, good), {}, "this byte is not UTF-8 text", "save the file as UTF-8");
  }
  Value document = parse(std::move(text), file);
  if (document.kind != Value::Kind::map) {
    throw InputError(
        document.source, {},
        fmt::format("a configuration file holds a map of keys, this one holds {}", describe(document.kind)));
  }
  return document;
}

Value parse_text(std::string_view text, std::string name) {
  return parse(std::string(text), std::make_shared<const std::string>(std::move(name)));
}

Override parse_override(std::string_view text, std::string_view origin) {
  const auto file = std::make_shared<const std::string>(fmt::format("{} {}", origin, text));
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    throw InputError({file}, {}, "is not an assignment", "write --set path=value, for example --set seed=7");
  Override result{std::string(text.substr(0, equals)), {}, std::string(text)};
  static_cast<void>(parse_path(result.path, {file}));
  // Places inside the option's text say nothing to the user: only the option is named.
  const std::string_view given = text.substr(equals + 1);
  if (given.find_first_not_of(' ') == std::string_view::npos)
    throw InputError({file}, {}, "gives no value",
                     fmt::format("{0}=null stands for the default, {0}='\"\"' for an empty text", result.path));
  result.value = parse(std::string(given), file);
  const auto forget_lines = [](auto&& self, Value& value) -> void {
    value.source.line = value.source.column = 0;
    for (Value& item : value.items) self(self, item);
    for (Value::Entry& entry : value.entries) {
      entry.source.line = entry.source.column = 0;
      self(self, entry.value);
    }
  };
  forget_lines(forget_lines, result.value);
  return result;
}

void apply(const Override& override, Value& document) {
  const Source& source = override.value.source;
  Value* at = &document;
  std::string walked;
  for (const Step& step : parse_path(override.path, source)) {
    if (step.key.empty()) {
      if (at->kind != Value::Kind::sequence)
        throw InputError(source, walked, fmt::format("is {}, not a list", describe(at->kind)));
      if (step.index > at->items.size())
        throw InputError(source, walked,
                         fmt::format("has {} elements; there is no [{}]", at->items.size(), step.index));
      if (step.index == at->items.size()) at->items.push_back(Value::nothing(source));
      at = &at->items[step.index];
      walked += fmt::format("[{}]", step.index);
    } else {
      if (at->kind == Value::Kind::null) at->kind = Value::Kind::map;
      if (at->kind != Value::Kind::map)
        throw InputError(source, walked, fmt::format("is {}, so it has no '{}'", describe(at->kind), step.key));
      Value* next = at->find(step.key);
      if (next == nullptr) {
        at->entries.push_back({step.key, source, Value::nothing(source)});
        next = &at->entries.back().value;
      }
      at = next;
      walked += (walked.empty() ? "" : ".") + step.key;
    }
  }
  *at = override.value;
}

std::string to_yaml(const Value& document) {
  YAML::Emitter out;
  emit(out, document);
  return std::string(out.c_str()) + "\n";
}

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
