// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/explore/report/design_pictures.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "testbench/campaigns/explore/report/picture.h"

namespace pmufab::explore {

SensitivityPictures::SensitivityPictures(const Study& study) : study_(study) {
  for (std::size_t i = 0; i < study.responses.size(); ++i) {
    if (std::ranges::find(study.show, study.responses[i].name) == study.show.end()) continue;
    responses_.push_back(i);
    std::vector<std::vector<Sample>> axes;
    for (const Axis& axis : study.axes) axes.emplace_back(axis.values.size());
    samples_.push_back(std::move(axes));
  }
}

void SensitivityPictures::add(std::uint64_t position, const Result& result) {
  const std::vector<std::size_t> at = study_.grid.values_at(position / study_.grid.repeats());
  std::vector<std::size_t> changed;
  for (std::size_t axis = 0; axis < at.size(); ++axis) {
    if (at[axis] != study_.baseline[axis]) changed.push_back(axis);
  }
  if (changed.size() > 1) return;
  for (std::size_t i = 0; i < responses_.size(); ++i) {
    const std::optional<double>& value = result.values[responses_[i]];
    if (!value) continue;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      if (changed.empty() || changed.front() == axis) samples_[i][axis][at[axis]].add(*value);
    }
  }
}

std::vector<Picture> SensitivityPictures::pictures() const {
  std::vector<Picture> pictures;
  std::string baseline;
  for (std::size_t axis = 0; axis < study_.axes.size(); ++axis)
    baseline += fmt::format("{}{}={}", axis == 0 ? "" : ", ", study_.axes[axis].name,
                            study_.axes[axis].values[study_.baseline[axis]].label);
  for (std::size_t i = 0; i < responses_.size(); ++i) {
    const std::string& response = study_.responses[responses_[i]].name;
    const Sample& middle = samples_[i].front()[study_.baseline.front()];
    if (middle.size() == 0) continue;
    RangeChart chart{
        fmt::format("{}, one axis changed at a time from {}", response, baseline), response, middle.mean(), {}};
    for (std::size_t axis = 0; axis < study_.axes.size(); ++axis) {
      const std::vector<AxisValue>& values = study_.axes[axis].values;
      if (values.size() < 2) continue;
      RangeChart::Row row{study_.axes[axis].name, std::numeric_limits<double>::infinity(), "",
                          -std::numeric_limits<double>::infinity(), ""};
      for (std::size_t at = 0; at < values.size(); ++at) {
        const Sample& sample = samples_[i][axis][at];
        if (sample.size() == 0) continue;
        if (sample.mean() < row.low) std::tie(row.low, row.low_label) = std::pair(sample.mean(), values[at].label);
        if (sample.mean() > row.high) std::tie(row.high, row.high_label) = std::pair(sample.mean(), values[at].label);
      }
      chart.rows.push_back(std::move(row));
    }
    std::ranges::stable_sort(chart.rows, [](const RangeChart::Row& one, const RangeChart::Row& other) {
      return one.high - one.low > other.high - other.low;
    });
    if (chart.rows.size() > 1) pictures.push_back({response + "-sensitivity", to_svg(chart), to_csv(chart)});
  }
  return pictures;
}

FrontPicture::FrontPicture(const Study& study) : study_(study) {
  if (!study.front) return;
  const std::vector<std::size_t>& others = study.front->worst_over;
  for (std::size_t axis = 0; axis < study.axes.size(); ++axis) {
    if (std::ranges::find(others, axis) == others.end()) chosen_.push_back(axis);
  }
}

void FrontPicture::add(std::uint64_t position, const Result& result) {
  if (!study_.front) return;
  const std::vector<std::size_t> at = study_.grid.values_at(position / study_.grid.repeats());
  std::vector<std::size_t> design(at.size());
  for (const std::size_t axis : chosen_) design[axis] = at[axis];
  const std::optional<double> cost = number_at(study_, at, result.values, study_.front->cost);
  const std::optional<double> error = number_at(study_, at, result.values, study_.front->error);
  const auto [known, is_new] = designs_.try_emplace(study_.grid.site_of(design));
  Worst& worst = known->second;
  if (!cost || !error) {
    worst.is_known = false;
    return;
  }
  worst.cost = is_new ? *cost : std::max(worst.cost, *cost);
  worst.error = is_new ? *error : std::max(worst.error, *error);
}

std::vector<Picture> FrontPicture::pictures() const {
  if (!study_.front) return {};
  std::vector<std::string> names;
  for (const std::size_t axis : study_.front->worst_over) names.push_back(study_.axes[axis].name);
  FrontChart chart{fmt::format("{} against {}{}", study_.front->error, study_.front->cost,
                               names.empty() ? "" : fmt::format(" (the worst over {})", fmt::join(names, ", "))),
                   study_.front->cost,
                   study_.front->error,
                   {}};
  for (const auto& [site, worst] : designs_) {
    if (!worst.is_known) continue;
    const std::vector<std::size_t> at = study_.grid.values_at(site);
    std::string name;
    for (const std::size_t axis : chosen_)
      name += fmt::format("{}{}={}", name.empty() ? "" : ", ", study_.axes[axis].name,
                          study_.axes[axis].values[at[axis]].label);
    chart.points.push_back({worst.cost, worst.error, std::move(name), false});
  }
  if (chart.points.empty()) return {};
  std::ranges::stable_sort(chart.points, [](const FrontChart::Point& one, const FrontChart::Point& other) {
    return std::tie(one.cost, one.error) < std::tie(other.cost, other.error);
  });
  double least = std::numeric_limits<double>::infinity();
  for (FrontChart::Point& point : chart.points) {
    point.is_on_front = point.error < least;
    least = std::min(least, point.error);
  }
  return {{"front", to_svg(chart), to_csv(chart)}};
}

}  // namespace pmufab::explore
