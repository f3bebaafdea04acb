// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "models/platform/platform_spec.h"
#include "testbench/run/yaml/document.h"
#include "testbench/run/yaml/reader.h"

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

}  // namespace pmufab::scenario
