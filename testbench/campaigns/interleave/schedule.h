// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "testbench/run/occurrences/trigger.h"
#include "testbench/run/yaml/document.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::interleave {

using scenario::Trigger;

/// One call of the perf core into a driver, with the register accesses the driver made in it.
struct Window {
  Trigger::Call call = Trigger::Call::read;
  std::uint64_t nth_call = 1;
  std::uint64_t accesses = 0;
};

/// Something that happens at a moment: an event in bulk, an interrupt held back, or another process that reads.
struct Step {
  enum class Kind : std::uint8_t { event, hold, read };
  Kind kind = Kind::event;
  std::string source;       ///< of event
  std::uint64_t count = 0;  ///< of event
  Trigger at;               ///< of hold: from when on
  Trigger until;            ///< of hold
};

/// What happens besides the scenario, in the order in which it was put together.
struct Schedule {
  std::vector<Step> steps;
};

/// What the schedules of one exploration are made of.
struct Choices {
  struct Event {
    std::string source;
    std::uint64_t count = 0;
  };
  struct OfWindow {
    Window window;
    std::vector<Event> events{};   ///< each brings a counter over a wrap
    std::vector<Trigger> holds{};  ///< until when an interrupt may be held back
  };
  std::string pmu;
  std::vector<OfWindow> windows;
  bool interrupts_anyway = false;  ///< the scenario itself has some: holding them back alone is a schedule
};

/// Schedules, those with fewer steps first.
struct Schedules {
  std::vector<Schedule> list;
  bool is_all = true;  ///< false: there are more
};

/// @param most  schedules
/// @return every schedule with 1 ... `bound` steps. Of one event, and of holding back, a schedule has at most one step
///         each.
[[nodiscard]] Schedules all_schedules(const Choices& choices, unsigned bound, std::size_t most);

/// @param alike  schedules for which one at random times is made, with the same steps
/// @param from, to  moments from which to choose
[[nodiscard]] std::vector<Schedule> random_schedules(const std::vector<Schedule>& alike, std::size_t number,
                                                     std::uint64_t seed, Picoseconds from, Picoseconds to);

/// @return the scenario's document with the steps of the schedule
[[nodiscard]] scenario::Value with_steps(scenario::Value document, const std::string& pmu, const Schedule& schedule);

/// "before access 2 of read call 1 of arm_cmn_0: 3 times arm_cmn_0/dtc_cycles/"
[[nodiscard]] std::string describe(const Step& step);

}  // namespace pmufab::interleave
