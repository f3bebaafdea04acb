// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Pages for browsers. Each is one file that names no other: style and script are in it.
namespace pmufab::html {

/// Any text as HTML shows it. Characters that control how others are shown become visible, as by printable().
[[nodiscard]] std::string escaped(std::string_view text);
/// As escaped(), and line feeds stay.
[[nodiscard]] std::string escaped_lines(std::string_view text);

enum class Script : std::uint8_t {
  none,
  tables,  ///< searches, filters and sorts the table with the id "runs", by the controls with the id "controls"
};

/// @return a page up to its content. @param title  any text
[[nodiscard]] std::string page_begin(std::string_view title, Script script);
/// @return what follows the content
[[nodiscard]] std::string page_end(Script script);

/// @param title  markup
/// @param content  markup. @return what opens with a click
[[nodiscard]] std::string details(std::string_view title, std::string_view content, bool is_open = false);
/// @param items  markup. @return a list that opens with a click; "" for an empty one
[[nodiscard]] std::string details_list(std::string_view title, const std::vector<std::string>& items);

}  // namespace pmufab::html
