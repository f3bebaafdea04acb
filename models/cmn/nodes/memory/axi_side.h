// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/cmn/nodes/fifo.h"
#include "models/cmn/pmu/cycle_condition.h"
#include "models/cmn/wire/types.h"

namespace pmufab::cmn {

/// Timing of the AXI subordinate behind a node (docs/cmn-nodes.md, 4.2). All values are cycles of the mesh, at least 1.
struct AxiParameters {
  unsigned ar_period = 1;       ///< from one AR hand-over to the next
  unsigned aw_period = 1;       ///< the same for AW
  unsigned w_period = 1;        ///< and for W
  unsigned read_latency = 40;   ///< from the hand-over of AR to R
  unsigned write_latency = 20;  ///< from the last hand-over of AW and W to B
};

/// One AXI channel that a node drives. READY is high again a period after each hand-over.
class AxiChannel {
 public:
  explicit AxiChannel(unsigned period) noexcept : period_(period), waiting_(*this), idle_(*this) {}
  AxiChannel(const AxiChannel&) = delete;
  AxiChannel& operator=(const AxiChannel&) = delete;

  /// Present one more transfer from cycle `now` on. `now` is never before that of an earlier call. @return the cycle of
  /// its hand-over
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
  /// @return the first cycle with READY after the last hand-over presented so far.
  [[nodiscard]] Cycle ready_again() const noexcept { return used_ ? last_ + period_ : 0; }

  unsigned period_;
  bool used_ = false;
  // VALID has been high without a gap since begin_, with hand-overs from first_ to last_, each a period apart.
  Cycle begin_ = 0;
  Cycle first_ = 0;
  Cycle last_ = 0;
  std::uint64_t waited_ = 0;  // cycles before begin_
  std::uint64_t idled_ = 0;   // cycles before begin_
  Waiting waiting_;
  Idle idle_;
};

/// The AXI side of a node: its reads and writes, and the times of their answers.
class AxiSide {
 public:
  /// @throws std::invalid_argument for a parameter of 0
  explicit AxiSide(const AxiParameters& parameters);

  /// Present a read. @return the cycle in which its R data arrives
  Cycle read(unsigned tag, Cycle now);
  /// Present a write of `beats` beats. @return the cycle in which its B arrives
  Cycle write(unsigned tag, unsigned beats, Cycle now);
  /// Take the R data or the B that has arrived in cycle `now`. @return true if there was one; its tag is in `tag`
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
  Fifo<Answer> reads_;  // sorted by `when`, because hand-overs are in order
  Fifo<Answer> writes_;
};

}  // namespace pmufab::cmn
