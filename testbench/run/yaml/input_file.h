// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace pmufab::scenario {

/// Read a file that the user has named. Nobody is waited for: somebody must write to a named pipe already.
/// @param most  bytes that are of use; of a longer file, one more is returned
/// @throws InputError if it is a folder, or cannot be read
[[nodiscard]] std::string read_input(const std::filesystem::path& path, std::size_t most);

/// Remember a file that the user has named as an input, so that no output replaces it.
void note_input(const std::filesystem::path& path);
/// @return true if note_input() was told of the file, by whatever name. False if there is no such file
[[nodiscard]] bool is_input(const std::filesystem::path& path);

/// As read_input(), a file of JSON as this program writes it.
/// @param keys  of objects, at any depth: others are left out with what they hold. Empty: all stay
/// @return discarded, if it is no JSON
/// @throws InputError also if it is larger than `most` bytes, nests too deeply, or is a device, which may never end
[[nodiscard]] nlohmann::ordered_json read_json_input(const std::filesystem::path& path, std::size_t most,
                                                     const std::set<std::string_view>& keys = {});

}  // namespace pmufab::scenario
