// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace pmufab::explore {

/// One value of a curve.
struct CurvePoint {
  std::size_t at = 0;  ///< number of the place on the axis
  double value = 0;
  std::optional<double> low;  ///< an interval around it
  std::optional<double> high;
};

struct Curve {
  std::string name;
  std::vector<CurvePoint> points;
  bool is_dashed = false;  ///< computed, not simulated
  std::size_t color = 0;   ///< the same for what belongs together
};

/// Curves over the values of one axis.
struct CurveChart {
  std::string title;
  std::string x_name;
  std::vector<std::string> x_labels;
  std::vector<double> x_numbers;  ///< where they stand; empty: at equal distances
  std::string y_name;
  std::vector<Curve> curves;
};

/// A value for each pair of values of two axes.
struct HeatMap {
  std::string title;
  std::string x_name;
  std::vector<std::string> x_labels;
  std::string y_name;
  std::vector<std::string> y_labels;
  std::vector<std::optional<double>> cells;  ///< row by row
  std::vector<std::string> texts;            ///< of the cells; empty: their numbers
};

/// @return an SVG picture on white paper, which names no other file
[[nodiscard]] std::string to_svg(const CurveChart& chart);
[[nodiscard]] std::string to_svg(const HeatMap& map);
/// @return the numbers of the picture as comma-separated values, with a heading
[[nodiscard]] std::string to_csv(const CurveChart& chart);
[[nodiscard]] std::string to_csv(const HeatMap& map);

}  // namespace pmufab::explore
