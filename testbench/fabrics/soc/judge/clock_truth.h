// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "testbench/fabrics/soc/judge/soc_meaning.h"
#include "testbench/fabrics/soc/judge/soc_wires.h"
#include "testbench/judge/events/event_truth.h"
#include "testbench/judge/exact_clock.h"
#include "testbench/judge/threshold_clock.h"

namespace pmufab::scoreboard {

/// What an event of a described PMU must count that counts clocks. Positions of marks are their numbers.
class ClocksTruth : public EventTruth, protected SocWires::Listener {
 public:
  ~ClocksTruth() override { wires_->remove(source_, *this); }
  ClocksTruth& operator=(ClocksTruth&&) = delete;

  [[nodiscard]] std::string text() const override { return meaning_.text; }
  void describe(std::span<const Span> /*spans*/, EventResult& /*result*/) const override {}
  [[nodiscard]] std::string explain(std::span<const Span> /*spans*/, std::uint64_t /*driver*/) const override {
    return {};
  }

 protected:
  /// @param source  its number on the wires
  /// @param clock   of the PMU; must outlive the truth
  ClocksTruth(SocMeaning meaning, unsigned source, std::shared_ptr<SocWires> wires, const ExactClock& clock)
      : meaning_(std::move(meaning)), clock_(clock), source_(source), wires_(std::move(wires)) {
    wires_->add(source_, *this);
  }
  [[nodiscard]] const SocMeaning& meaning() const noexcept { return meaning_; }
  [[nodiscard]] const ExactClock& clock() const noexcept { return clock_; }

 private:
  SocMeaning meaning_;
  const ExactClock& clock_;
  unsigned source_;
  std::shared_ptr<SocWires> wires_;
};

/// By what happens in a clock.
///
/// A counter that starts within a clock sees a part of that clock alone, and knows nothing of the one before. After three
/// edges it is in the state of one that has always counted: it may have started at the first of them. So that one is kept,
/// and another for each mark until then. What comes at one instant counts in the order in which it comes.
class ClockTruth final : public ClocksTruth {
 public:
  ClockTruth(SocMeaning meaning, unsigned source, std::shared_ptr<SocWires> wires, const ExactClock& clock);

  [[nodiscard]] Mark mark(Picoseconds when) override;
  void forget(const Mark& mark) override;
  [[nodiscard]] std::uint64_t count(const Span& span) const override;
  [[nodiscard]] std::string explain(std::span<const Span> spans, std::uint64_t driver) const override;

 private:
  struct Place {
    std::uint64_t total;   // of the clock that always counts
    std::uint64_t events;  // without the threshold
    Picoseconds alike;     // from here on, a counter that started at the mark is in the same state
    ThresholdClock own;    // such a counter, until then
    std::map<std::uint64_t, std::uint64_t> early{};  // its count at marks until then, by their number
    std::uint64_t more = 0;                          // what its count at later marks is beyond their total; modulo 2^64
  };

  void hear(const Occurrence& occurrence, Picoseconds when) override;
  [[nodiscard]] ThresholdClock::Rule rule() const noexcept;
  /// Counters are alike that started before an instant.
  void find_alike(Picoseconds when);

  ThresholdClock always_;
  std::uint64_t events_ = 0;  // without the threshold
  std::map<std::uint64_t, Place> marks_;
  std::vector<std::uint64_t> young_;  // marks whose counters are not alike yet
  std::uint64_t next_ = 0;
};

/// By what is outstanding at its edge.
class BusyTruth final : public ClocksTruth {
 public:
  BusyTruth(SocMeaning meaning, unsigned source, const std::shared_ptr<SocWires>& wires, const ExactClock& clock);

  [[nodiscard]] Mark mark(Picoseconds when) override;
  void forget(const Mark& mark) override { marks_.erase(mark.position); }
  [[nodiscard]] std::uint64_t count(const Span& span) const override;

 private:
  static constexpr std::size_t kMany = 256;  // edges to look at, before nobody asks

  struct Place {
    std::uint64_t edge;         // first after the mark
    std::uint64_t total;        // of the edges before it
    bool is_continued = false;  // that edge goes on with a row that began before
  };

  void hear(const Occurrence& occurrence, Picoseconds when) override {
    add(occurrence, when, when + occurrence.duration);
  }
  void add(const Occurrence& occurrence, Picoseconds begin, Picoseconds end);
  /// Look at the edges before `edge`.
  void look_until(std::uint64_t edge);

  std::map<std::uint64_t, std::uint64_t> begin_;  // how many begin, by the first edge that sees them
  std::map<std::uint64_t, std::uint64_t> end_;    // how many have ended, by the first edge that does not
  std::uint64_t edge_ = 0;                        // the next to look at
  std::uint64_t outstanding_ = 0;                 // at the edge before
  bool was_busy_ = false;                         // so was that
  std::uint64_t total_ = 0;
  std::map<std::uint64_t, Place> marks_;
  std::uint64_t next_ = 0;
};

}  // namespace pmufab::scoreboard
