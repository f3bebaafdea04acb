// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/verify/shrinker.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "testbench/fabrics/common/values.h"

namespace pmufab::verify {
namespace {

using scenario::Value;
using Fails = std::function<std::vector<bool>(const std::vector<Value>&)>;

class Shrinker {
 public:
  Shrinker(Value document, const Fails& fails, const ShrinkOptions& options)
      : result_{std::move(document)}, fails_(fails), options_(options) {}

  ShrinkResult shrink() {
    bool is_smaller = true;
    while (is_smaller && !is_over()) {
      is_smaller = false;
      for (const Pass pass : kPasses) is_smaller = take_out(pass) || is_smaller;
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool is_over() const { return result_.tries >= options_.most_tries; }

  /// Take out halves of the parts, then smaller shares. @return whether anything could be
  bool take_out(Pass pass) {
    constexpr std::size_t kFiner = 4;
    bool is_smaller = false;
    std::size_t chunk = std::max<std::size_t>(parts_of(result_.smallest, pass).size() / 2, 1);
    while (!is_over()) {
      is_smaller = take_out(pass, chunk) || is_smaller;
      if (chunk == 1) break;
      chunk = std::max<std::size_t>(chunk / kFiner, 1);
    }
    return is_smaller;
  }

  bool take_out(Pass pass, std::size_t chunk) {
    bool is_smaller = false;
    std::vector<Part> parts = parts_of(result_.smallest, pass);
    std::size_t from = 0;
    while (from < parts.size() && !is_over()) {
      std::vector<Value> candidates;
      for (std::size_t begin = from; begin < parts.size() && candidates.size() < options_.at_once; begin += chunk)
        candidates.push_back(without(result_.smallest, chunk_of(parts, begin, chunk)));
      const std::vector<bool> failed = fails_(candidates);
      result_.tries += candidates.size();
      const auto first = std::ranges::find(failed, true);
      if (first == failed.end()) {
        from += candidates.size() * chunk;
        continue;
      }
      is_smaller = true;
      const auto index = static_cast<std::size_t>(first - failed.begin());
      result_.smallest = std::move(candidates[index]);
      from += index * chunk;
      parts = parts_of(result_.smallest, pass);  // what came next is at this place now
      if (pass == Pass::times || pass == Pass::rounding) from += chunk;
    }
    return is_smaller;
  }

  static std::vector<Part> chunk_of(const std::vector<Part>& parts, std::size_t begin, std::size_t chunk) {
    const std::size_t end = std::min(begin + chunk, parts.size());
    return {parts.begin() + static_cast<std::ptrdiff_t>(begin), parts.begin() + static_cast<std::ptrdiff_t>(end)};
  }

  ShrinkResult result_;
  const Fails& fails_;
  const ShrinkOptions& options_;
};

}  // namespace

ShrinkResult shrink(Value document, const Fails& fails, const ShrinkOptions& options) {
  return Shrinker(std::move(document), fails, options).shrink();
}

namespace {

using scenario::Value;
using Path = std::vector<std::size_t>;

bool is_platform(const Value& document, const Path& path) {
  return !path.empty() && document.entries[path.front()].key == "platform";
}

/// Call for every value below the top, parents first, one level after the other.
void walk(
    const Value& document,
    const std::function<void(const Value& value, const Path& path, bool is_entry, const std::string& key)>& visit) {
  struct Place {
    const Value* value;
    Path path;
    std::string key;
  };
  std::vector<Place> level = {{&document, {}, {}}};
  while (!level.empty()) {
    std::vector<Place> next;
    for (const Place& place : level) {
      const auto descend = [&](const Value& child, std::size_t index, bool is_entry, const std::string& key) {
        Path path = place.path;
        path.push_back(index);
        visit(child, path, is_entry, key);
        next.push_back({&child, std::move(path), key});
      };
      for (std::size_t i = 0; i < place.value->items.size(); ++i) descend(place.value->items[i], i, false, place.key);
      for (std::size_t i = 0; i < place.value->entries.size(); ++i)
        descend(place.value->entries[i].value, i, true, place.value->entries[i].key);
    }
    level = std::move(next);
  }
}

/// Places of the commas that separate events of a text, outside of slashes.
std::vector<std::size_t> separators(const std::string& text) {
  std::vector<std::size_t> places;
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '/') inside = !inside;
    if (text[i] == ',' && !inside) places.push_back(i);
  }
  return places;
}

bool has_braces(const std::string& text) { return text.size() > 1 && text.front() == '{' && text.back() == '}'; }

/// Each event of a text that has several, with one of its commas.
void add_members(const std::string& text, const Path& path, std::vector<Part>& parts) {
  const std::vector<std::size_t> commas = separators(text);
  if (commas.empty()) return;
  const std::size_t first = has_braces(text) ? 1 : 0;
  const std::size_t last = text.size() - first;
  for (std::size_t i = 0; i <= commas.size(); ++i) {
    const std::size_t begin = i == 0 ? first : commas[i - 1];
    const std::size_t end = i == commas.size() ? last : i == 0 ? commas[i] + 1 : commas[i];
    parts.push_back({path, true, begin, end});
  }
}

/// Each term behind the first of an event, with its comma; and braces around a single event.
void add_terms(const std::string& text, const Path& path, std::vector<Part>& parts) {
  if (has_braces(text) && separators(text).empty())
    parts.push_back({path, true, 0, text.size(), text.substr(1, text.size() - 2)});
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '/') inside = !inside;
    if (!inside || text[i] != ',') continue;
    parts.push_back({path, true, i, std::min(text.find(',', i + 1), text.find('/', i + 1))});
  }
}

