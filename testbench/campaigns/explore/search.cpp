// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/explore/search.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace pmufab::explore {
namespace {

// As many borders are looked for at a time: enough work for all processors, and little to remember.
constexpr std::size_t kMostActive = 256;

}  // namespace

ListDesign::ListDesign(const Study& study, std::vector<std::uint64_t> sites, const Shard& shard)
    : repeats_(study.grid.repeats()) {
  for (std::size_t i = 0; i < sites.size(); ++i) {
    if (shard.has(i)) sites_.push_back(sites[i]);
  }
}

std::optional<std::uint64_t> ListDesign::next() {
  if (next_ == size()) return std::nullopt;
  const std::uint64_t position = sites_[next_ / repeats_] * repeats_ + next_ % repeats_;
  ++next_;
  return position;
}

/// The search of one border. Values are counted from the end that is most likely to hold: the largest for `smallest`.
class SearchDesign::Bisection {
 public:
  Bisection(const Goal& goal, std::uint64_t combination, std::size_t values)
      : goal_(goal), combination_(combination), values_(values) {}

  [[nodiscard]] const Goal& goal() const noexcept { return goal_; }
  [[nodiscard]] std::uint64_t combination() const noexcept { return combination_; }
  [[nodiscard]] bool is_over() const noexcept { return is_over_; }
  /// @return the value to try next
  [[nodiscard]] std::size_t value() const noexcept { return goal_.is_largest ? tried_ : values_ - 1 - tried_; }
  void wait_for(std::size_t positions) {
    pending_ = positions;
    holds_ = true;
    is_known_ = true;
  }
  /// @return true if all positions of the value are there
  /// @param holds  nothing: there is no result
  bool take(std::optional<bool> holds) {
    holds_ = holds_ && holds.value_or(true);
    is_known_ = is_known_ && holds;
    if (--pending_ > 0) return false;
    advance();
    return true;
  }

 private:
  void advance() {
    if (holds_ && !is_known_) {  // nobody knows on which side the border is
      is_over_ = true;
      return;
    }
    if (tried_ == 0 && !holds_) {  // not even with the best value
      is_over_ = true;
      return;
    }
    if (tried_ == values_ - 1 && holds_) {  // even with the worst
      is_over_ = true;
      return;
    }
    (holds_ ? good_ : bad_) = tried_;
    if (tried_ == 0 && values_ > 1) {
      tried_ = values_ - 1;
      return;
    }
    is_over_ = bad_ - good_ <= 1;
    tried_ = good_ + (bad_ - good_) / 2;
  }

  const Goal& goal_;
  std::uint64_t combination_;
  std::size_t values_;
  std::size_t tried_ = 0;
  std::size_t good_ = 0;
  std::size_t bad_ = 0;
  std::size_t pending_ = 0;
  bool holds_ = true;
  bool is_known_ = true;
  bool is_over_ = false;
};

SearchDesign::SearchDesign(const Study& study, const Shard& shard) : study_(study), shard_(shard) {
  for (const Goal& goal : study.goals) {
    if (combinations_of(study, goal).sites() > kMostRuns)
      throw scenario::InputError(fmt::format("for_each has more than {} combinations", kMostRuns),
                                 "give its axes fewer values");
  }
}

SearchDesign::~SearchDesign() = default;

void SearchDesign::begin_more() {
  while (active_ < kMostActive && goal_ < study_.goals.size()) {
    const Goal& goal = study_.goals[goal_];
    if (combination_ == combinations_of(study_, goal).sites()) {
      ++goal_;
      combination_ = 0;
      continue;
    }
    if (shard_.has(combination_)) {
      ++active_;
      ask(std::make_shared<Bisection>(goal, combination_, study_.axes[goal.axis].values.size()));
    }
    ++combination_;
  }
}

