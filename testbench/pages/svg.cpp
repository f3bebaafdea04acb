// SPDX-License-Identifier: Apache-2.0
#include "testbench/pages/svg.h"

#include <fmt/format.h>

#include "testbench/pages/page.h"

namespace pmufab::html {
namespace {

std::string written(const SvgAttribute& attribute) {
  return fmt::format(" {}=\"{}\"", attribute.name, escaped(attribute.value.text()));
}

/// The class first, then the place, then the rest.
std::string attributes(SvgLook place, SvgLook look) {
  std::string text;
  for (const SvgAttribute& attribute : look) text += attribute.name == "class" ? written(attribute) : "";
  for (const SvgAttribute& attribute : place) text += written(attribute);
  for (const SvgAttribute& attribute : look) text += attribute.name != "class" ? written(attribute) : "";
  return text;
}

std::string title(std::string_view told) { return told.empty() ? "" : fmt::format("<title>{}</title>", escaped(told)); }

}  // namespace

SvgValue::SvgValue(double length) : text_(fmt::format("{:.1f}", length)) {}

void SvgPath::move_to(double x, double y) { text_ += fmt::format("M{:.1f} {:.1f}", x, y); }

void SvgPath::line_to(double x, double y) { text_ += fmt::format("L{:.1f} {:.1f}", x, y); }

void Svg::add(std::string_view name, SvgLook place, SvgLook look, std::string_view content) {
  body_ += fmt::format("<{}{}", name, attributes(place, look));
  body_ += content.empty() ? "/>\n" : fmt::format(">{}</{}>\n", content, name);
}

void Svg::line(const SvgValue& x1, const SvgValue& y1, const SvgValue& x2, const SvgValue& y2, SvgLook look,
               std::string_view told) {
  add("line", {{"x1", x1}, {"y1", y1}, {"x2", x2}, {"y2", y2}}, look, title(told));
}

void Svg::rect(const SvgValue& x, const SvgValue& y, const SvgValue& width, const SvgValue& height, SvgLook look,
               std::string_view told) {
  add("rect", {{"x", x}, {"y", y}, {"width", width}, {"height", height}}, look, title(told));
}

void Svg::circle(const SvgValue& x, const SvgValue& y, const SvgValue& radius, SvgLook look, std::string_view told) {
  add("circle", {{"cx", x}, {"cy", y}, {"r", radius}}, look, title(told));
}

void Svg::text(const SvgValue& x, const SvgValue& y, std::string_view content, SvgLook look) {
  body_ += fmt::format("<text{}>{}</text>\n", attributes({{"x", x}, {"y", y}}, look), escaped(content));
}

void Svg::path(std::string_view d, SvgLook look) { add("path", {{"d", d}}, look, {}); }

void Svg::polyline(std::string_view points, SvgLook look) { add("polyline", {{"points", points}}, look, {}); }

void Svg::begin_group(SvgLook look, std::string_view told) {
  body_ += fmt::format("<g{}>{}\n", attributes({}, look), title(told));
}

std::string Svg::picture(double width, double height, std::string_view title_text, SvgLook look,
                         std::string_view rules) const {
  const std::string size = fmt::format("width=\"{:.0f}\" height=\"{:.0f}\"", width, height);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" {} viewBox=\"0 0 {:.0f} {:.0f}\"{}>\n{}\n{}<rect {} "
      "fill=\"{}\"/>\n{}</svg>\n",
      size, width, height, attributes({}, look), title(title_text),
      rules.empty() ? "" : fmt::format("<style>{}</style>\n", rules), size, colour::kPaper, body_);
}

std::string Svg::part_of_page(double width, double height, SvgLook look) const {
  return fmt::format("<svg{}>\n{}</svg>\n",
                     attributes({{"viewBox", fmt::format("0 0 {:.0f} {:.0f}", width, height)}, {"role", "img"}}, look),
                     body_);
}

}  // namespace pmufab::html
