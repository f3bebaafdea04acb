// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/tracing/timeline_writer.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "testbench/pages/svg.h"
#include "testbench/run/results/results.h"

namespace pmufab::scenario {
namespace {

namespace colour = html::colour;

// Pixels.
constexpr unsigned kLabels = 330;  // names of rows, on the left
constexpr unsigned kTime = 760;    // what happens
constexpr unsigned kEdge = 12;
constexpr unsigned kRow = 20;
constexpr unsigned kGraph = 36;  // a row of a value that changes often
constexpr unsigned kHead = 30;
constexpr unsigned kFoot = 28;   // the axis of time
constexpr unsigned kLetter = 7;  // width of a digit

constexpr std::size_t kMostRows = 40;
constexpr std::size_t kLongestName = 50;
constexpr std::size_t kMostBoxes = 24;  // of a value; one that changes more often is a graph

std::string rules() {
  return fmt::format(R"(
text {{ font: 11px system-ui, sans-serif; fill: {ink}; }}
.name {{ text-anchor: end; }}
.soft {{ fill: {soft}; }}
.head {{ font-weight: 600; font-size: 13px; }}
.grid {{ stroke: #e3e7eb; }}
.band {{ fill: #e9edf1; fill-opacity: 0.5; }}
.line {{ fill: none; stroke: {good}; stroke-width: 1.4; }}
.box {{ fill: {paper}; stroke: {good}; }}
.irq {{ fill: none; stroke: {bad}; stroke-width: 1.8; }}
.call {{ fill: {driver}; }}
.write {{ stroke: {open}; stroke-width: 1.6; }}
)",
                     fmt::arg("ink", colour::kInk), fmt::arg("soft", colour::kSoft), fmt::arg("good", colour::kGood),
                     fmt::arg("paper", colour::kPaper), fmt::arg("bad", colour::kBad),
                     fmt::arg("driver", colour::kDriver), fmt::arg("open", colour::kOpen));
}

struct ValueChange {
  Picoseconds when;
  std::uint64_t value;
};

/// Times as places in the picture.
class Axis {
 public:
  Axis(Picoseconds first, Picoseconds last) : first_(first), span_(std::max<Picoseconds>(last - first, 1)) {}
  [[nodiscard]] unsigned x(Picoseconds when) const {
    const auto share = static_cast<long double>(when - std::min(when, first_)) / static_cast<long double>(span_);
    return kLabels + static_cast<unsigned>(share * kTime);
  }
  /// At most eight times, a round number apart.
  [[nodiscard]] std::vector<Picoseconds> ticks() const {
    constexpr Picoseconds kMost = 8;
    Picoseconds step = 1;
    for (unsigned i = 0; span_ / step > kMost; ++i) step = i % 3 == 1 ? step / 2 * 5 : step * 2;
    std::vector<Picoseconds> times;
    for (Picoseconds when = (first_ + step - 1) / step * step; when <= first_ + span_; when += step)
      times.push_back(when);
    return times;
  }

 private:
  Picoseconds first_;
  Picoseconds span_;
};

/// Of several changes at one place of the picture, the first and the last: so a short pulse is there.
std::vector<ValueChange> visible(const std::vector<ValueChange>& changes, const Axis& axis) {
  std::vector<ValueChange> some;
  for (const ValueChange& change : changes) {
    const unsigned x = axis.x(change.when);
    const bool is_third = some.size() > 1 && axis.x(some.back().when) == x && axis.x(some[some.size() - 2].when) == x;
    if (is_third) {
      some.back().value = change.value;
    } else {
      some.push_back(change);
    }
  }
  return some;
}

void draw_name(html::Svg& svg, const std::string& name, unsigned top, unsigned height) {
  const bool is_long = name.size() > kLongestName;
  svg.text(kLabels - 10, top + height / 2 + 4, is_long ? "…" + name.substr(name.size() - kLongestName) : name,
           {{"class", "name"}});
}

/// @param top, bottom  places of the largest value and of 0
void draw_steps(html::Svg& svg, const std::vector<ValueChange>& changes, const Axis& axis, Picoseconds last,
                unsigned top, unsigned bottom, const char* look) {
  std::uint64_t most = 1;
  for (const ValueChange& change : changes) most = std::max(most, change.value);
  const auto y = [&](std::uint64_t value) {
    const auto share = static_cast<long double>(value) / static_cast<long double>(most);
    return bottom - static_cast<unsigned>(share * (bottom - top));
  };
  std::string points;
  std::optional<std::uint64_t> before;
  for (const ValueChange& change : changes) {
    if (before) points += fmt::format("{},{} ", axis.x(change.when), y(*before));
    points += fmt::format("{},{} ", axis.x(change.when), y(change.value));
    before = change.value;
  }
  if (before) points += fmt::format("{},{}", axis.x(last), y(*before));
  svg.polyline(points, {{"class", look}});
}

void draw_boxes(html::Svg& svg, const std::vector<ValueChange>& changes, const Axis& axis, Picoseconds last,
                unsigned top) {
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const unsigned from = axis.x(changes[i].when);
    const unsigned to = axis.x(i + 1 < changes.size() ? changes[i + 1].when : last);
    svg.rect(from, top + 3, std::max(to, from + 1) - from, kRow - 6, {{"class", "box"}});
    const std::string value = fmt::format("{:#x}", changes[i].value);
    if (value.size() * kLetter + 4 < to - std::min(from, to)) svg.text(from + 4, top + kRow / 2 + 4, value);
  }
}

class SvgWriter final : public TimelineWriter {
 public:
  void announce(const TimelineRow& line) override {
    if (line.front() == "n") note(std::stoull(line.at(1)));
    if (line.front() != "s") return;
    signals_.push_back({line.at(3), static_cast<unsigned>(std::stoul(line.at(2))), line.at(4) == kInterruptSignal, {}});
  }
  std::string head(const std::string& title) override {
    title_ = title;
    return {};
  }
  std::string value(Picoseconds when, unsigned signal, std::uint64_t value) override {
    note(when);
    signals_.at(signal).changes.push_back({when, value});
    return {};
  }
  std::string begin(Picoseconds when, unsigned cpu, const std::string& name, const std::string& /*detail*/) override {
    note(when);
    std::vector<Call>& calls = calls_[name];
    under_way_[cpu].emplace_back(name, calls.size());
    calls.push_back({when, std::nullopt});
    return {};
  }
  std::string end(Picoseconds when, unsigned cpu) override {
    note(when);
    if (under_way_[cpu].empty()) return {};
    const auto [name, index] = under_way_[cpu].back();
    under_way_[cpu].pop_back();
    calls_[name][index].end = when;
    return {};
  }
  std::string instant(Picoseconds when, unsigned /*cpu*/, const std::string& name, const std::string& value) override {
    note(when);
    if (value.empty()) {
      actions_.emplace_back(when, name);
    } else {
      writes_["write " + name].emplace_back(when, "0x" + value);
    }
    return {};
  }
  std::string tail(Picoseconds /*when*/, std::uint64_t left_out) override;

 private:
  struct Signal {
    std::string name;
    unsigned width;
    bool is_interrupt;
    std::vector<ValueChange> changes;
  };
  struct Call {
    Picoseconds begin;
    std::optional<Picoseconds> end;
  };
  using Instant = std::pair<Picoseconds, std::string>;

  void note(Picoseconds when) {
    first_ = std::min(first_.value_or(when), when);
    last_ = std::max(last_, when);
  }
  /// Begin a row. @return false if there is no room for it
  bool add_row(const std::string& name, unsigned height) {
    if (rows_ == kMostRows) {
      ++rows_left_out_;
      return false;
    }
    if (rows_++ % 2 == 0) svg_.rect(0, y_, kLabels + kTime + kEdge, height, {{"class", "band"}});
    draw_name(svg_, name, y_, height);
    return true;
  }
  void draw_instants(const Axis& axis, const std::string& name, const std::vector<Instant>& instants);
  void draw_calls(const Axis& axis, const std::string& name, const std::vector<Call>& calls);
  void draw_signal(const Axis& axis, const Signal& signal);
  void draw_signals(const Axis& axis, bool are_interrupts);

  std::string title_;
  std::vector<Signal> signals_;
  std::map<std::string, std::vector<Call>> calls_;
  std::map<unsigned, std::vector<std::pair<std::string, std::size_t>>> under_way_;  // by CPU
  std::vector<Instant> actions_;                                                    // of the scenario
  std::map<std::string, std::vector<Instant>> writes_;                              // by name of the row
  std::optional<Picoseconds> first_;
  Picoseconds last_ = 0;
  html::Svg svg_;  // of the rows
  unsigned y_ = kHead;
  std::size_t rows_ = 0;
  std::uint64_t rows_left_out_ = 0;
};

void SvgWriter::draw_instants(const Axis& axis, const std::string& name, const std::vector<Instant>& instants) {
  if (!add_row(name, kRow)) return;
  std::optional<unsigned> before;
  unsigned free = 0;  // from here on, there is room for a text
  for (const auto& [when, value] : instants) {
    const unsigned x = axis.x(when);
    if (before == x) continue;
    before = x;
    svg_.path(fmt::format("M{} {}V{}", x, y_ + 3, y_ + kRow - 3), {{"class", "write"}});
    const auto width = static_cast<unsigned>(std::min<std::size_t>(value.size(), kLongestName)) * kLetter;
    const bool is_before = x + width > kLabels + kTime;  // there is no room behind it
    if (x < free || (is_before && x < std::max(free, kLabels) + width)) continue;
    free = is_before ? x + kLetter : x + width + kLetter;
    svg_.text(is_before ? x - 3 : x + 3, y_ + kRow / 2 + 4, value.substr(0, kLongestName),
              {{"class", "soft"}, {"text-anchor", is_before ? "end" : "start"}});
  }
  y_ += kRow;
}

void SvgWriter::draw_calls(const Axis& axis, const std::string& name, const std::vector<Call>& calls) {
  if (!add_row(name, kRow)) return;
  std::optional<unsigned> before;
  for (const Call& call : calls) {
    const unsigned from = axis.x(call.begin);
    const unsigned to = std::max(axis.x(call.end.value_or(last_)), from + 2);
    if (before == from) continue;
    before = from;
    svg_.rect(from, y_ + 4, to - from, kRow - 8, {{"class", "call"}});
  }
  y_ += kRow;
}

void SvgWriter::draw_signal(const Axis& axis, const Signal& signal) {
  std::vector<ValueChange> changes = visible(signal.changes, axis);
  // A line is known since its first change.
  if (signal.is_interrupt && changes.front().value != 0) changes.insert(changes.begin(), {first_.value_or(0), 0});
  if (signal.width > 1 && changes.size() > kMostBoxes) {
    std::uint64_t most = 0;
    for (const ValueChange& change : changes) most = std::max(most, change.value);
    if (!add_row(fmt::format("{}, up to {:#x}", signal.name, most), kGraph)) return;
    draw_steps(svg_, changes, axis, last_, y_ + 4, y_ + kGraph - 4, "line");
    y_ += kGraph;
    return;
  }
  if (!add_row(signal.name, kRow)) return;
  if (signal.width > 1) {
    draw_boxes(svg_, changes, axis, last_, y_);
  } else {
    draw_steps(svg_, changes, axis, last_, y_ + 4, y_ + kRow - 4, signal.is_interrupt ? "irq" : "line");
  }
  y_ += kRow;
}

void SvgWriter::draw_signals(const Axis& axis, bool are_interrupts) {
  for (const Signal& signal : signals_) {
    if (signal.is_interrupt != are_interrupts || signal.changes.size() < (are_interrupts ? 1U : 2U)) continue;
    draw_signal(axis, signal);
  }
}

std::string SvgWriter::tail(Picoseconds /*when*/, std::uint64_t left_out) {
  const Axis axis(first_.value_or(0), last_);
  if (!actions_.empty()) draw_instants(axis, "scenario", actions_);
  draw_signals(axis, true);
  for (const auto& [name, calls] : calls_) draw_calls(axis, name, calls);
  for (const auto& [name, instants] : writes_) draw_instants(axis, name, instants);
  draw_signals(axis, false);
  std::string missing;
  if (rows_left_out_ > 0) missing += counted(rows_left_out_, "row") + " left out. ";
  if (left_out > 0) missing += counted(left_out, "change") + " left out.";
  html::Svg svg;
  svg.text(kEdge, 20, title_.substr(0, title_.find(' ')), {{"class", "head"}});
  svg.text(kLabels, 20, missing, {{"class", "soft"}});
  for (const Picoseconds when : axis.ticks()) {
    svg.path(fmt::format("M{} {}V{}", axis.x(when), kHead, y_), {{"class", "grid"}});
    svg.text(axis.x(when), y_ + 16, format_time(when), {{"class", "soft"}});
  }
  svg.add(svg_);
  return svg.picture(kLabels + kTime + 5 * kEdge, y_ + kFoot, title_, {}, rules());
}

}  // namespace

std::unique_ptr<TimelineWriter> make_svg_writer() { return std::make_unique<SvgWriter>(); }

}  // namespace pmufab::scenario
