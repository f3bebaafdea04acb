// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "testbench/campaigns/explore/report/design_pictures.h"
#include "testbench/campaigns/explore/report/picture.h"
#include "testbench/campaigns/explore/report/report.h"
#include "testbench/campaigns/explore/report/statistics.h"
#include "testbench/campaigns/explore/search.h"

namespace pmufab::explore {
namespace {

constexpr std::size_t kMostCurves = 8;
constexpr std::size_t kMostCells = 48;       // on a side of a heat map
constexpr std::size_t kMostPerResponse = 6;  // of each kind of picture

std::vector<std::string> labels_of(const Axis& axis) {
  std::vector<std::string> labels;
  for (const AxisValue& value : axis.values) labels.push_back(value.label);
  return labels;
}

std::vector<double> numbers_of_axis(const Axis& axis) {
  std::vector<double> numbers;
  if (!axis.has_numbers()) return numbers;
  for (const AxisValue& value : axis.values) numbers.push_back(*value.number);
  return std::ranges::is_sorted(numbers) ? numbers : std::vector<double>();
}

/// A response over one axis, a curve for each value of another one (or one curve).
struct CurvePlan {
  std::size_t response = 0;
  std::size_t x = 0;
  std::optional<std::size_t> curves;
  std::vector<Sample> samples;  // curve by curve
};

/// A response over two axes.
struct MapPlan {
  std::size_t response = 0;
  std::size_t x = 0;
  std::size_t y = 0;
  std::vector<Sample> samples;  // row by row
};

/// All pictures of responses, filled in one pass over the points.
class ResponsePictures {
 public:
  explicit ResponsePictures(const Study& study) : study_(study) {
    for (std::size_t i = 0; i < study.responses.size(); ++i) {
      const std::string& name = study.responses[i].name;
      if (std::ranges::find(study.show, name) != study.show.end()) plan(i);
    }
  }

  void add(std::uint64_t position, const Result& result) {
    const std::vector<std::size_t> at = study_.grid.values_at(position / study_.grid.repeats());
    for (CurvePlan& plan : curves_) {
      const std::size_t curve = plan.curves ? at[*plan.curves] : 0;
      if (result.values[plan.response])
        plan.samples[curve * size_of(plan.x) + at[plan.x]].add(*result.values[plan.response]);
    }
    for (MapPlan& plan : maps_) {
      if (result.values[plan.response])
        plan.samples[at[plan.y] * size_of(plan.x) + at[plan.x]].add(*result.values[plan.response]);
    }
  }

  [[nodiscard]] std::vector<Picture> pictures() const {
    std::vector<Picture> pictures;
    for (const CurvePlan& plan : curves_) pictures.push_back(picture_of(plan));
    for (const MapPlan& plan : maps_) pictures.push_back(picture_of(plan));
    return pictures;
  }

 private:
  [[nodiscard]] std::size_t size_of(std::size_t axis) const { return study_.axes[axis].values.size(); }
  [[nodiscard]] const std::string& name_of(std::size_t axis) const { return study_.axes[axis].name; }

  void plan(std::size_t response) {
    std::size_t charts = 0;
    std::size_t maps = 0;
    for (std::size_t x = 0; x < study_.axes.size(); ++x) {
      if (size_of(x) < 2) continue;
      if (charts++ < kMostPerResponse) curves_.push_back(curve_plan(response, x));
      for (std::size_t y = x + 1; y < study_.axes.size(); ++y) {
        if (size_of(y) < 2 || size_of(x) > kMostCells || size_of(y) > kMostCells) continue;
        if (maps++ < kMostPerResponse) maps_.push_back({response, x, y, std::vector<Sample>(size_of(x) * size_of(y))});
      }
    }
  }
  [[nodiscard]] CurvePlan curve_plan(std::size_t response, std::size_t x) const {
    CurvePlan plan{response, x, {}, {}};
    for (std::size_t other = 0; other < study_.axes.size() && !plan.curves; ++other) {
      if (other != x && size_of(other) > 1 && size_of(other) <= kMostCurves) plan.curves = other;
    }
    plan.samples.resize(size_of(x) * (plan.curves ? size_of(*plan.curves) : 1));
    return plan;
  }
  /// @return true if what is put together differs by its seed alone
  [[nodiscard]] bool has_seeds_alone(std::size_t shown) const {
    const auto varied = static_cast<std::size_t>(
        std::ranges::count_if(study_.axes, [](const Axis& axis) { return axis.values.size() > 1; }));
    return varied <= shown && study_.repeats > 1;
  }
  [[nodiscard]] std::string title(const std::string& response, const std::string& over, std::size_t shown) const {
    const auto varied = static_cast<std::size_t>(
        std::ranges::count_if(study_.axes, [](const Axis& axis) { return axis.values.size() > 1; }));
    const char* const kind = varied > shown       ? " (mean and range over the other axes)"
                             : study_.repeats > 1 ? " (mean over seeds, 95 % confidence)"
                                                  : "";
    return response + " over " + over + kind;
  }

