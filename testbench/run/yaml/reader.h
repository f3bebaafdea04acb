// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "testbench/run/yaml/document.h"
#include "testbench/run/yaml/quantity.h"

namespace pmufab::scenario {

/// Words a key may hold and what each one means.
template <typename Enum>
using Words = std::vector<std::pair<std::string_view, Enum>>;

enum class Presence : std::uint8_t { optional, required };

/// The longest time a configuration may name: ten million seconds. Simulated time ends at 2^64 ps, which is 1.8 times
/// that: what a run adds to one such time does not wrap.
inline constexpr std::uint64_t kMaximumDuration = 10'000'000'000'000'000'000U;

/// Reads one map strictly into variables, and writes the same map with every default filled in.
///
/// Each key is named once, by the call that reads it. A variable holds its default before the call and keeps it if the
/// key is absent (or null). finish() refuses keys nobody asked for. All functions throw InputError with the place of
/// the key and its whole path.
class Reader {
 public:
  /// @param value      a map; null counts as an empty one
  /// @param path       of this map, for messages; empty at the top
  /// @param effective  receives the keys in the order they are read
  Reader(const Value& value, std::string path, Value& effective);
  Reader& operator=(Reader&&) = delete;

  [[nodiscard]] bool has(std::string_view key);

  /// One line.
  void text(std::string_view key, std::string& out, Presence presence = Presence::optional);
  /// Any number of lines.
  void prose(std::string_view key, std::string& out, Presence presence = Presence::optional);
  void flag(std::string_view key, bool& out);
  void real(std::string_view key, double& out, double minimum, double maximum);
  /// A list of texts of one line, not empty if required; a single text is a list of one.
  void texts(std::string_view key, std::vector<std::string>& out, Presence presence = Presence::optional);

  /// A number with an optional unit (see Quantity), within [minimum, maximum] and T; durations up to kMaximumDuration.
  template <typename T>
  void number(std::string_view key, T& out, Quantity quantity = Quantity::count, std::uint64_t minimum = 0,
              std::uint64_t maximum = std::numeric_limits<std::uint64_t>::max(),
              Presence presence = Presence::optional) {
    static_assert(std::is_unsigned_v<T>);
    if (quantity == Quantity::duration) maximum = std::min(maximum, kMaximumDuration);
    const std::uint64_t limit = std::min<std::uint64_t>(maximum, std::numeric_limits<T>::max());
    out = static_cast<T>(unsigned_number(key, out, quantity, minimum, limit, presence));
  }

  /// One of a set of words.
  template <typename Enum>
  void choice(std::string_view key, Enum& out, const Words<Enum>& words) {
    std::vector<std::string> names;
    std::size_t index = words.size();
    for (const auto& [word, meaning] : words) {
      if (meaning == out && index == words.size()) index = names.size();
      names.emplace_back(word);
    }
    out = words.at(choose(key, index, names)).second;
  }

  /// A list of words out of a set, each at most once.
  template <typename Enum>
  void choices(std::string_view key, std::vector<Enum>& out, const Words<Enum>& words) {
    std::vector<std::string> names;
    for (const auto& entry : words) names.emplace_back(entry.first);
    std::vector<std::size_t> indices;
    for (const Enum meaning : out) {
      for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i].second == meaning) indices.push_back(i);
      }
    }
    choose_several(key, indices, names);
    out.clear();
    for (const std::size_t index : indices) out.push_back(words.at(index).second);
  }

  /// A map within this map. `read` is called whether the key is there or not (then with an empty map), so that defaults
  /// reach the effective configuration.
  void object(std::string_view key, const std::function<void(Reader&)>& read);
  /// As object(), but if the key is absent nothing happens. @return true if it is there
  bool optional_object(std::string_view key, const std::function<void(Reader&)>& read);
  /// A list of maps, not empty if required. @return its length (0 if absent)
  std::size_t list(std::string_view key, const std::function<void(Reader&, std::size_t)>& read,
                   Presence presence = Presence::optional);

  /// Hand over what stands under the key for another reader, and copy nothing to the effective configuration; null if
  /// absent.
  [[nodiscard]] const Value* take(std::string_view key);
  /// Add a key to the effective configuration (for what take() handed over).
  Value& put(std::string_view key, Value value);

  /// @throws InputError at the key's value (or at this map if it is absent)
  [[noreturn]] void fail(std::string_view key, std::string reason, std::string suggestion = {});

  /// Refuse unknown keys, then missing required ones.
  void finish();

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] std::string path_of(std::string_view key) const;
  [[nodiscard]] const Source& source() const noexcept { return value_.source; }

 private:
  const Value* ask(std::string_view key, Presence presence = Presence::optional);
  const std::string& scalar(std::string_view key, const Value& value, std::string_view wanted);
  std::uint64_t unsigned_number(std::string_view key, std::uint64_t value, Quantity quantity, std::uint64_t minimum,
                                std::uint64_t maximum, Presence presence);
  std::size_t choose(std::string_view key, std::size_t index, const std::vector<std::string>& names);
  std::size_t choose_word(std::string_view key, const Value& value, const std::vector<std::string>& names);
  void choose_several(std::string_view key, std::vector<std::size_t>& indices, const std::vector<std::string>& names);
  static void read_map(const Value& value, const std::string& path, Value& effective,
                       const std::function<void(Reader&)>& read);

  const Value& value_;
  std::string path_;
  Value& effective_;
  std::vector<std::string> known_;
  std::vector<std::string> missing_;
};

}  // namespace pmufab::scenario
