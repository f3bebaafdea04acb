// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <string>

#include "testbench/judge/scoreboard.h"

namespace pmufab::scoreboard::test {

/// A driver refuses to add an event: ENOSPC.
/// @param now  of the test. The call begins and ends a nanosecond later each.
/// @return what the hardware has left for the event
inline std::string refuse_event(Scoreboard& board, Picoseconds& now, const char* pmu, int event,
                                const EventTerms& terms) {
  using Call = perf::PerfCallObserver::Call;
  board.expect(event, pmu, terms);
  board.on_call(Call::add, true, pmu, event, 0, now += 1000);
  std::string room = board.on_add_failed(pmu, event, -ENOSPC);
  board.on_call(Call::add, false, pmu, event, 0, now += 1000);
  return room;
}

}  // namespace pmufab::scoreboard::test