void SearchDesign::ask(const std::shared_ptr<Bisection>& bisection) {
  const std::vector<std::uint64_t> positions =
      positions_of(study_, bisection->goal(), bisection->combination(), bisection->value());
  bisection->wait_for(positions.size());
  for (const std::uint64_t position : positions) {
    // What another bisection waits for is on its way.
    if (!waiting_.contains(position)) asked_.push_back(position);
    waiting_.emplace(position, bisection);
  }
}

std::optional<std::uint64_t> SearchDesign::next() {
  if (asked_.empty()) begin_more();
  if (asked_.empty()) return std::nullopt;
  const std::uint64_t position = asked_.front();
  asked_.pop_front();
  return position;
}

void SearchDesign::take(std::uint64_t position, const Result& result) {
  std::vector<std::shared_ptr<Bisection>> asking;
  const auto [begin, end] = waiting_.equal_range(position);
  for (auto it = begin; it != end; ++it) asking.push_back(it->second);
  waiting_.erase(begin, end);
  for (const std::shared_ptr<Bisection>& bisection : asking) {
    if (!bisection->take(meets(study_, bisection->goal().such_that, position, result))) continue;
    if (bisection->is_over()) {
      --active_;
    } else {
      ask(bisection);
    }
  }
}

std::uint64_t SearchDesign::size() const {
  std::uint64_t size = 0;
  for (const Goal& goal : study_.goals) {
    std::uint64_t tries = 2;
    for (std::size_t values = study_.axes[goal.axis].values.size(); values > 2; values = (values + 1) / 2) ++tries;
    std::uint64_t others = study_.grid.repeats();
    for (const std::size_t axis : study_.other_axes(goal)) others *= study_.axes[axis].values.size();
    const std::uint64_t combinations = combinations_of(study_, goal).sites();
    size += (combinations + shard_.of - shard_.number) / shard_.of * tries * others;
  }
  return std::min(size, study_.grid.positions());  // goals may ask for the same points
}

std::unique_ptr<Design> design_of(const Study& study, const Shard& shard, bool whole_grid) {
  std::optional<std::vector<std::uint64_t>> sites = study.sites(whole_grid);
  if (!sites) return std::make_unique<SearchDesign>(study, shard);
  return std::make_unique<ListDesign>(study, std::move(*sites), shard);
}

Grid combinations_of(const Study& study, const Goal& goal) {
  std::vector<std::size_t> sizes;
  for (const std::size_t axis : goal.for_each) sizes.push_back(study.axes[axis].values.size());
  return {sizes, 1};
}

std::vector<std::uint64_t> positions_of(const Study& study, const Goal& goal, std::uint64_t combination,
                                        std::size_t value) {
  std::vector<std::size_t> at(study.axes.size());
  const std::vector<std::size_t> each = combinations_of(study, goal).values_at(combination);
  for (std::size_t i = 0; i < goal.for_each.size(); ++i) at[goal.for_each[i]] = each[i];
  at[goal.axis] = value;
  const std::vector<std::size_t> others = study.other_axes(goal);
  std::vector<std::size_t> sizes;
  for (const std::size_t axis : others) sizes.push_back(study.axes[axis].values.size());
  const Grid rest(sizes, study.grid.repeats());
  std::vector<std::uint64_t> positions;
  for (std::uint64_t i = 0; i < rest.positions(); ++i) {
    const std::vector<std::size_t> values = rest.values_at(i / rest.repeats());
    for (std::size_t j = 0; j < others.size(); ++j) at[others[j]] = values[j];
    positions.push_back(study.grid.site_of(at) * study.grid.repeats() + i % rest.repeats());
  }
  return positions;
}

std::optional<bool> meets(const Study& study, const Expression& condition, std::uint64_t position,
                          const Result& result) {
  if (!result.is_final()) return std::nullopt;
  const std::vector<std::size_t> at = study.grid.values_at(position / study.grid.repeats());
  return condition.holds([&](const std::string& name) { return number_at(study, at, result.values, name); });
}

}  // namespace pmufab::explore