  [[nodiscard]] Picture picture_of(const CurvePlan& plan) const {
    const std::string& response = study_.responses[plan.response].name;
    const Axis& axis = study_.axes[plan.x];
    const bool has_seeds = has_seeds_alone(plan.curves ? 2 : 1);
    CurveChart chart{title(response, axis.name, plan.curves ? 2 : 1),
                     axis.name,
                     labels_of(axis),
                     numbers_of_axis(axis),
                     response,
                     {}};
    const std::size_t curves = plan.curves ? size_of(*plan.curves) : 1;
    for (std::size_t i = 0; i < curves; ++i) {
      Curve curve;
      curve.color = i;
      curve.name = plan.curves ? fmt::format("{}={}", name_of(*plan.curves), study_.axes[*plan.curves].values[i].label)
                               : response;
      for (std::size_t at = 0; at < axis.values.size(); ++at) {
        const Sample& sample = plan.samples[i * axis.values.size() + at];
        if (sample.size() == 0) continue;
        CurvePoint point{at, sample.mean(), {}, {}};
        if (has_seeds && sample.half_interval()) {
          point.low = sample.mean() - *sample.half_interval();
          point.high = sample.mean() + *sample.half_interval();
        } else if (!has_seeds && sample.size() > 1) {
          point.low = sample.minimum();
          point.high = sample.maximum();
        }
        curve.points.push_back(point);
      }
      chart.curves.push_back(std::move(curve));
    }
    return {fmt::format("{}-over-{}", response, axis.name), to_svg(chart), to_csv(chart)};
  }

  [[nodiscard]] Picture picture_of(const MapPlan& plan) const {
    const std::string& response = study_.responses[plan.response].name;
    HeatMap map{response + " over " + name_of(plan.x) + " and " + name_of(plan.y) +
                    (plan.samples.front().size() > 1 ? " (mean)" : ""),
                name_of(plan.x),
                labels_of(study_.axes[plan.x]),
                name_of(plan.y),
                labels_of(study_.axes[plan.y]),
                {},
                {}};
    for (const Sample& sample : plan.samples)
      map.cells.push_back(sample.size() > 0 ? std::optional(sample.mean()) : std::nullopt);
    return {fmt::format("{}-over-{}-and-{}", response, name_of(plan.x), name_of(plan.y)), to_svg(map), to_csv(map)};
  }

  const Study& study_;
  std::vector<CurvePlan> curves_;
  std::vector<MapPlan> maps_;
};

/// The answers of a goal over its first two axes. Of further axes, the answer that asks for most is shown.
class GoalPictures {
 public:
  GoalPictures(const Study& study, const Goal& goal, const GoalFinding& finding)
      : study_(study), goal_(goal), axis_(study.axes[goal.axis]), grid_(combinations_of(study, goal)) {
    columns_ = grid_.sizes()[0];
    rows_ = grid_.sizes().size() > 1 ? grid_.sizes()[1] : 1;
    answers_.resize(columns_ * rows_);
    for (const Answer& answer : finding.answers) add(answer);
  }

  void draw(std::vector<Picture>& pictures) const {
    if (columns_ > 1 && rows_ <= kMostCurves) pictures.push_back(curves());
    if (rows_ > 1 && rows_ <= kMostCells && columns_ <= kMostCells) pictures.push_back(map());
  }