/// @return a time that is written with its unit, or 0
Picoseconds time_of(const Value& value) {
  if (value.kind != Value::Kind::scalar || value.scalar.find(' ') == std::string::npos) return 0;
  try {
    return scenario::parse_quantity(value.scalar, scenario::Quantity::duration);
  } catch (const std::exception&) {
    return 0;
  }
}

void add_time(const Value& value, const Path& path, Pass pass, std::vector<Part>& parts) {
  const Picoseconds now = time_of(value);
  Picoseconds then = 0;
  if (pass == Pass::times) then = now / 2;
  if (pass == Pass::rounding && now % kMicrosecond != 0) then = now / kMicrosecond * kMicrosecond;
  if (then > 0) parts.push_back({path, true, 0, value.scalar.size(), time(then).scalar});
}

void add_part(const Value& value, const Path& path, bool is_entry, const std::string& key, Pass pass, bool in_platform,
              std::vector<Part>& parts) {
  const bool is_event = !in_platform && key == "events" && value.kind == Value::Kind::scalar;
  switch (pass) {
    case Pass::lists:
    case Pass::platform_lists:
      if (!is_entry && in_platform == (pass == Pass::platform_lists)) parts.push_back({path});
      break;
    case Pass::keys:
    case Pass::platform_keys:
      // Without open_error, a driver that refuses the event rightly would fail, too.
      if (is_entry && key != "open_error" && in_platform == (pass == Pass::platform_keys)) parts.push_back({path});
      break;
    case Pass::events:
      if (is_event) add_members(value.scalar, path, parts);
      break;
    case Pass::terms:
      if (is_event) add_terms(value.scalar, path, parts);
      break;
    case Pass::times:
    case Pass::rounding:
      if (!in_platform) add_time(value, path, pass, parts);
      break;
  }
}

}  // namespace

std::vector<Part> parts_of(const Value& document, Pass pass) {
  std::vector<Part> parts;
  walk(document, [&](const Value& value, const Path& path, bool is_entry, const std::string& key) {
    add_part(value, path, is_entry, key, pass, is_platform(document, path), parts);
  });
  return parts;
}

Value without(Value document, std::vector<Part> parts) {
  // The last ones first, and what is inside before what is around it: the places of others stay.
  std::ranges::sort(parts,
                    [](const Part& a, const Part& b) { return std::tie(a.path, a.begin) > std::tie(b.path, b.begin); });
  for (const Part& part : parts) {
    Value* at = &document;
    const std::size_t depth = part.path.size() - (part.is_text ? 0 : 1);
    for (std::size_t i = 0; i < depth; ++i) {
      const std::size_t index = part.path[i];
      at = at->kind == Value::Kind::map ? &at->entries[index].value : &at->items[index];
    }
    if (part.is_text) {
      at->scalar.replace(part.begin, part.end - part.begin, part.replacement);
      continue;
    }
    const auto last = static_cast<std::ptrdiff_t>(part.path.back());
    if (at->kind == Value::Kind::map) {
      at->entries.erase(at->entries.begin() + last);
    } else {
      at->items.erase(at->items.begin() + last);
    }
  }
  return document;
}

}  // namespace pmufab::verify
