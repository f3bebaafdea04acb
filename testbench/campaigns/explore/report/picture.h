// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pmufab::explore {

/// One value of a curve.
struct CurvePoint {
  std::size_t at = 0;  ///< number of the place on the axis
  double value = 0;
  std::optional<double> low;  ///< an interval around it
  std::optional<double> high;
  std::string text = {};  ///< the value's name, if it is no number: its value is a place among names
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
  std::vector<std::pair<double, std::string>> y_marks = {};  ///< what stands beside the axis; empty: round numbers
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
  bool has_names = false;                    ///< the numbers are places among names, which are the texts
};

/// How far a response goes away from that of a baseline, with one axis changed at a time.
struct RangeChart {
  std::string title;
  std::string value_name;
  double baseline = 0;
  struct Row {
    std::string name;  ///< of the axis
    double low = 0;    ///< the least response, and the value of the axis with which it comes
    std::string low_label;
    double high = 0;
    std::string high_label;
  };
  std::vector<Row> rows;
};

/// What is paid for what is got: a point for each design.
struct FrontChart {
  std::string title;
  std::string cost_name;
  std::string error_name;
  struct Point {
    double cost = 0;
    double error = 0;
    std::string name;          ///< of the design
    bool is_on_front = false;  ///< no other design is better in one and not worse in the other
  };
  std::vector<Point> points;  ///< sorted by cost, then by error
};

/// @return an SVG picture on white paper, which names no other file
[[nodiscard]] std::string to_svg(const CurveChart& chart);
[[nodiscard]] std::string to_svg(const HeatMap& map);
[[nodiscard]] std::string to_svg(const RangeChart& chart);
[[nodiscard]] std::string to_svg(const FrontChart& chart);
/// @return the numbers of the picture as comma-separated values, with a heading
[[nodiscard]] std::string to_csv(const CurveChart& chart);
[[nodiscard]] std::string to_csv(const HeatMap& map);
[[nodiscard]] std::string to_csv(const RangeChart& chart);
[[nodiscard]] std::string to_csv(const FrontChart& chart);

}  // namespace pmufab::explore
