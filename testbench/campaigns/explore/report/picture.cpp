// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/explore/report/picture.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "testbench/campaigns/explore/report/export.h"
#include "testbench/campaigns/explore/report/svg.h"
#include "testbench/pages/svg.h"
#include "testbench/run/report/report.h"

namespace pmufab::explore {
namespace {

constexpr double kWidth = 760;
constexpr double kHeight = 400;
constexpr double kLeft = 80;
constexpr double kRight = 200;
constexpr double kTop = 36;
constexpr double kBottom = 54;

std::string text_of(const CurvePoint& point) { return point.text.empty() ? number_text(point.value) : point.text; }

/// Where the values of the axis stand, 0 ... 1.
std::vector<double> places_of(const CurveChart& chart) {
  const std::size_t size = chart.x_labels.size();
  std::vector<double> numbers = chart.x_numbers;
  if (numbers.size() != size) {
    numbers.clear();
    for (std::size_t i = 0; i < size; ++i) numbers.push_back(static_cast<double>(i));
  }
  double least = *std::ranges::min_element(numbers);
  double most = *std::ranges::max_element(numbers);
  constexpr double kWide = 50;  // over so many times the first value, equal ratios get equal distances
  if (least > 0 && most / least >= kWide) {
    for (double& number : numbers) number = std::log(number);
    least = std::log(least);
    most = std::log(most);
  }
  for (double& number : numbers) number = most > least ? (number - least) / (most - least) : 0.5;
  return numbers;
}

class CurvePicture {
 public:
  explicit CurvePicture(const CurveChart& chart) : chart_(chart), places_(places_of(chart)), marks_(chart.y_marks) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const Curve& curve : chart.curves) {
      for (const CurvePoint& point : curve.points) {
        low = std::min(low, point.low.value_or(point.value));
        high = std::max(high, point.high.value_or(point.value));
      }
    }
    if (low > high) low = high = 0;
    // A curve that begins not far above 0 is shown from 0.
    if (low > 0 && low < high / 2) low = 0;
    if (low == high) high = low + 1;
    if (marks_.empty()) {
      for (const double tick : svg::ticks_of(low, high)) marks_.emplace_back(tick, svg::tick_text(tick));
      std::tie(low_, high_) = std::pair(marks_.front().first, marks_.back().first);
    } else {
      for (const auto& [number, label] : marks_)
        std::tie(low, high) = std::pair(std::min(low, number), std::max(high, number));
      std::tie(low_, high_) = std::pair(low, high);
    }
  }

  std::string svg() {
    draw_axes();
    double legend = kTop + 8;
    for (const Curve& curve : chart_.curves) {
      draw(curve);
      paper_.svg().line(kWidth - kRight + 12, legend - 4, kWidth - kRight + 36, legend - 4,
                        {{"stroke", color(curve)},
                         {"stroke-width", width(curve)},
                         {"stroke-dasharray", dashes(curve)},
                         {"fill", "none"}});
      paper_.text(kWidth - kRight + 42, legend, "start", shortened(curve.name));
      legend += 17;
    }
    return paper_.picture();
  }

 private:
  static std::string shortened(const std::string& name) {
    constexpr std::size_t kLongest = 24;
    return name.size() <= kLongest ? name : name.substr(0, kLongest - 3) + "...";
  }
  static std::string_view color(const Curve& curve) { return svg::color(curve.color); }
  static std::string_view width(const Curve& curve) { return curve.is_dashed ? "1.5" : "2"; }
  static std::string_view dashes(const Curve& curve) { return curve.is_dashed ? "5 4" : "none"; }
  [[nodiscard]] double x(std::size_t at) const { return kLeft + 10 + places_[at] * (kWidth - kLeft - kRight - 20); }
  [[nodiscard]] double y(double value) const {
    return kHeight - kBottom - (value - low_) / (high_ - low_) * (kHeight - kTop - kBottom);
  }

  void draw_axes() {
    double last = kHeight;  // no label is written over another one
    for (const auto& [number, label] : marks_) {
      constexpr double kLine = 14;
      if (last - y(number) < kLine) continue;
      last = y(number);
      paper_.line(kLeft, last, kWidth - kRight, last, html::colour::kLine);
      paper_.text(kLeft - 6, last + 4, "end", label);
    }
    paper_.line(kLeft, kHeight - kBottom, kWidth - kRight, kHeight - kBottom, html::colour::kSoft);
    double free = 0;
    for (std::size_t i = 0; i < chart_.x_labels.size(); ++i) {
      const double half = svg::width_of(chart_.x_labels[i]) / 2 + 4;
      if (x(i) - half < free) continue;
      free = x(i) + half;
      paper_.line(x(i), kHeight - kBottom, x(i), kHeight - kBottom + 4, html::colour::kSoft);
      paper_.text(x(i), kHeight - kBottom + 18, "middle", chart_.x_labels[i]);
    }
    paper_.text((kLeft + kWidth - kRight) / 2, kHeight - 12, "middle", chart_.x_name);
    paper_.upright_text(16, (kTop + kHeight - kBottom) / 2, chart_.y_name);
  }

