// The matrix of a scenario: which runs it makes.
#include <utility>

#include <fmt/format.h>

#include "testbench/scenario/input_error.h"
#include "testbench/scenario/scenario_spec.h"

namespace pmufab::scenario {
namespace {

constexpr std::size_t kMaximumVariants = 10'000;

void check_map(const Value& value, const std::string& path) {
  if (value.kind != Value::Kind::map)
    throw InputError(value.source, path, fmt::format("must be a map of lists, not {}", describe(value.kind)),
                     "for example {host.interrupt_delay: [0, 10 us]}");
}

/// All combinations of the lists of a map.
/// @param path  of the map
/// @param others  variants there are already
std::vector<Variant> combinations(const Value& map, const std::string& path, std::size_t others) {
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
    const std::string key = entry.key.substr(entry.key.rfind('.') + 1);
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

}  // namespace

std::vector<Variant> ScenarioFile::variants() const {
  const Value* matrix = document_.find("matrix");
  if (matrix == nullptr || matrix->kind == Value::Kind::null) return std::vector<Variant>(1);
  if (matrix->kind != Value::Kind::sequence) return combinations(*matrix, "matrix", 0);
  if (matrix->items.empty()) throw InputError(matrix->source, "matrix", "must hold at least one map of lists");
  std::vector<Variant> variants;
  for (std::size_t i = 0; i < matrix->items.size(); ++i) {
    std::vector<Variant> more = combinations(matrix->items[i], fmt::format("matrix[{}]", i), variants.size());
    for (Variant& one : more) variants.push_back(std::move(one));
  }
  return variants;
}

}  // namespace pmufab::scenario
