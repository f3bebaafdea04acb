// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "testbench/fabrics/cxl/judge/cxl_judge_spec.h"

namespace pmufab::scoreboard {

/// How busy a memory device is at each clock (docs/cxl-messages.md, section 7.2): the load it signals, and whether
/// requests are under way. The state just before an edge counts.
class ReferenceLoad {
 public:
  class Listener {
   public:
    /// So many edges, one after the other.
    /// @param first  of them
    virtual void on_clocks(Picoseconds first, std::uint64_t edges, std::uint16_t group, unsigned bit) = 0;

   protected:
    ~Listener() = default;
  };

  /// Both must outlive the load.
  ReferenceLoad(const CxlDdrSpec& spec, Listener& listener) : spec_(spec), listener_(listener) {}

  /// A request arrives, or its last answer leaves. Times never run backwards.
  void begin(Picoseconds when, bool with_data) {
    advance(when);
    ++(with_data ? with_data_ : without_data_);
  }
  void end(Picoseconds when, bool with_data) {
    advance(when);
    --(with_data ? with_data_ : without_data_);
  }
  /// Nothing before `when` will come.
  void advance(Picoseconds when) {
    if (!spec_.counts_clocks) return;
    if (edge_ > when) return;
    const std::uint64_t edges = (when - edge_) / spec_.clock_period + 1;
    const unsigned all = with_data_ + without_data_;
    const unsigned load = (all >= spec_.optimal_load ? 1U : 0U) + (all >= spec_.moderate_overload ? 1U : 0U) +
                          (all >= spec_.severe_overload ? 1U : 0U);
    listener_.on_clocks(edge_, edges, kDevLoadGroup, load);
    if (without_data_ != 0) listener_.on_clocks(edge_, edges, kM2sResidencyGroup, 0);
    if (with_data_ != 0) listener_.on_clocks(edge_, edges, kM2sResidencyGroup, 1);
    edge_ += edges * spec_.clock_period;
  }

 private:
  const CxlDdrSpec& spec_;
  Listener& listener_;
  Picoseconds edge_ = 0;  // the next one
  unsigned without_data_ = 0;
  unsigned with_data_ = 0;
};

}  // namespace pmufab::scoreboard
