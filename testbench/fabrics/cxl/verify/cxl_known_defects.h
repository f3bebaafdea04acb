// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// What the generator must not ask of Linux's cxl_pmu, because it is known to be wrong. All of this holds for the drivers
/// of 6.12, 7.2 and 7.3; each has a scenario in scenarios/known-defects/cxl. When a kernel mends one, make its constant, or
/// the code that reads it, depend on the version.
namespace pmufab::verify::cxl_known {

/// cxl-group-index: a configurable counter always counts event capability 0. So configurable counters get events of the
/// vendor and group of that capability only.
inline constexpr unsigned kProgrammedGroup = 0;

/// cxl-stale-events, cxl-stale-edge: what an event sets in a configurable counter stays for the next event: its mask,
/// edge and invert. So all events on the configurable counters of a CPMU that may follow each other have these in
/// common; thresholds and filters may differ. A platform reset clears them.
inline constexpr bool kProgramsStay = true;

/// cxl-overflow-after-reading, cxl-overflow-read-again, cxl-overflow-read-late: a turn is counted right if the counter's
/// last value read before the wrap was 0, and none was read between the wrap and its interrupt.
/// cxl-overflow-stopped: the turn of an event that is closed before its interrupt is lost.
/// cxl-overflow-frozen: after a wrap no counter of the CPMU counts until an event is switched on or off.
/// So counters that a session may read at any time are too wide to wrap, and narrow ones are measured by sessions that
/// know when they wrap.
inline constexpr unsigned kLeastFreeWidth = 32;

/// cxl-overflow-second-turn: a counter that overflowed and then reached its largest value again has lost a turn.
/// @return the largest count, from 0 on, with one wrap
constexpr std::uint64_t most_with_one_wrap(unsigned width) { return (std::uint64_t{1} << width) * 2 - 2; }

/// cxl-overflow-64: a turn of a counter of 64 bits counts one too many.
inline constexpr unsigned kWidestThatWraps = 63;

/// cxl-fixed-program: an event with the mask of a fixed counter is taken whatever its threshold, edge and invert, which
/// such a counter cannot change. So events of fixed counters have the counter's threshold, and no edge or invert.
inline constexpr bool kFixedCountersTakeAll = true;

/// cxl-fixed-twins: of fixed counters with the same events only the last one is ever used.
inline constexpr bool kOneFixedCounterForEvents = true;

/// cxl-free-running-group: configurable counters are programmed with the event capability of a free-running counter,
/// which the specification forbids. So free-running counters do not use capability 0 of a CPMU with configurable ones.
inline constexpr bool kFreeRunningGroupsAreShared = true;

/// cxl-threshold-width: a threshold has 8 bits in hardware, and the driver takes 16.
inline constexpr unsigned kMostThreshold = 255;

}  // namespace pmufab::verify::cxl_known
