// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/platform/platform_spec.h"
#include "testbench/run/yaml/document.h"
#include "testbench/run/yaml/reader.h"
#include "testbench/traffic/producers/traffic_spec.h"

/// What loaders of several kinds of fabric share. Not a public header.
namespace pmufab::scenario {

/// The place in a document of the field that a check in a lower layer complains about ("a.b[2].c"); the nearest node
/// above it if the field is not written. A member `x_hz` is the key `x`.
[[nodiscard]] Source locate(const Value& document, std::string_view field);

/// What a file describes.
enum class FileKind : std::uint8_t { scenario, platform, traffic, results };
/// Refuse a file that clearly describes something else: a list of its unknown keys would not help.
/// @param path  of the map, for messages
/// @throws InputError that names both kinds, and who takes such a file
void check_kind(const Value& document, const std::string& path, FileKind wanted);

/// Read the file of a platform: YAML, or a plug-in, which is a platform by itself.
/// @throws InputError
[[nodiscard]] Value load_platform_file(const std::filesystem::path& file);

/// Read a platform map (name, kind, ...) and check it. @param path  of the map, for messages
/// @throws InputError
[[nodiscard]] platform::PlatformSpec read_platform(const Value& document, const std::string& path, Value& effective);

/// {word: weight, word: weight}
void read_weights(Reader& reader, std::string_view key,
                  const std::function<void(const Value::Entry& entry, std::uint32_t weight)>& read);
/// @return which of `names` the entry's key is. @param what  "operation" @throws InputError for none
[[nodiscard]] unsigned number_of_word(const Reader& reader, std::string_view key, const Value::Entry& entry,
                                      std::string_view what, const std::vector<std::string>& names);

struct TraceFiles {
  std::filesystem::path base;      ///< folder that trace files without a leading '/' are in
  std::string default_trace;       ///< for replays that name no file
  std::vector<std::string>& used;  ///< files that are named are added
};

/// Read the key `file` of a replay. @return the file, as the program opens it; empty if none is named
[[nodiscard]] std::string read_trace_file(Reader& reader, const TraceFiles& files);

/// The parts of traffic that several kinds of fabric have. Not a public header.
/// @return the words of an enumeration that has a to_string(), from its first value to `last`.
template <typename Enum>
Words<Enum> words_up_to(Enum last) {
  Words<Enum> words;
  for (unsigned i = 0; i <= static_cast<unsigned>(last); ++i)
    words.emplace_back(to_string(static_cast<Enum>(i)), static_cast<Enum>(i));
  return words;
}

void read_requester(Reader& reader, traffic::RequesterSpec& requester);
void read_pattern(Reader& reader, traffic::PatternSpec& pattern);
void read_pacing(Reader& reader, traffic::PacingSpec& pacing);
void read_burst(Reader& reader, traffic::BurstSpec& burst);

/// Read `mix`, a map of operations and weights, if it is there, and put what then holds into the effective scenario.
/// @param operations  how many the enumeration has, from 0 on, each with a name
/// @param member      of a share: its operation
/// @param from        knows more names, if there is one
/// @throws InputError for an operation there is not, or a weight that is no number
template <typename Operation, typename Share>
void read_operation_mix(Reader& reader, unsigned operations, std::vector<Share>& mix, Operation Share::*member,
                        std::string_view (*name_of)(Operation),
                        std::optional<Operation> (*from)(std::string_view) = nullptr) {
  bool first = true;
  read_weights(reader, "mix", [&](const Value::Entry& entry, std::uint32_t weight) {
    if (std::exchange(first, false)) mix.clear();
    std::vector<std::string> names;
    for (unsigned number = 0; number < operations; ++number)
      names.emplace_back(name_of(static_cast<Operation>(number)));
    Share share;
    const std::optional<Operation> known = from != nullptr ? from(entry.key) : std::nullopt;
    share.*member = known ? *known : static_cast<Operation>(number_of_word(reader, "mix", entry, "operation", names));
    share.weight = weight;
    mix.push_back(share);
  });
  if (mix.empty()) return;
  Value map = Value::map();
  for (const Share& share : mix)
    map.add(std::string(name_of(share.*member)), Value::of(fmt::format("{}", share.weight)));
  reader.put("mix", std::move(map));
}

}  // namespace pmufab::scenario
