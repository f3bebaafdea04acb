// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/pages/svg.h"

/// What charts share besides html::Svg.
namespace pmufab::explore::svg {

/// @return a colour that people with any kind of colour vision tell from the others (Okabe and Ito)
[[nodiscard]] std::string_view color(std::size_t number) noexcept;

/// A chart, with its title on top.
class Chart {
 public:
  Chart(double width, double height, const std::string& title);

  /// @param anchor  start, middle or end
  void text(double x, double y, std::string_view anchor, const std::string& text);
  /// A text that reads from below to above, around a place.
  void upright_text(double x, double y, const std::string& text);
  void line(double x1, double y1, double x2, double y2, std::string_view color);
  /// @param told  shown while the pointer is on it
  void dot(double x, double y, std::string_view color, const std::string& told);
  /// What else there is.
  [[nodiscard]] html::Svg& svg() noexcept { return svg_; }
  [[nodiscard]] std::string picture() const;

 private:
  double width_;
  double height_;
  std::string title_;
  html::Svg svg_;
};

/// @return how wide a text is, about
[[nodiscard]] double width_of(const std::string& text) noexcept;

/// Numbers as people read them beside an axis.
[[nodiscard]] std::string tick_text(double number);
/// @return numbers from the least to the greatest of the values, in steps of 1, 2 or 5 times a power of ten
[[nodiscard]] std::vector<double> ticks_of(double low, double high);

}  // namespace pmufab::explore::svg
