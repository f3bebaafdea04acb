// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/cmn/nodes/fifo.h"
#include "models/cmn/pmu/cycle_condition.h"
#include "models/cmn/wire/types.h"

namespace pmufab::cmn {

/// What the AXI subordinate behind a node does (docs/cmn-nodes.md, 4.2). All in cycles of the mesh, at least 1.
struct AxiParameters {
  unsigned ar_period = 1;       ///< from one AR hand-over to the next
  unsigned aw_period = 1;       ///< the same for AW
  unsigned w_period = 1;        ///< and for W
  unsigned read_latency = 40;   ///< from the hand-over of AR to R
  unsigned write_latency = 20;  ///< from the last hand-over of AW and W to B
};

/// One AXI channel that a node drives: a period after each hand-over READY is high again.
class AxiChannel {
 public:
  explicit AxiChannel(unsigned period) noexcept : period_(period), waiting_(*this), idle_(*this) {}
  AxiChannel(const AxiChannel&) = delete;
  AxiChannel& operator=(const AxiChannel&) = delete;

  /// Present one more from cycle `now` on, never before an earlier one. @return the cycle of its hand-over
  Cycle present(Cycle now) noexcept;
  /// VALID and not READY.
  [[nodiscard]] const CycleCondition& waiting() const noexcept { return waiting_; }
  /// READY and not VALID.
  [[nodiscard]] const CycleCondition& idle() const noexcept { return idle_; }

 private:
  class Waiting final : public CycleCondition {
   public:
    explicit Waiting(const AxiChannel& channel) noexcept : channel_(channel) {}
    [[nodiscard]] std::uint64_t cycles(Cycle end) const noexcept override;

   private:
    const AxiChannel& channel_;
  };
  class Idle final : public CycleCondition {
   public:
    explicit Idle(const AxiChannel& channel) noexcept : channel_(channel) {}
    [[nodiscard]] std::uint64_t cycles(Cycle end) const noexcept override;

   private:
    const AxiChannel& channel_;
  };
  /// @return READY's next cycle after the last hand-over there will be.
  [[nodiscard]] Cycle ready_again() const noexcept { return used_ ? last_ + period_ : 0; }

  unsigned period_;
  bool used_ = false;
  // VALID has been high without a break from begin_, with hand-overs from first_ to last_, each a period apart.
  Cycle begin_ = 0;
  Cycle first_ = 0;
  Cycle last_ = 0;
  std::uint64_t waited_ = 0;  // cycles before begin_
  std::uint64_t idled_ = 0;   // cycles before begin_
  Waiting waiting_;
  Idle idle_;
};

/// The AXI side of a node: what it reads and writes, and when the answers are there.
class AxiSide {
 public:
  /// @throws std::invalid_argument for a parameter of 0
  explicit AxiSide(const AxiParameters& parameters);

  /// Present a read. @return the cycle in which its R data is there
  Cycle read(unsigned tag, Cycle now);
  /// Present a write of so many beats. @return the cycle in which its B is there
  Cycle write(unsigned tag, unsigned beats, Cycle now);
  /// Take the R data or the B that is there in cycle `now`. @return true if one was; its tag
  /// @{
  bool take_read(Cycle now, unsigned& tag) { return take(reads_, now, tag); }
  bool take_write(Cycle now, unsigned& tag) { return take(writes_, now, tag); }
  /// @}

  [[nodiscard]] const AxiChannel& ar() const noexcept { return ar_; }
  [[nodiscard]] const AxiChannel& aw() const noexcept { return aw_; }
  [[nodiscard]] const AxiChannel& w() const noexcept { return w_; }

 private:
  struct Answer {
    Cycle when;
    unsigned tag;
  };
  static bool take(Fifo<Answer>& answers, Cycle now, unsigned& tag) {
    if (answers.empty() || answers.front().when > now) return false;
    tag = answers.pop().tag;
    return true;
  }

  AxiParameters parameters_;
  AxiChannel ar_;
  AxiChannel aw_;
  AxiChannel w_;
  Fifo<Answer> reads_;  // by `when`: hand-overs are in order
  Fifo<Answer> writes_;
};

}  // namespace pmufab::cmn