 private:
  [[nodiscard]] bool asks_for_more(const Answer& one, const Answer& other) const {
    if (one.kind != other.kind) return one.kind == Answer::Kind::none;
    return goal_.is_largest ? one.value < other.value : one.value > other.value;
  }
  void add(const Answer& answer) {
    if (answer.kind == Answer::Kind::unfinished) return;
    const std::vector<std::size_t> at = grid_.values_at(answer.combination);
    const Answer*& kept = answers_[(at.size() > 1 ? at[1] : 0) * columns_ + at[0]];
    if (kept == nullptr || asks_for_more(answer, *kept)) kept = &answer;
  }
  [[nodiscard]] std::string title() const {
    return fmt::format("{} {} with {}{}", goal_.is_largest ? "largest" : "smallest", axis_.name, goal_.such_that.text(),
                       grid_.sizes().size() > 2 ? " (the most that other axes ask for)" : "");
  }
  /// @param value  on the axis of the answers @return where it stands: named cases are at equal distances
  [[nodiscard]] double number(std::size_t value) const {
    return axis_.has_numbers() ? *axis_.values[value].number : static_cast<double>(value);
  }
  /// @return the name of a value that is no number
  [[nodiscard]] std::string text(std::size_t value) const {
    return axis_.has_numbers() ? std::string() : axis_.values[value].label;
  }
  [[nodiscard]] std::string name() const {
    return fmt::format("{}-{}-{}", goal_.is_largest ? "largest" : "smallest", axis_.name,
                       &goal_ - study_.goals.data() + 1);
  }

  [[nodiscard]] Picture curves() const {
    const Axis& x = study_.axes[goal_.for_each[0]];
    CurveChart chart{title(), x.name, labels_of(x), numbers_of_axis(x), axis_.name, {}};
    for (std::size_t i = 0; i < axis_.values.size(); ++i) chart.y_marks.emplace_back(number(i), axis_.values[i].label);
    std::ranges::sort(chart.y_marks);
    for (std::size_t row = 0; row < rows_; ++row) {
      const std::string label = rows_ > 1 || goal_.for_each.size() > 1
                                    ? fmt::format("{}={}", study_.axes[goal_.for_each[1]].name,
                                                  study_.axes[goal_.for_each[1]].values[row].label)
                                    : axis_.name;
      Curve found{label, {}, false, row};
      Curve formula{"closed form", {}, true, row};
      for (std::size_t column = 0; column < columns_; ++column) {
        const Answer* const answer = answers_[row * columns_ + column];
        if (answer == nullptr) continue;
        if (answer->kind == Answer::Kind::found)
          found.points.push_back({column, number(answer->value), {}, {}, text(answer->value)});
        if (answer->closed_form && axis_.has_numbers())
          formula.points.push_back({column, *answer->closed_form, {}, {}});
      }
      chart.curves.push_back(std::move(found));
      if (!formula.points.empty()) chart.curves.push_back(std::move(formula));
    }
    return {name(), to_svg(chart), to_csv(chart)};
  }

  [[nodiscard]] Picture map() const {
    const Axis& x = study_.axes[goal_.for_each[0]];
    const Axis& y = study_.axes[goal_.for_each[1]];
    HeatMap map{title(), x.name, labels_of(x), y.name, labels_of(y), {}, {}, !axis_.has_numbers()};
    for (const Answer* const answer : answers_) {
      const bool is_found = answer != nullptr && answer->kind == Answer::Kind::found;
      map.cells.push_back(is_found ? std::optional(number(answer->value)) : std::nullopt);
      map.texts.push_back(is_found ? axis_.values[answer->value].label : answer != nullptr ? "none" : "");
    }
    return {name() + "-map", to_svg(map), to_csv(map)};
  }

  const Study& study_;
  const Goal& goal_;
  const Axis& axis_;
  Grid grid_;
  std::size_t columns_ = 1;
  std::size_t rows_ = 1;
  std::vector<const Answer*> answers_;  // row by row
};

}  // namespace

std::vector<Picture> pictures_of(const Study& study, const Findings& findings, Database& database) {
  std::vector<Picture> pictures;
  for (std::size_t i = 0; i < study.goals.size(); ++i) {
    if (!study.goals[i].for_each.empty()) GoalPictures(study, study.goals[i], findings.goals[i]).draw(pictures);
  }
  // A search runs points beside borders alone: a mean of them says nothing.
  if (study.points.kind == Points::Kind::search && database.points() < study.grid.positions()) return pictures;
  ResponsePictures responses(study);
  SensitivityPictures sensitivity(study);
  FrontPicture front(study);
  database.each(study, [&](std::uint64_t position, const Result& result) {
    responses.add(position, result);
    sensitivity.add(position, result);
    front.add(position, result);
  });
  for (const std::vector<Picture>& more : {front.pictures(), responses.pictures(), sensitivity.pictures()})
    pictures.insert(pictures.end(), more.begin(), more.end());
  return pictures;
}

}  // namespace pmufab::explore
