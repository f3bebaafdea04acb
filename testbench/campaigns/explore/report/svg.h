// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// What pictures are made of: SVG on white paper, which names no other file.
namespace pmufab::explore::svg {

inline constexpr std::string_view kInk = "#1b1f24";
inline constexpr std::string_view kSoft = "#59636e";
inline constexpr std::string_view kGrid = "#d3d9df";

/// @return a colour that people with any kind of colour vision tell from the others (Okabe and Ito)
[[nodiscard]] std::string_view color(std::size_t number) noexcept;

/// @return a picture's beginning: its size, its paper and its title
[[nodiscard]] std::string begin(double width, double height, const std::string& title);
[[nodiscard]] std::string end();

/// @param anchor  start, middle or end
/// @param more    attributes
[[nodiscard]] std::string text(double x, double y, std::string_view anchor, const std::string& text,
                               std::string_view more = {});
/// @return a text that reads from below to above, around a place
[[nodiscard]] std::string upright_text(double x, double y, const std::string& text);
[[nodiscard]] std::string line(double x1, double y1, double x2, double y2, std::string_view color);
/// @param told  shown while the pointer is on it
[[nodiscard]] std::string dot(double x, double y, std::string_view color, const std::string& told);

/// @return how wide a text is, about
[[nodiscard]] double width_of(const std::string& text) noexcept;

/// Numbers as people read them beside an axis.
[[nodiscard]] std::string tick_text(double number);
/// @return numbers from the least to the greatest of the values, in steps of 1, 2 or 5 times a power of ten
[[nodiscard]] std::vector<double> ticks_of(double low, double high);

}  // namespace pmufab::explore::svg