  void draw(const Curve& curve) {
    html::SvgPath path;
    std::optional<std::size_t> before;
    for (const CurvePoint& point : curve.points) {
      const bool goes_on = before && point.at == *before + 1;
      if (goes_on) {
        path.line_to(x(point.at), y(point.value));
      } else {
        path.move_to(x(point.at), y(point.value));
      }
      before = point.at;
      if (point.low && point.high && *point.low < *point.high)
        paper_.line(x(point.at), y(*point.low), x(point.at), y(*point.high), color(curve));
      if (!curve.is_dashed)
        paper_.dot(
            x(point.at), y(point.value), color(curve),
            fmt::format("{}: {} = {}, {}", curve.name, chart_.x_name, chart_.x_labels[point.at], text_of(point)));
    }
    paper_.svg().path(path.text(), {{"stroke", color(curve)},
                                    {"stroke-width", width(curve)},
                                    {"stroke-dasharray", dashes(curve)},
                                    {"fill", "none"}});
  }

  const CurveChart& chart_;
  std::vector<double> places_;
  std::vector<std::pair<double, std::string>> marks_;
  double low_ = 0;
  double high_ = 1;
  svg::Chart paper_{kWidth, kHeight, chart_.title};
};

/// From white to blue: what stands on it in black or white can be read, and print in grey keeps the order.
std::string shade(double part) {
  const auto mix = [&](double from, double to) { return static_cast<int>(from + (to - from) * part); };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(247, 8), mix(251, 64), mix(255, 129));
}

}  // namespace

std::string to_svg(const CurveChart& chart) { return CurvePicture(chart).svg(); }

std::string to_svg(const HeatMap& map) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const std::optional<double>& cell : map.cells) {
    if (!cell) continue;
    low = std::min(low, *cell);
    high = std::max(high, *cell);
  }
  double longest = 28;
  for (const std::string& label : map.y_labels) longest = std::max(longest, svg::width_of(label));
  constexpr double kCellHeight = 24;
  const double left = 34 + longest;
  const double cell_width = std::clamp(640.0 / static_cast<double>(map.x_labels.size()), 30.0, 90.0);
  const double width = std::max(420.0, left + cell_width * static_cast<double>(map.x_labels.size()) + 20);
  const double bottom = kTop + kCellHeight * static_cast<double>(map.y_labels.size());
  svg::Chart paper(width, bottom + kBottom, map.title);
  for (std::size_t row = 0; row < map.y_labels.size(); ++row) {
    const double y = kTop + kCellHeight * static_cast<double>(row);
    paper.text(left - 6, y + 16, "end", map.y_labels[row]);
    for (std::size_t column = 0; column < map.x_labels.size(); ++column) {
      const std::size_t at = row * map.x_labels.size() + column;
      const double x = left + cell_width * static_cast<double>(column);
      const std::optional<double>& cell = map.cells[at];
      const double part = cell && high > low ? (*cell - low) / (high - low) : 0;
      const std::string text = !map.texts.empty() ? map.texts[at] : cell ? svg::tick_text(*cell) : "";
      paper.svg().rect(
          x, y, cell_width, kCellHeight,
          {{"fill", cell ? shade(part) : std::string(html::colour::kPaper)}, {"stroke", html::colour::kLine}},
          fmt::format("{} = {}, {} = {}: {}", map.x_name, map.x_labels[column], map.y_name, map.y_labels[row], text));
      // A cell is too narrow for a long number: it is told when the pointer is on it, and in the table.
      if (svg::width_of(text) > cell_width) continue;
      paper.svg().text(x + cell_width / 2, y + 16, text,
                       {{"text-anchor", "middle"}, {"fill", part > 0.5 ? html::colour::kPaper : html::colour::kInk}});
    }
  }
  double free = 0;
  for (std::size_t column = 0; column < map.x_labels.size(); ++column) {
    const double middle = left + cell_width * (static_cast<double>(column) + 0.5);
    const double half = svg::width_of(map.x_labels[column]) / 2 + 2;
    if (middle - half < free) continue;
    free = middle + half;
    paper.text(middle, bottom + 16, "middle", map.x_labels[column]);
  }
  paper.text(left + cell_width * static_cast<double>(map.x_labels.size()) / 2, bottom + 38, "middle", map.x_name);
  paper.upright_text(14, (kTop + bottom) / 2, map.y_name);
  return paper.picture();
}

std::string to_csv(const CurveChart& chart) {
  std::string csv =
      fmt::format("curve,{},{},low,high\n", scenario::csv_field(chart.x_name), scenario::csv_field(chart.y_name));
  for (const Curve& curve : chart.curves) {
    for (const CurvePoint& point : curve.points)
      csv += fmt::format("{},{},{},{},{}\n", scenario::csv_field(curve.name),
                         scenario::csv_field(chart.x_labels[point.at]),
                         point.text.empty() ? number_text(point.value) : scenario::csv_field(point.text),
                         point.low ? number_text(*point.low) : "", point.high ? number_text(*point.high) : "");
  }
  return csv;
}

std::string to_csv(const HeatMap& map) {
  std::string csv = fmt::format("{},{},value\n", scenario::csv_field(map.y_name), scenario::csv_field(map.x_name));
  for (std::size_t i = 0; i < map.cells.size(); ++i) {
    csv += fmt::format("{},{},{}\n", scenario::csv_field(map.y_labels[i / map.x_labels.size()]),
                       scenario::csv_field(map.x_labels[i % map.x_labels.size()]),
                       !map.cells[i]   ? std::string()
                       : map.has_names ? scenario::csv_field(map.texts[i])
                                       : number_text(*map.cells[i]));
  }
  return csv;
}

}  // namespace pmufab::explore
