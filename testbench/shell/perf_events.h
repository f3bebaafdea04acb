// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <linux/perf_event.h>

#include "testbench/perf/event_names.h"
#include "testbench/perf/pmu_catalog.h"
#include "testbench/perf/verdict.h"
#include "testbench/scenario/run/machine.h"

namespace pmufab::shell {

/// perf's events, as the kernel would have them: attributes, groups, what can be read and how. Each is watched by the
/// scoreboard from when it is opened. To be used from a SystemC thread process, because drivers take simulated time.
class PerfEvents {
 public:
  using Handle = perf::EventHandle;
  using VerdictFunction = std::function<void(const perf::Verdict&)>;

  /// @param on_verdict  called for each event that was read, when it is closed
  PerfEvents(scenario::Machine& machine, const perf::PmuCatalog& catalog, VerdictFunction on_verdict);

  /// perf_event_open. @param leader  0: none. @return a handle, or -errno
  Handle open(const perf_event_attr& attributes, pid_t pid, int cpu, Handle leader, std::uint64_t flags);
  /// @return what read(2) gives (nothing is its end: a pinned event that did not fit), or -errno in `error`
  std::vector<std::uint64_t> read(Handle handle, std::uint64_t room, int& error);
  /// ioctl(2). @param value  what PERF_EVENT_IOC_ID returns
  int control(Handle handle, std::uint64_t request, std::uint64_t argument, std::uint64_t& value);
  void close(Handle handle);
  void close_all();

  /// Simulated time at which PMUs that have more events than counters rotate them next; nothing if there is no such
  /// PMU.
  [[nodiscard]] std::optional<Picoseconds> next_rotation() const noexcept { return rotation_; }
  void rotate();
  /// @param span  from one change to the next
  void set_rotation(Picoseconds span) { rotation_span_ = span; }

 private:
  struct Event {
    perf::ResolvedEvent event;
    Handle leader = 0;
    std::vector<Handle> members;  // of a leader, itself first
    int cpu = 0;
    bool exclusive = false;
    std::uint64_t read_format = 0;
    std::uint64_t base = 0;  // count at PERF_EVENT_IOC_RESET
    std::string not_judged;  // why
    struct Seen {
      perf::EventReading reading;
      std::uint64_t base;  // then
      Picoseconds from;    // it began
      Picoseconds until;
    };
    std::optional<Seen> seen;                         // by the program, last
    std::optional<std::uint64_t> expected_at_enable;  // if it was enabled after that: what it had to be before
    std::uint64_t reads = 0;
    Picoseconds opened = 0;
  };
  Event* find(Handle handle);
  void expect(Handle handle, Event& event);
  void plan_rotation();
  int read_now(Handle handle, bool group, std::vector<perf::EventReading>& readings);
  perf::Verdict judge(Handle handle, Event& event);

  scenario::Machine& machine_;
  const perf::PmuCatalog& catalog_;
  perf::EventNames names_;
  VerdictFunction on_verdict_;
  std::map<Handle, Event> events_;
  std::set<std::string> crowded_;
  std::optional<Picoseconds> rotation_;
  Picoseconds rotation_span_ = perf::kRotation;
};

}  // namespace pmufab::shell
