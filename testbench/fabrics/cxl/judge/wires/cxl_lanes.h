// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "testbench/fabrics/cxl/judge/cxl_judge_spec.h"
#include "testbench/judge/pmu_judge.h"
#include "testbench/judge/queue.h"

namespace pmufab::scoreboard {

/// Checks the wires of one link. What leaves one end arrives at the other, in order, after the latency. Messages leave
/// at edges, not too many at one, and with credit (docs/cxl-messages.md, section 2).
class CxlLanes {
 public:
  /// Both must outlive the lanes.
  CxlLanes(const CxlLinkSpec& spec, Findings& findings) : spec_(spec), findings_(findings) {}

  void left(Picoseconds when, const CxlMessage& message);
  void arrived(Picoseconds when, const CxlMessage& message);
  void finish(Picoseconds when);

 private:
  struct Flight {
    Picoseconds arrival;
    CxlMessage message;
  };
  struct Lane {
    Queue<Flight> flights;
    Picoseconds edge = 0;
    unsigned at_edge = 0;
    Queue<Picoseconds> returns;  // of credits, for classes that return them on arrival
  };
  void complain(const char* kind, Picoseconds when, const CxlMessage& message, const char* what);
  void take_credit(Picoseconds when, const CxlMessage& message, Lane& lane);

  const CxlLinkSpec& spec_;
  Findings& findings_;
  std::array<Lane, kCxlClasses> lanes_{};
};

}  // namespace pmufab::scoreboard
