// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
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

/// What an event of a described PMU must count that counts clocks, by what happens in them.
///
/// A counter that starts within a clock sees a part of that clock alone, and knows nothing of the one before. Two clocks
/// later it is in the state of one that has always counted. So that one is kept, and, of each mark, what happened in its
/// first two clocks. Positions of marks are their numbers.
class ClockTruth final : public EventTruth, private SocWires::Listener {
 public:
  /// @param source  its number on the wires
  /// @param clock   of the PMU; must outlive the truth
  ClockTruth(SocMeaning meaning, unsigned source, std::shared_ptr<SocWires> wires, const ExactClock& clock);
  ~ClockTruth() override { wires_->remove(source_, *this); }
  ClockTruth& operator=(ClockTruth&&) = delete;

  [[nodiscard]] std::string text() const override { return meaning_.text; }
  [[nodiscard]] Mark mark(Picoseconds when) override;
  void forget(const Mark& mark) override;
  [[nodiscard]] std::uint64_t count(const Span& span) const override;
  void describe(std::span<const Span> /*spans*/, EventResult& /*result*/) const override {}
  [[nodiscard]] std::string explain(std::span<const Span> spans, std::uint64_t driver) const override;

 private:
  /// What happened in the first two clocks after a mark, and what the clock that always counts had then.
  struct Beginning {
    Picoseconds when;
    Picoseconds alike;     // from here on, a counter started at the mark is in the same state
    std::uint64_t total;   // at the mark
    std::uint64_t events;  // at the mark, without the threshold
    std::optional<std::uint64_t> alike_total{};
    std::vector<std::pair<Picoseconds, std::uint64_t>> first{};
  };

  void hear(const Occurrence& occurrence, Picoseconds when) override;
  [[nodiscard]] ThresholdClock::Rule rule() const noexcept;

  SocMeaning meaning_;
  unsigned source_;
  std::shared_ptr<SocWires> wires_;
  const ExactClock& clock_;
  ThresholdClock always_;
  std::uint64_t events_ = 0;  // without the threshold
  std::map<std::uint64_t, Beginning> marks_;
  std::vector<std::uint64_t> young_;  // marks whose first two clocks have not passed
  std::uint64_t next_ = 0;
};

/// The same of what is outstanding. Positions of marks are their numbers.
class BusyTruth final : public EventTruth, private SocWires::Listener {
 public:
  /// @param source  its number on the wires
  /// @param clock   of the PMU; must outlive the truth
  BusyTruth(SocMeaning meaning, unsigned source, std::shared_ptr<SocWires> wires, const ExactClock& clock);
  ~BusyTruth() override { wires_->remove(source_, *this); }
  BusyTruth& operator=(BusyTruth&&) = delete;

  [[nodiscard]] std::string text() const override { return meaning_.text; }
  [[nodiscard]] Mark mark(Picoseconds when) override;
  void forget(const Mark& mark) override { marks_.erase(mark.position); }
  [[nodiscard]] std::uint64_t count(const Span& span) const override;
  void describe(std::span<const Span> /*spans*/, EventResult& /*result*/) const override {}
  [[nodiscard]] std::string explain(std::span<const Span> /*spans*/, std::uint64_t /*driver*/) const override {
    return {};
  }

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

  SocMeaning meaning_;
  unsigned source_;
  std::shared_ptr<SocWires> wires_;
  const ExactClock& clock_;
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
