// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/common/loaders.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "testbench/run/yaml/input_error.h"
#include "testbench/run/yaml/quantity.h"

namespace pmufab::scenario {
namespace {

struct KindOfFile {
  FileKind kind;
  std::string_view words;
  std::string_view taken_by;
  std::vector<std::string_view> keys;  ///< each tells it from the others
};

/// A scenario may hold a platform and traffic in place, but below keys of its own.
const std::vector<KindOfFile>& kinds_of_files() {
  static const std::vector<KindOfFile> kinds = {
      {FileKind::results, "a file of results", "pmufab writes them with --json and --out", {"program"}},
      {FileKind::scenario, "a scenario", "pmufab run takes scenarios", {"measure", "platform", "expect"}},
      {FileKind::traffic, "traffic", "--traffic takes it, and a scenario's key 'traffic'", {"generators"}},
      {FileKind::platform,
       "a platform",
       "pmufab list, regs, map, shell and boot take platforms, and a scenario's key 'platform'",
       {"kind", "sockets", "cpus_per_socket", "meshes", "tegra410", "cxl", "coresight_pmus", "dwc_root_ports",
        "plugin"}},
  };
  return kinds;
}

}  // namespace

void check_kind(const Value& document, const std::string& path, FileKind wanted) {
  const std::vector<KindOfFile>& kinds = kinds_of_files();
  const auto right = std::ranges::find_if(kinds, [&](const auto& kind) { return kind.kind == wanted; });
  const auto found = std::ranges::find_if(kinds, [&](const KindOfFile& kind) {
    return std::ranges::any_of(kind.keys, [&](std::string_view key) { return document.find(key) != nullptr; });
  });
  if (found == kinds.end() || found == right) return;
  const bool has_own =
      std::ranges::any_of(right->keys, [&](std::string_view key) { return document.find(key) != nullptr; });
  if (wanted == FileKind::scenario && has_own) return;  // with a key that belongs further below
  throw InputError(document.source, path, fmt::format("this is {}, not {}", found->words, right->words),
                   std::string(found->taken_by));
}

Source locate(const Value& document, std::string_view field) {
  const Value* at = &document;
  Source source = document.source;
  while (!field.empty()) {
    if (field.front() == '.') field.remove_prefix(1);
    if (!field.empty() && field.front() == '[') {
      const std::size_t end = std::min(field.find(']'), field.size());
      std::size_t index = 0;
      for (const char digit : field.substr(1, end - 1)) index = index * 10 + static_cast<std::size_t>(digit - '0');
      if (index >= at->items.size()) return source;
      at = &at->items[index];
      field.remove_prefix(std::min(end + 1, field.size()));
    } else {
      const std::size_t end = std::min(field.find_first_of(".["), field.size());
      std::string_view key = field.substr(0, end);
      const Value* next = at->find(key);
      if (next == nullptr && key.ends_with("_hz")) next = at->find(key.substr(0, key.size() - 3));
      if (next == nullptr) return source;
      at = next;
      field.remove_prefix(end);
    }
    source = at->source;
  }
  return source;
}

void read_weights(Reader& reader, std::string_view key,
                  const std::function<void(const Value::Entry& entry, std::uint32_t weight)>& read) {
  const Value* value = reader.take(key);
  if (value == nullptr) return;
  if (value->kind != Value::Kind::map)
    reader.fail(key, fmt::format("must be a map of weights, not {}", describe(value->kind)),
                "for example {read: 3, write: 1}");
  if (value->entries.empty()) reader.fail(key, "must not be empty", "for example {read: 3, write: 1}");
  for (const Value::Entry& entry : value->entries) {
    std::uint64_t weight = 0;
    try {
      weight = parse_quantity(entry.value.kind == Value::Kind::scalar ? entry.value.scalar : "", Quantity::count);
    } catch (const std::invalid_argument&) {
      weight = std::numeric_limits<std::uint64_t>::max();
    }
    if (weight > std::numeric_limits<std::uint32_t>::max())
      throw InputError(entry.value.source, reader.path_of(key) + "." + entry.key, "the weight must be a whole number",
                       "for example {read: 3, write: 1}");
    read(entry, static_cast<std::uint32_t>(weight));
  }
}

unsigned number_of_word(const Reader& reader, std::string_view key, const Value::Entry& entry, std::string_view what,
                        const std::vector<std::string>& names) {
  const auto found = std::ranges::find(names, entry.key);
  if (found != names.end()) return static_cast<unsigned>(found - names.begin());
  std::string suggestion = did_you_mean(entry.key, names);
  if (suggestion.empty()) suggestion = "one of " + quoted_list(names);
  throw InputError(entry.source, reader.path_of(key), fmt::format("unknown {} '{}'", what, entry.key), suggestion);
}

std::string read_trace_file(Reader& reader, const TraceFiles& files) {
  std::string trace = files.default_trace;
  const bool named = reader.has("file");
  reader.text("file", trace);
  // A relative path given with --set is relative to where the user stands, one in a file to that file.
  const Value* file = reader.take("file");
  const bool from_option = file != nullptr && file->source.is_from_option();
  if (named && !from_option && !trace.empty()) trace = (files.base / trace).lexically_normal().string();
  if (!trace.empty()) files.used.push_back(trace);
  return trace;
}

}  // namespace pmufab::scenario
