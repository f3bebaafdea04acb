// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/html/parts.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "testbench/pages/svg.h"

namespace pmufab::scenario {
namespace {

// Pixels.
constexpr int kWidth = 720;
constexpr int kHeight = 170;
constexpr int kSide = 12;
constexpr int kTop = 22;
constexpr int kBottom = 142;
constexpr double kShortest = 3;  // of the bar of what was possible
constexpr std::size_t kMostPoints = 400;

/// What the driver's readings add up to; nothing where one failed.
struct Reading {
  Picoseconds time = 0;
  std::optional<std::uint64_t> sum;
};

/// @param number  of readings there were
std::vector<Reading> readings_of(const MeasureResult& measure, std::size_t counter, std::size_t& number) {
  std::vector<Reading> readings;
  std::uint64_t sum = 0;
  for (const IntervalResult& interval : measure.intervals) {
    if (counter >= interval.counts.size()) continue;
    const std::optional<std::uint64_t>& increase = interval.counts[counter].increase;
    if (increase) sum += *increase;
    readings.push_back({interval.time, increase ? std::optional(sum) : std::nullopt});
  }
  number = readings.size();
  const std::size_t step = readings.size() / kMostPoints + 1;
  std::vector<Reading> shown;
  for (std::size_t i = 0; i < readings.size(); ++i) {
    if ((i + 1) % step == 0 || i + 1 == readings.size()) shown.push_back(readings[i]);
  }
  return shown;
}

class Drawing {
 public:
  Drawing(const MeasureResult& measure, std::size_t counter)
      : measure_(measure), counter_(measure.counters[counter]), readings_(readings_of(measure, counter, number_)) {
    for (const Reading& reading : readings_) most_ = std::max(most_, reading.sum.value_or(0));
    for (const FailedRead& read : counter_.failed_reads) most_ = std::max({most_, read.value, read.high});
    most_ = std::max({most_, counter_.driver.value_or(0), counter_.expected.value_or(0), std::uint64_t{1}});
  }

  [[nodiscard]] bool has_any() const { return number_ > 0 || !counter_.failed_reads.empty(); }

  std::string draw() {
    svg_.line(kSide, kBottom, kWidth - kSide, kBottom, {{"class", "axis"}});
    svg_.line(kSide, kTop, kWidth - kSide, kTop, {{"class", "axis"}});
    svg_.text(kSide, kTop - 6, with_separators(most_));
    svg_.text(kSide, kBottom + 16, format_time(measure_.start));
    svg_.text(kWidth - kSide, kBottom + 16, format_time(measure_.stop), {{"text-anchor", "end"}});
    draw_readings();
    for (const FailedRead& read : counter_.failed_reads) draw_failed(read);
    draw_end();
    return fmt::format("<figure>{}<figcaption class=\"soft\">{}</figcaption></figure>\n",
                       svg_.part_of_page(kWidth, kHeight, {{"class", "time-line"}}), caption());
  }

 private:
  [[nodiscard]] double x(Picoseconds time) const {
    const auto span = static_cast<double>(std::max(measure_.stop, measure_.start + 1) - measure_.start);
    const auto since = static_cast<double>(std::max(time, measure_.start) - measure_.start);
    return kSide + std::min(1.0, since / span) * (kWidth - 2 * kSide);
  }
  [[nodiscard]] double y(std::uint64_t value) const {
    return kBottom - static_cast<double>(value) / static_cast<double>(most_) * (kBottom - kTop);
  }

  void draw_readings() {
    if (readings_.empty()) return;
    html::SvgPath path;
    path.move_to(x(measure_.start), y(0));
    bool is_gap = false;
    for (const Reading& reading : readings_) {
      if (reading.sum && is_gap) path.move_to(x(reading.time), y(*reading.sum));
      if (reading.sum && !is_gap) path.line_to(x(reading.time), y(*reading.sum));
      is_gap = !reading.sum;
    }
    svg_.path(path.text(), {{"class", "driver"}});
  }

  void draw_failed(const FailedRead& read) {
    const double low = std::max(y(read.low), y(read.high) + kShortest);
    svg_.begin_group(
        {}, fmt::format("{}: {} was read, {} ... {} was possible", format_time(read.time), with_separators(read.value),
                        with_separators(read.low), with_separators(read.high)));
    svg_.line(x(read.time), low, x(read.time), y(read.high), {{"class", "truth"}});
    svg_.circle(x(read.time), y(read.value), 3.5, {{"class", "wrong-point"}});
    svg_.end_group();
  }

  void draw_end() {
    constexpr double kRoom = 4;  // so that the circle is inside the picture
    const double at = x(measure_.stop) - kRoom;
    if (counter_.driver)
      svg_.circle(at, y(*counter_.driver), 3.5, {{"class", "driver-point"}},
                  "driver: " + with_separators(*counter_.driver));
    if (counter_.expected)
      svg_.circle(at, y(*counter_.expected), 6, {{"class", "truth-point"}},
                  "scoreboard: " + with_separators(*counter_.expected));
  }

  [[nodiscard]] std::string caption() const {
    std::string text;
    if (number_ > 0) {
      text = fmt::format("Line: what {} of the driver add up to{}. ", counted(number_, "reading"),
                         number_ > readings_.size() ? fmt::format(" ({} are drawn)", readings_.size()) : "");
    }
    text += "At the end: dot, the driver's count; ring, the scoreboard's.";
    if (counter_.failed_reads.empty()) return text;
    return text + fmt::format(" Red: a reading that cannot be, with a bar for what was possible{}.",
                              counter_.reads_failed > counter_.failed_reads.size()
                                  ? fmt::format("; the first {} of {}", counter_.failed_reads.size(),
                                                with_separators(counter_.reads_failed))
                                  : "");
  }

  const MeasureResult& measure_;
  const CounterResult& counter_;
  std::size_t number_ = 0;  // of readings; before those, which tell it
  std::vector<Reading> readings_;
  std::uint64_t most_ = 0;
  html::Svg svg_;
};

}  // namespace

std::string time_line(const MeasureResult& measure, std::size_t counter) {
  Drawing drawing(measure, counter);
  return drawing.has_any() ? drawing.draw() : std::string();
}

}  // namespace pmufab::scenario
