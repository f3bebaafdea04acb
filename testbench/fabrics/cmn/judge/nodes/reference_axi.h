// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "models/cmn/wire/types.h"
#include "testbench/fabrics/cmn/judge/cmn_judge_spec.h"

namespace pmufab::scoreboard {

/// The union of spans of cycles. Spans are added in order of their ends and of their beginnings.
class CoveredCycles {
 public:
  /// @param now  no later call concerns cycles before it, so ended spans are kept as a sum only
  void add(cmn::Cycle now, cmn::Cycle first, cmn::Cycle end) {
    forget(now);
    first = std::max(first, covered_until_);
    if (first >= end) return;
    if (!spans_.empty() && spans_.back().end == first) {
      spans_.back().end = end;
    } else {
      spans_.push_back({first, end});
    }
    covered_until_ = end;
  }
  /// @return the number of cycles before `end`, which never decreases, and is never before the `now` of a span added.
  [[nodiscard]] std::uint64_t before(cmn::Cycle end) {
    forget(end);
    std::uint64_t sum = past_;
    for (const Span& span : spans_) {
      if (span.first < end) sum += std::min(span.end, end) - span.first;
    }
    return sum;
  }
  /// @return the number of spans kept individually.
  [[nodiscard]] std::size_t kept() const { return spans_.size(); }

 private:
  struct Span {
    cmn::Cycle first;
    cmn::Cycle end;
  };
  void forget(cmn::Cycle before) {
    for (; !spans_.empty() && spans_.front().end <= before; spans_.pop_front())
      past_ += spans_.front().end - spans_.front().first;
  }

  std::deque<Span> spans_;
  cmn::Cycle covered_until_ = 0;
  std::uint64_t past_ = 0;
};

/// An AXI channel of a node: transfers are handed over first in, first out, one every `period` cycles (rule 4.2.1).
class ReferenceAxiChannel {
 public:
  explicit ReferenceAxiChannel(unsigned period) : period_(period) {}

  /// @return the cycle of the hand-over
  cmn::Cycle present(cmn::Cycle now) {
    const cmn::Cycle handed = last_ ? std::max(now, *last_ + period_) : now;
    last_ = handed;
    valid_.add(now, now, handed + 1);
    handed_over_.add(now, handed, handed + 1);
    not_idle_.add(now, now, handed + period_);
    return handed;
  }
  /// @return the cycles before `end` with VALID and no hand-over.
  [[nodiscard]] std::uint64_t valid_not_ready(cmn::Cycle end) { return valid_.before(end) - handed_over_.before(end); }
  /// @return the cycles before `end` with READY and without VALID.
  [[nodiscard]] std::uint64_t ready_not_valid(cmn::Cycle end) { return end - not_idle_.before(end); }

 private:
  unsigned period_;
  std::optional<cmn::Cycle> last_;
  CoveredCycles valid_;
  CoveredCycles handed_over_;
  CoveredCycles not_idle_;
};

/// The subordinate behind a node: when R and B arrive (rule 4.2).
class ReferenceAxi {
 public:
  explicit ReferenceAxi(const ReferenceAxiParameters& parameters)
      : ar(parameters.ar_period), aw(parameters.aw_period), w(parameters.w_period), parameters_(parameters) {}

  /// @return the cycle in which R arrives
  cmn::Cycle read(cmn::Cycle now) { return ar.present(now) + parameters_.read_latency; }
  /// @return the cycle in which B arrives
  cmn::Cycle write(cmn::Cycle now, unsigned beats) {
    cmn::Cycle last = aw.present(now);
    for (unsigned beat = 0; beat < beats; ++beat) last = std::max(last, w.present(now));
    return last + parameters_.write_latency;
  }

  ReferenceAxiChannel ar;
  ReferenceAxiChannel aw;
  ReferenceAxiChannel w;

 private:
  ReferenceAxiParameters parameters_;
};

/// Work for later cycles, in the order of the calls.
class Agenda {
 public:
  void add(cmn::Cycle when, std::uint64_t what) { due_.emplace(when, what); }
  /// @return the first item that is due, removed from the agenda.
  [[nodiscard]] std::optional<std::uint64_t> take(cmn::Cycle now) {
    if (due_.empty() || due_.begin()->first > now) return std::nullopt;
    const std::uint64_t what = due_.begin()->second;
    due_.erase(due_.begin());
    return what;
  }

 private:
  std::multimap<cmn::Cycle, std::uint64_t> due_;
};

}  // namespace pmufab::scoreboard
