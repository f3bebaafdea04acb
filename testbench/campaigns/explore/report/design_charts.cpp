// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "testbench/campaigns/explore/report/export.h"
#include "testbench/campaigns/explore/report/picture.h"
#include "testbench/campaigns/explore/report/svg.h"
#include "testbench/pages/svg.h"
#include "testbench/run/report/report.h"

namespace pmufab::explore {
namespace {

/// Places of numbers between two ends of a picture.
class Scale {
 public:
  /// @param low, high  of the numbers; @param from, to  where they are drawn
  Scale(double low, double high, double from, double to)
      : ticks_(svg::ticks_of(low, low < high ? high : low + 1)), from_(from), to_(to) {}
  [[nodiscard]] double place(double number) const {
    return from_ + (number - ticks_.front()) / (ticks_.back() - ticks_.front()) * (to_ - from_);
  }
  [[nodiscard]] const std::vector<double>& ticks() const noexcept { return ticks_; }

 private:
  std::vector<double> ticks_;
  double from_;
  double to_;
};

constexpr double kPaper = 760;
constexpr double kHead = 36;
constexpr double kFoot = 54;

}  // namespace

std::string to_svg(const RangeChart& chart) {
  constexpr double kRow = 40;
  double left = 60;
  double low = chart.baseline;
  double high = chart.baseline;
  for (const RangeChart::Row& row : chart.rows) {
    left = std::max(left, svg::width_of(row.name) + 24);
    low = std::min(low, row.low);
    high = std::max(high, row.high);
  }
  const double bottom = kHead + kRow * static_cast<double>(chart.rows.size());
  const Scale scale(low, high, left, kPaper - 90);
  svg::Chart paper(kPaper, bottom + kFoot, chart.title);
  for (const double tick : scale.ticks()) {
    paper.line(scale.place(tick), kHead, scale.place(tick), bottom, html::colour::kLine);
    paper.text(scale.place(tick), bottom + 18, "middle", svg::tick_text(tick));
  }
  for (std::size_t i = 0; i < chart.rows.size(); ++i) {
    const RangeChart::Row& row = chart.rows[i];
    const double top = kHead + kRow * static_cast<double>(i);
    paper.text(left - 10, top + 18, "end", row.name);
    paper.svg().rect(scale.place(row.low), top + 6, std::max(1.0, scale.place(row.high) - scale.place(row.low)), 14,
                     {{"fill", svg::color(0)}});
    // Values of the axis at both ends; one that does nothing has one.
    const bool is_short =
        scale.place(row.high) - scale.place(row.low) < svg::width_of(row.low_label) + svg::width_of(row.high_label);
    if (row.low < row.high && !is_short) paper.text(scale.place(row.low), top + 33, "start", row.low_label);
    const std::string at_end = row.low < row.high && is_short ? row.low_label + " ... " + row.high_label
                               : row.low < row.high           ? row.high_label
                                                              : "no difference";
    paper.text(scale.place(row.high), top + 33, is_short || row.low == row.high ? "start" : "end", at_end);
  }
  paper.svg().line(scale.place(chart.baseline), kHead, scale.place(chart.baseline), bottom,
                   {{"stroke", svg::color(1)}, {"stroke-width", 2}});
  paper.text((left + kPaper - 90) / 2, bottom + 40, "middle",
             fmt::format("{} (line: {} at the baseline)", chart.value_name, svg::tick_text(chart.baseline)));
  return paper.picture();
}

std::string to_csv(const RangeChart& chart) {
  std::string csv =
      fmt::format("axis,lowest_with,{},highest_with,{},baseline\n", scenario::csv_field("lowest " + chart.value_name),
                  scenario::csv_field("highest " + chart.value_name));
  for (const RangeChart::Row& row : chart.rows)
    csv += fmt::format("{},{},{},{},{},{}\n", scenario::csv_field(row.name), scenario::csv_field(row.low_label),
                       number_text(row.low), scenario::csv_field(row.high_label), number_text(row.high),
                       number_text(chart.baseline));
  return csv;
}

std::string to_svg(const FrontChart& chart) {
  constexpr double kHigh = 400;
  constexpr double kLeftEdge = 80;
  constexpr double kRightEdge = 30;
  double least_cost = chart.points.front().cost;
  double most_cost = least_cost;
  double least_error = chart.points.front().error;
  double most_error = least_error;
  for (const FrontChart::Point& point : chart.points) {
    least_cost = std::min(least_cost, point.cost);
    most_cost = std::max(most_cost, point.cost);
    least_error = std::min(least_error, point.error);
    most_error = std::max(most_error, point.error);
  }
  const Scale x(least_cost, most_cost, kLeftEdge + 10, kPaper - kRightEdge);
  const Scale y(least_error, most_error, kHigh - kFoot, kHead);
  svg::Chart paper(kPaper, kHigh, chart.title);
  for (const double tick : y.ticks()) {
    paper.line(kLeftEdge, y.place(tick), kPaper - kRightEdge, y.place(tick), html::colour::kLine);
    paper.text(kLeftEdge - 6, y.place(tick) + 4, "end", svg::tick_text(tick));
  }
  paper.line(kLeftEdge, kHigh - kFoot, kPaper - kRightEdge, kHigh - kFoot, html::colour::kSoft);
  for (const double tick : x.ticks()) paper.text(x.place(tick), kHigh - kFoot + 18, "middle", svg::tick_text(tick));
  html::SvgPath path;
  double before = 0;
  for (const bool on_front : {false, true}) {  // the front lies above the others
    for (const FrontChart::Point& point : chart.points) {
      if (point.is_on_front != on_front) continue;
      const double px = x.place(point.cost);
      const double py = y.place(point.error);
      paper.dot(px, py, on_front ? svg::color(1) : std::string_view("#b5bdc6"),
                fmt::format("{}: {} = {}, {} = {}", point.name, chart.cost_name, number_text(point.cost),
                            chart.error_name, number_text(point.error)));
      if (!on_front) continue;
      if (path.text().empty()) {
        path.move_to(px, py);
      } else {
        path.line_to(px, before);
        path.line_to(px, py);
      }
      before = py;
    }
  }
  paper.svg().path(path.text(), {{"stroke", svg::color(1)}, {"stroke-width", 2}, {"fill", "none"}});
  paper.text((kLeftEdge + kPaper - kRightEdge) / 2, kHigh - 12, "middle", chart.cost_name);
  paper.upright_text(16, (kHead + kHigh - kFoot) / 2, chart.error_name);
  return paper.picture();
}

std::string to_csv(const FrontChart& chart) {
  std::string csv = fmt::format("design,{},{},on_front\n", scenario::csv_field(chart.cost_name),
                                scenario::csv_field(chart.error_name));
  for (const FrontChart::Point& point : chart.points)
    csv += fmt::format("{},{},{},{}\n", scenario::csv_field(point.name), number_text(point.cost),
                       number_text(point.error), point.is_on_front ? 1 : 0);
  return csv;
}

}  // namespace pmufab::explore
