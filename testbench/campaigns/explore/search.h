// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "testbench/campaigns/explore/database/database.h"
#include "testbench/campaigns/explore/study/study.h"

namespace pmufab::explore {

/// Which points are run, one after the other.
class Design {
 public:
  Design() = default;
  virtual ~Design() = default;
  Design& operator=(Design&&) = delete;
  /// @return nothing, if the next one depends on results that are not there, or if that was all
  virtual std::optional<std::uint64_t> next() = 0;
  /// What a position that next() has given has become.
  virtual void take(std::uint64_t position, const Result& result) = 0;
  /// @return how many positions there are; of a search, at most
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  /// @return true if results decide which points are next
  [[nodiscard]] virtual bool is_search() const = 0;
};

/// One of several parts of a study that run on their own. Part `number` of `of`, from 1.
struct Shard {
  std::uint64_t number = 1;
  std::uint64_t of = 1;

  [[nodiscard]] bool has(std::uint64_t index) const noexcept { return index % of == number - 1; }
};

/// Sites that are known beforehand, each as often as it is repeated.
class ListDesign : public Design {
 public:
  ListDesign(const Study& study, std::vector<std::uint64_t> sites, const Shard& shard);
  std::optional<std::uint64_t> next() override;
  void take(std::uint64_t /*position*/, const Result& /*result*/) override {}
  [[nodiscard]] std::uint64_t size() const override { return sites_.size() * repeats_; }
  [[nodiscard]] bool is_search() const override { return false; }

 private:
  std::vector<std::uint64_t> sites_;
  std::uint64_t repeats_;
  std::uint64_t next_ = 0;
};

/// Finds the borders of all goals by bisection. It takes for granted that a condition that holds with one value of the
/// axis holds with every larger one (for `largest`: every smaller one). For each border it runs both values beside it.
/// Where a run has no result, the search of that border ends.
class SearchDesign : public Design {
 public:
  SearchDesign(const Study& study, const Shard& shard);
  ~SearchDesign() override;
  std::optional<std::uint64_t> next() override;
  void take(std::uint64_t position, const Result& result) override;
  [[nodiscard]] std::uint64_t size() const override;
  [[nodiscard]] bool is_search() const override { return true; }

 private:
  class Bisection;
  void begin_more();
  void ask(const std::shared_ptr<Bisection>& bisection);

  const Study& study_;
  Shard shard_;
  std::size_t goal_ = 0;           // of the next bisection
  std::uint64_t combination_ = 0;  // of the next bisection
  std::size_t active_ = 0;
  std::deque<std::uint64_t> asked_;  // positions to hand out
  std::multimap<std::uint64_t, std::shared_ptr<Bisection>> waiting_;
};

/// @param whole_grid  every combination, whatever the study says
/// @return what the study is run with. @throws scenario::InputError if there are too many points
[[nodiscard]] std::unique_ptr<Design> design_of(const Study& study, const Shard& shard, bool whole_grid);

/// @return the axes of for_each as a grid of their own
[[nodiscard]] Grid combinations_of(const Study& study, const Goal& goal);

/// @param combination  of the axes of for_each
/// @param value        of the axis that is looked for
/// @return all positions that must meet the goal's condition then: all values of other axes, all repetitions
[[nodiscard]] std::vector<std::uint64_t> positions_of(const Study& study, const Goal& goal, std::uint64_t combination,
                                                      std::size_t value);

/// @return whether the condition holds for the run; nothing if the run has not come to its end, or a number is missing
[[nodiscard]] std::optional<bool> meets(const Study& study, const Expression& condition, std::uint64_t position,
                                        const Result& result);

}  // namespace pmufab::explore
