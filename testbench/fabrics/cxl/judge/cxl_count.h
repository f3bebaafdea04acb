// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <memory>

#include "testbench/fabrics/cxl/judge/cxl_judge_spec.h"
#include "testbench/fabrics/cxl/judge/cxl_meaning.h"
#include "testbench/fabrics/cxl/judge/cxl_tally.h"
#include "testbench/fabrics/cxl/judge/reference_ddr.h"
#include "testbench/judge/events/event_truth.h"
#include "testbench/judge/exact_clock.h"

namespace pmufab::scoreboard {

/// The inputs of a CPMU's events.
struct CxlSources {
  const CxlPmuSpec& spec;
  ExactClock clock;
  CxlTally& tally;
  ReferenceDdr* ddr;  ///< nullptr: the component has no memory
  ExactClock& ticks;  ///< the clock of clock_ticks, of which many may pass at once; the same for PMUs of one CPMU
};

/// What a correct counter with a program counts. Marks are as EventTruth's.
class CxlCount {
 public:
  virtual ~CxlCount() = default;
  [[nodiscard]] virtual Mark mark(Picoseconds when) = 0;
  virtual void forget(const Mark& /*mark*/) {}
  [[nodiscard]] virtual Picoseconds final_before() const { return std::numeric_limits<Picoseconds>::max(); }
  [[nodiscard]] virtual std::uint64_t count(const Span& span) const = 0;
  virtual void opened(Picoseconds /*when*/) {}
  virtual void closed(Picoseconds /*when*/) {}
  /// @name As EventTruth's
  /// @{
  virtual void window_opened(Picoseconds /*when*/) {}
  virtual void window_closed(Picoseconds /*when*/) {}
  [[nodiscard]] virtual std::uint64_t happened(const Span& span) const { return count(span); }
  /// @}
};

/// @param sources  must outlive the count
[[nodiscard]] std::unique_ptr<CxlCount> make_cxl_count(const CxlProgram& program, const CxlSources& sources);

}  // namespace pmufab::scoreboard
