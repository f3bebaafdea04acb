// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include <boost/container/flat_map.hpp>

#include "models/cmn/wire/node_types.h"
#include "models/cmn/wire/types.h"

namespace pmufab::scoreboard {

/// Sums a quantity over cycles. Its value in a cycle is the one after that cycle's changes.
class CycleSum {
 public:
  /// @param now  never before that of an earlier change
  void change(std::int64_t by, cmn::Cycle now) {
    sum_ += (now - since_) * static_cast<std::uint64_t>(value_);
    since_ = now;
    value_ += by;
  }
  void set(bool on, cmn::Cycle now) { change(std::int64_t{on ? 1 : 0} - value_, now); }
  [[nodiscard]] std::int64_t value() const { return value_; }
  /// @return the sum over the cycles before `end`.
  [[nodiscard]] std::uint64_t until(cmn::Cycle end) const {
    return end <= since_ ? sum_ : sum_ + (end - since_) * static_cast<std::uint64_t>(value_);
  }

 private:
  std::uint64_t sum_ = 0;
  cmn::Cycle since_ = 0;
  std::int64_t value_ = 0;
};

/// The counts of one event source (a node, or half of one) since the beginning, by filter code.
class NodeCounts {
 public:
  /// Bit c: the occurrence belongs to filter code c.
  using Codes = std::uint32_t;
  static constexpr unsigned kCodes = 16;
  static constexpr unsigned kSecondCodes = 8;

  /// @param type  whose events these are, as in event texts: rn_i for an RN-D, hn_i and hn_p for the halves of an HN-P
  NodeCounts(cmn::NodeType type, std::uint16_t node_id, unsigned occupancy_width)
      : type_(type), node_id_(node_id), occupancy_width_(occupancy_width) {}

  [[nodiscard]] cmn::NodeType type() const { return type_; }
  [[nodiscard]] std::uint16_t node_id() const { return node_id_; }

  void fire(unsigned id, Codes codes = 1, Codes second = 1, std::uint64_t amount = 1) {
    for_each(second % (1U << kSecondCodes), [&](unsigned f2) {
      for_each(codes % (1U << kCodes), [&](unsigned f1) {
        std::vector<std::uint64_t>& counts = fired_[f2 * kCodes + f1];
        if (id >= counts.size()) counts.resize(id + 1U);
        counts[id] += amount;
      });
    });
  }
  /// For an event that fires when its accumulator wraps: entries enter or leave the accumulated queue.
  void occupy(unsigned id, Codes codes, std::int64_t entries, cmn::Cycle now) {
    auto& sums = occupancies_[id];
    for_each(codes % (1U << kCodes), [&](unsigned code) { sums[code].change(entries, now); });
  }
  /// For an event that fires in each cycle at whose end a condition holds.
  void hold(unsigned id, bool on, cmn::Cycle now) { levels_[id].set(on, now); }
  /// The same, for conditions of several parts.
  void hold_more(unsigned id, std::int64_t by, cmn::Cycle now) { levels_[id].change(by, now); }
  /// For an event counted elsewhere: a function that returns its occurrences in the cycles before `end`.
  void provide(unsigned id, std::function<std::uint64_t(cmn::Cycle end)> count) {
    provided_[id].push_back(std::move(count));
  }

  /// @return occurrences since the beginning: those reported, and for cycles those before `end`.
  [[nodiscard]] std::uint64_t total(unsigned id, unsigned code, unsigned second, cmn::Cycle end) const {
    std::uint64_t sum = 0;
    if (code < kCodes && second < kSecondCodes) {
      const std::vector<std::uint64_t>& counts = fired_[second * kCodes + code];
      if (id < counts.size()) sum += counts[id];
    }
    if (const auto found = occupancies_.find(id); found != occupancies_.end() && code < kCodes)
      sum += found->second[code].until(end) >> occupancy_width_;
    if (const auto found = levels_.find(id); found != levels_.end()) sum += found->second.until(end);
    if (const auto found = provided_.find(id); found != provided_.end()) {
      for (const auto& count : found->second) sum += count(end);
    }
    return sum;
  }

 private:
  template <typename Function>
  static void for_each(Codes bits, Function function) {
    for (; bits != 0; bits &= bits - 1) function(static_cast<unsigned>(std::countr_zero(bits)));
  }

  cmn::NodeType type_;
  std::uint16_t node_id_;
  unsigned occupancy_width_;
  // By codes, then by id: few occurrences have other codes than 0, so what a node fires lies together.
  std::array<std::vector<std::uint64_t>, std::size_t{kCodes} * kSecondCodes> fired_;
  boost::container::flat_map<unsigned, std::array<CycleSum, kCodes>> occupancies_;  // by id, and by code
  boost::container::flat_map<unsigned, CycleSum> levels_;                           // by id
  std::map<unsigned, std::vector<std::function<std::uint64_t(cmn::Cycle end)>>> provided_;
};

}  // namespace pmufab::scoreboard
