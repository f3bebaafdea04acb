// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "testbench/fabrics/soc/judge/soc_meaning.h"
#include "testbench/fabrics/soc/judge/soc_wires.h"
#include "testbench/judge/events/event_truth.h"
#include "testbench/judge/exact_clock.h"

namespace pmufab::scoreboard {

/// What an event of a described PMU must count. Its marks are counts so far.
class SocTruth final : public EventTruth, private SocWires::Listener {
 public:
  /// @param source  its number on the wires
  /// @param clock   of the PMU; must outlive the truth
  SocTruth(SocMeaning meaning, unsigned source, std::shared_ptr<SocWires> wires, const ExactClock& clock);
  ~SocTruth() override;
  SocTruth(const SocTruth&) = delete;
  SocTruth& operator=(const SocTruth&) = delete;

  [[nodiscard]] std::string text() const override { return meaning_.text; }
  [[nodiscard]] bool takes_cycle_counter() const override { return meaning_.on_cycle_counter; }
  [[nodiscard]] Mark mark(Picoseconds when) override;
  [[nodiscard]] std::uint64_t count(const Span& span) const override;
  void settle(const Span& span) override { settled_cycles_ += clock_.edges_in(span.begin.when, span.end.when); }
  void opened() override { all_before_ = all_; }
  void closed() override { all_counted_ += all_ - all_before_; }
  void describe(std::span<const Span> spans, EventResult& result) const override;
  [[nodiscard]] std::string explain(std::span<const Span> spans, std::uint64_t driver) const override;

 private:
  static constexpr std::size_t kLeastRoom = 256;

  void hear(const Occurrence& occurrence, Picoseconds when) override;
  [[nodiscard]] bool listens() const noexcept;
  void settle_lasting(Picoseconds when);
  [[nodiscard]] std::uint64_t amount(const Occurrence& occurrence) const;

  SocMeaning meaning_;
  unsigned source_;
  std::shared_ptr<SocWires> wires_;
  const ExactClock& clock_;
  std::uint64_t count_ = 0;  // of what has happened; of what was outstanding, of what has ended
  struct Lasting {
    Picoseconds begin;
    Picoseconds end;
    std::uint64_t repeat;
  };
  std::vector<Lasting> lasting_;   // what has passed the filters, and had not ended when settled last
  std::size_t room_ = kLeastRoom;  // when it has so many, it is settled
  // The same if nothing were filtered, to explain a difference.
  std::uint64_t all_ = 0;
  std::uint64_t all_before_ = 0;
  std::uint64_t all_counted_ = 0;
  std::uint64_t settled_cycles_ = 0;  // in settled spans
};

}  // namespace pmufab::scoreboard
