// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "models/pmu/clock_condition.h"

namespace pmufab {

/// Clock edges at which so many requests are outstanding as a threshold says, or the first of such edges in a row.
///
/// Times are numbers of edges. Begin and end of a request are known when it is added.
class BusyClocks {
 public:
  using Changes = std::map<std::uint64_t, std::int64_t>;  ///< of the number outstanding, by the edge that is the first

  /// Count from an edge on. What was before it does not matter.
  /// @param settings  not raw, and not inverted. Without a threshold, one request is enough
  /// @param changes   of requests that have been added: at `edge` their number, and all changes after it
  void start(const ClockCondition::Settings& settings, std::uint64_t edge, Changes changes);
  /// A request is outstanding at the edges [first, end).
  void add(std::uint64_t first, std::uint64_t end);
  /// @return how many edges count of those from the start to before `edge`, by the requests added so far
  [[nodiscard]] std::uint64_t count(std::uint64_t edge) const;
  /// Forget the edges before `edge`: they have been counted.
  void settle(std::uint64_t edge);
  /// @return whether settle() would make it much smaller
  [[nodiscard]] bool is_long() const noexcept { return changes_.size() > kMany; }
  /// @return the edge that is the `number`th to count from now on; nothing: there are fewer
  [[nodiscard]] std::optional<std::uint64_t> edge_of(std::uint64_t number) const;

 private:
  static constexpr std::size_t kMany = 256;
  struct State {
    std::uint64_t edge = 0;  // first that has not been counted
    std::int64_t outstanding = 0;
    bool holds = false;  // at the edge before
  };
  /// Go to the next change of the number, or to `end`. @return how many edges have counted
  std::uint64_t step(State& state, Changes::const_iterator& next, std::uint64_t end) const;

  std::int64_t least_ = 1;
  bool is_first_alone_ = false;
  State state_;
  Changes changes_;
};

}  // namespace pmufab
