// SPDX-License-Identifier: Apache-2.0
// The matrix of a scenario: which runs it makes.
#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "testbench/run/session/scenario_spec.h"
#include "testbench/run/yaml/input_error.h"

namespace pmufab::scenario {
namespace {

constexpr std::size_t kMaximumVariants = 10'000;

void check_map(const Value& value, const std::string& path) {
  if (value.kind != Value::Kind::map)
    throw InputError(value.source, path, fmt::format("must be a map of lists, not {}", describe(value.kind)),
                     "for example {host.interrupt_delay: [0, 10 us]}");
}

/// Names of paths in the names of variants: the last part, and as many before it as tell it from every other path.
class ShortNames {
 public:
  /// @param matrix  a map, or a list of maps. What is neither is refused later
  explicit ShortNames(const Value& matrix) {
    const auto add = [this](const Value& map) {
      for (const Value::Entry& entry : map.entries) paths_.insert(entry.key);
    };
    add(matrix);
    for (const Value& map : matrix.items) add(map);
  }
  [[nodiscard]] std::string of(const std::string& path) const {
    std::size_t begin = path.rfind('.');
    while (begin != std::string::npos && begin > 0 && is_shared(path, path.substr(begin)))
      begin = path.rfind('.', begin - 1);
    return begin == std::string::npos ? path : path.substr(begin + 1);
  }

 private:
  /// @param end  of the path, with the dot in front
  [[nodiscard]] bool is_shared(const std::string& path, const std::string& end) const {
    return std::ranges::any_of(paths_,
                               [&](const std::string& other) { return other != path && ("." + other).ends_with(end); });
  }

  std::set<std::string> paths_;
};

/// All combinations of the lists of a map.
/// @param path  of the map
/// @param others  variants there are already
std::vector<Variant> combinations(const Value& map, const std::string& path, const ShortNames& names,
                                  std::size_t others) {
  check_map(map, path);
  std::vector<Variant> variants(1);
  for (const Value::Entry& entry : map.entries) {
    const std::string list = path + "." + entry.key;
    if (entry.value.kind == Value::Kind::sequence && entry.value.items.empty())
      throw InputError(entry.value.source, list, "must hold at least one value");
    if (entry.value.kind != Value::Kind::sequence)
      throw InputError(entry.value.source, list,
                       fmt::format("must be a list of values, not {}", describe(entry.value.kind)));
    if (others + variants.size() * entry.value.items.size() > kMaximumVariants)
      throw InputError(entry.value.source, list, fmt::format("makes more than {} runs", kMaximumVariants));
    const std::string key = names.of(entry.key);
    std::vector<Variant> next;
    for (const Variant& variant : variants) {
      for (const Value& value : entry.value.items) {
        if (value.kind != Value::Kind::scalar)
          throw InputError(value.source, list, fmt::format("must hold single values, not {}", describe(value.kind)));
        Variant one = variant;
        one.name += fmt::format("{}{}={}", one.name.empty() ? "" : ",", key, value.scalar);
        one.overrides.push_back(fmt::format("{}={}", entry.key, value.scalar));
        one.sources.push_back(value.source);
        next.push_back(std::move(one));
      }
    }
    variants = std::move(next);
  }
  return variants;
}

/// Change the matrix as an option says. Keys of a matrix have dots in them: matrix.host.interrupt_delay.
void change(Value& document, const std::string& text) {
  constexpr std::string_view kMatrix = "matrix";
  Override change = parse_override(text);
  const std::string rest = change.path.substr(kMatrix.size());
  const std::size_t dot = rest.find('.');
  if (dot == std::string::npos) {
    apply(change, document);
    return;
  }
  // What the key belongs to: the matrix, or one of a list of matrices.
  change.path = std::string(kMatrix) + rest.substr(0, dot);
  const std::string key = rest.substr(dot + 1);
  Value* map = document.find(kMatrix);
  if (map == nullptr) map = &document.add(std::string(kMatrix), Value::map());
  if (dot > 0) {
    const Value* const there = map;
    const bool one = there->kind == Value::Kind::sequence;
    std::size_t index = 0;
    for (const char digit : rest.substr(1, dot - 2)) index = index * 10 + static_cast<std::size_t>(digit - '0');
    if (!one || index >= map->items.size())
      throw InputError(change.value.source, change.path,
                       one ? fmt::format("there are {} matrices", map->items.size())
                           : std::string("the matrix is not a list of matrices"));
    map = &map->items[index];
  }
  if (map->kind == Value::Kind::null) map->kind = Value::Kind::map;
  if (map->kind != Value::Kind::map)
    throw InputError(change.value.source, change.path,
                     fmt::format("is {}, so it has no '{}'", describe(map->kind), key),
                     "name one matrix of the list: matrix[0]." + key);
  if (Value* const list = map->find(key); list != nullptr) {
    *list = std::move(change.value);
  } else {
    map->entries.push_back({key, change.value.source, std::move(change.value)});
  }
}

}  // namespace

bool is_override_of(std::string_view text, std::string_view key) noexcept {
  return text.starts_with(key) && text.size() > key.size() &&
         std::string_view("=.[").find(text[key.size()]) != std::string_view::npos;
}

bool is_for_matrix(std::string_view text) noexcept { return is_override_of(text, "matrix"); }

std::vector<Variant> ScenarioFile::variants(const std::vector<std::string>& overrides) const {
  Value changed;
  const Value* matrix = document_.find("matrix");
  if (std::ranges::any_of(overrides, is_for_matrix)) {
    changed = document_;
    for (const std::string& text : overrides) {
      if (is_for_matrix(text)) change(changed, text);
    }
    matrix = changed.find("matrix");
  }
  if (matrix == nullptr || matrix->kind == Value::Kind::null) return std::vector<Variant>(1);
  const ShortNames names(*matrix);
  if (matrix->kind != Value::Kind::sequence) return combinations(*matrix, "matrix", names, 0);
  if (matrix->items.empty()) throw InputError(matrix->source, "matrix", "must hold at least one map of lists");
  std::vector<Variant> variants;
  for (std::size_t i = 0; i < matrix->items.size(); ++i) {
    std::vector<Variant> more = combinations(matrix->items[i], fmt::format("matrix[{}]", i), names, variants.size());
    for (Variant& one : more) variants.push_back(std::move(one));
  }
  return variants;
}

}  // namespace pmufab::scenario
