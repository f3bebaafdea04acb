// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>

namespace pmufab::html {

/// Colours on white paper: those of a page in its light style, which has others for a dark one (page.cpp).
namespace colour {
inline constexpr std::string_view kPaper = "#ffffff";
inline constexpr std::string_view kInk = "#1b1f24";
inline constexpr std::string_view kSoft = "#59636e";
inline constexpr std::string_view kLine = "#d3d9df";
inline constexpr std::string_view kBand = "#f3f5f7";
inline constexpr std::string_view kGood = "#1a7f37";
inline constexpr std::string_view kBad = "#c0261c";
inline constexpr std::string_view kOpen = "#8a5a00";
inline constexpr std::string_view kDriver = "#1f5fbf";
}  // namespace colour

/// What an attribute says: any text, a whole number, or a length, which is written with one digit behind the point.
class SvgValue {
 public:
  // NOLINTBEGIN(google-explicit-constructor): so that {"y", 3} is an attribute
  template <std::convertible_to<std::string_view> Text>
  SvgValue(const Text& text) : text_(std::string_view(text)) {}
  template <std::integral Whole>
  SvgValue(Whole number) : text_(std::to_string(number)) {}
  SvgValue(double length);
  // NOLINTEND(google-explicit-constructor)
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
};

struct SvgAttribute {
  std::string_view name;
  SvgValue value;
};
/// Attributes besides the place: {{"class", "axis"}, {"stroke-width", 2}}
using SvgLook = std::initializer_list<SvgAttribute>;

/// A path of straight lines.
class SvgPath {
 public:
  void move_to(double x, double y);
  void line_to(double x, double y);
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
};

/// The elements of a picture, in the order in which they are drawn. Texts are any text: they are escaped.
///
///     Svg svg;
///     svg.line(0, 10, width, 10, {{"stroke", colour::kLine}});
///     svg.circle(x, y, 3, {{"fill", colour::kBad}}, "shown while the pointer is on it");
///     return svg.picture(width, 20, "A dot on a line");
class Svg {
 public:
  void line(const SvgValue& x1, const SvgValue& y1, const SvgValue& x2, const SvgValue& y2, SvgLook look,
            std::string_view told = {});
  void rect(const SvgValue& x, const SvgValue& y, const SvgValue& width, const SvgValue& height, SvgLook look,
            std::string_view told = {});
  void circle(const SvgValue& x, const SvgValue& y, const SvgValue& radius, SvgLook look, std::string_view told = {});
  void text(const SvgValue& x, const SvgValue& y, std::string_view content, SvgLook look = {});
  /// @param d  as SVG has it, such as SvgPath::text()
  void path(std::string_view d, SvgLook look);
  /// @param points  "0,10 20,30"
  void polyline(std::string_view points, SvgLook look);
  /// What follows is a group, up to end_group().
  void begin_group(SvgLook look, std::string_view told = {});
  void end_group() { body_ += "</g>\n"; }
  /// Draw all of another one over what is there.
  void add(const Svg& other) { body_ += other.body_; }

  /// @return a whole picture on white paper, which names no other file
  /// @param look   of all of it
  /// @param rules  a style sheet for its classes. A page that has the picture in it obeys it, too
  [[nodiscard]] std::string picture(double width, double height, std::string_view title, SvgLook look = {},
                                    std::string_view rules = {}) const;
  /// @return a picture as a part of a page. @param look  with a class that the page's style knows (page.cpp)
  [[nodiscard]] std::string part_of_page(double width, double height, SvgLook look) const;

 private:
  void add(std::string_view name, SvgLook place, SvgLook look, std::string_view content);

  std::string body_;
};

}  // namespace pmufab::html
