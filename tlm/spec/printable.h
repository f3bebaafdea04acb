// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pmufab {

/// @return how many bytes from the front are well-formed UTF-8 (Unicode standard, table 3-7).
[[nodiscard]] std::size_t utf8_prefix(std::string_view text) noexcept;

/// Text that a file, a driver or an option gave, for a terminal or a report. Control characters, those that
/// reverse or hide what a terminal shows, and bytes that are not UTF-8, become "\x1b" and the like. Tabs stay.
[[nodiscard]] std::string printable(std::string_view text);
/// As printable(), and line feeds stay too.
[[nodiscard]] std::string printable_lines(std::string_view text);

/// As printable_lines(), for a message that quotes given values. What stands between single quotes is cut if it
/// is longer than 120 characters. Its first 80 and its length are left: 'aaaa... (70,000 characters)'.
[[nodiscard]] std::string printable_message(std::string_view text);

/// "1,234,567"
[[nodiscard]] std::string with_separators(std::uint64_t number);

}  // namespace pmufab
