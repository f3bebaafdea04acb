// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/explore/report/svg.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace pmufab::explore::svg {

std::string_view color(std::size_t number) noexcept {
  static constexpr std::array<std::string_view, 8> kColors = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                              "#8a6d00", "#56b4e9", "#000000", "#7f7f7f"};
  return kColors[number % kColors.size()];
}

Chart::Chart(double width, double height, const std::string& title) : width_(width), height_(height), title_(title) {
  svg_.text(10, 20, title, {{"font-size", 14}, {"fill", html::colour::kInk}});
}

void Chart::text(double x, double y, std::string_view anchor, const std::string& text) {
  svg_.text(x, y, text, {{"text-anchor", anchor}, {"fill", html::colour::kInk}});
}

void Chart::upright_text(double x, double y, const std::string& text) {
  svg_.text(x, y, text,
            {{"text-anchor", "middle"},
             {"fill", html::colour::kInk},
             {"transform", fmt::format("rotate(-90 {:.1f} {:.1f})", x, y)}});
}

void Chart::line(double x1, double y1, double x2, double y2, std::string_view color) {
  svg_.line(x1, y1, x2, y2, {{"stroke", color}});
}

void Chart::dot(double x, double y, std::string_view color, const std::string& told) {
  svg_.circle(x, y, 3, {{"fill", color}}, told);
}

std::string Chart::picture() const {
  return svg_.picture(width_, height_, title_, {{"font-family", "sans-serif"}, {"font-size", 12}, {"role", "img"}});
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
