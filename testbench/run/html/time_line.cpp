// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/html/time_line.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace pmufab::scenario {
namespace {

// Pixels.
constexpr double kWidth = 720;
constexpr double kHeight = 170;
constexpr double kSide = 12;
constexpr double kTop = 22;
constexpr double kBottom = 142;
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
    add("<figure><svg class=\"time-line\" viewBox=\"0 0 {} {}\" role=\"img\">\n", kWidth, kHeight);
    add("<line class=\"axis\" x1=\"{0}\" y1=\"{2}\" x2=\"{1}\" y2=\"{2}\"/>", kSide, kWidth - kSide, kBottom);
    add("<line class=\"axis\" x1=\"{0}\" y1=\"{2}\" x2=\"{1}\" y2=\"{2}\"/>\n", kSide, kWidth - kSide, kTop);
    add("<text x=\"{}\" y=\"{}\">{}</text>", kSide, kTop - 6, with_separators(most_));
    add("<text x=\"{}\" y=\"{}\">{}</text>", kSide, kBottom + 16, format_time(measure_.start));
    add("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", kWidth - kSide, kBottom + 16,
        format_time(measure_.stop));
    draw_readings();
    for (const FailedRead& read : counter_.failed_reads) draw_failed(read);
    draw_end();
    out_ += "</svg>\n<figcaption class=\"soft\">" + caption() + "</figcaption></figure>\n";
    return std::move(out_);
  }

 private:
  template <typename... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Arguments>(arguments)...);
  }

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
    std::string path = fmt::format("M{:.1f} {:.1f}", x(measure_.start), y(0));
    bool is_gap = false;
    for (const Reading& reading : readings_) {
      if (reading.sum) path += fmt::format("{}{:.1f} {:.1f}", is_gap ? 'M' : 'L', x(reading.time), y(*reading.sum));
      is_gap = !reading.sum;
    }
    add("<path class=\"driver\" d=\"{}\"/>\n", path);
  }

  void draw_failed(const FailedRead& read) {
    const double low = std::max(y(read.low), y(read.high) + kShortest);
    add("<g><title>{}: {} was read, {} ... {} was possible</title>", format_time(read.time),
        with_separators(read.value), with_separators(read.low), with_separators(read.high));
    add("<line class=\"truth\" x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\"/>", x(read.time), low,
        y(read.high));
    add("<circle class=\"wrong-point\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\"/></g>\n", x(read.time), y(read.value));
  }

  void draw_end() {
    constexpr double kRoom = 4;  // so that the circle is inside the picture
    const double at = x(measure_.stop) - kRoom;
    if (counter_.driver)
      add("<circle class=\"driver-point\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\"><title>driver: {}</title></circle>", at,
          y(*counter_.driver), with_separators(*counter_.driver));
    if (counter_.expected)
      add("<circle class=\"truth-point\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"6\"><title>scoreboard: {}</title></circle>",
          at, y(*counter_.expected), with_separators(*counter_.expected));
    out_ += '\n';
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
  std::string out_;
};

}  // namespace

std::string time_line(const MeasureResult& measure, std::size_t counter) {
  Drawing drawing(measure, counter);
  return drawing.has_any() ? drawing.draw() : std::string();
}

}  // namespace pmufab::scenario
