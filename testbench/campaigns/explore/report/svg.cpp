// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/explore/report/svg.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "testbench/pages/page.h"

namespace pmufab::explore::svg {

std::string_view color(std::size_t number) noexcept {
  static constexpr std::array<std::string_view, 8> kColors = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                              "#8a6d00", "#56b4e9", "#000000", "#7f7f7f"};
  return kColors[number % kColors.size()];
}

std::string begin(double width, double height, const std::string& title) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"12\" role=\"img\"><title>{2}</title>"
      "<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"#ffffff\"/>"
      "<text x=\"10\" y=\"20\" font-size=\"14\" fill=\"{3}\">{2}</text>\n",
      width, height, html::escaped(title), kInk);
}

std::string end() { return "</svg>\n"; }

std::string text(double x, double y, std::string_view anchor, const std::string& text, std::string_view more) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"{}\"{}>{}</text>\n", x, y, anchor, kInk,
                     more, html::escaped(text));
}

std::string upright_text(double x, double y, const std::string& content) {
  return text(x, y, "middle", content, fmt::format(" transform=\"rotate(-90 {:.1f} {:.1f})\"", x, y));
}

std::string line(double x1, double y1, double x2, double y2, std::string_view color) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1, x2, y2,
                     color);
}

std::string dot(double x, double y, std::string_view color, const std::string& told) {
  return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"><title>{}</title></circle>\n", x, y,
                     color, html::escaped(told));
}

double width_of(const std::string& text) noexcept {
  constexpr double kLetter = 7;
  return static_cast<double>(text.size()) * kLetter;
}

std::string tick_text(double number) {
  constexpr double kLarge = 1e6;
  return std::abs(number) >= kLarge ? fmt::format("{:.3g}", number) : fmt::format("{:.5g}", number);
}

std::vector<double> ticks_of(double low, double high) {
  constexpr double kTicks = 5;
  const double rough = (high - low) / kTicks;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = power;
  for (const double factor : {2.0, 5.0, 10.0}) {
    if (step < rough) step = power * factor;
  }
  std::vector<double> ticks;
  constexpr double kRounding = 1e-9;
  for (double at = std::floor(low / step + kRounding); at * step < high + step * (1 - kRounding); ++at)
    ticks.push_back(at * step);
  return ticks;
}

}  // namespace pmufab::explore::svg
