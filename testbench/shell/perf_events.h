#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <linux/perf_event.h>

#include "testbench/scenario/machine.h"
#include "testbench/scenario/pmu_catalog.h"
#include "testbench/shell/event_names.h"

namespace pmufab::shell {

[[nodiscard]] inline Picoseconds simulated_now() { return to_picoseconds(sc_core::sc_time_stamp()); }

/// What became of one event that a program in the shell counted.
struct Verdict {
  enum class Check : std::uint8_t { exact, wrong, unchecked };
  std::string event;                      ///< in the driver's words
  std::string pmu;                        ///< its name
  int cpu = 0;                            ///< the one it was opened on
  std::uint64_t driver = 0;               ///< count the program read last
  std::optional<std::uint64_t> expected;  ///< by the scoreboard, over exactly the event's windows
  Check check = Check::unchecked;
  std::string note;
  Picoseconds opened = 0;
  Picoseconds closed = 0;
  Picoseconds time_enabled = 0;
  Picoseconds time_running = 0;
  std::uint64_t reads = 0;  ///< by the program
};

/// "exact", "wrong" or "unchecked"
[[nodiscard]] std::string_view to_string(Verdict::Check check) noexcept;

/// perf's events, as the kernel would have them: attributes, groups, what can be read and how. Each is watched by the
/// scoreboard from when it is opened. To be used from a SystemC thread process, because drivers take simulated time.
class PerfEvents {
 public:
  using Handle = driver_host::EventHandle;
  using VerdictFunction = std::function<void(const Verdict&)>;

  /// @param on_verdict  called for each event that was read, when it is closed
  PerfEvents(scenario::Machine& machine, const scenario::PmuCatalog& catalog, VerdictFunction on_verdict);

  /// perf_event_open. @param leader  0: none. @return a handle, or -errno
  Handle open(const perf_event_attr& attributes, pid_t pid, int cpu, Handle leader, std::uint64_t flags);
  /// @return what read(2) gives, or -errno in `error`
  std::vector<std::uint64_t> read(Handle handle, std::uint64_t room, int& error);
  /// ioctl(2). @param value  what PERF_EVENT_IOC_ID tells
  int control(Handle handle, std::uint64_t request, std::uint64_t argument, std::uint64_t& value);
  void close(Handle handle);
  void close_all();

  /// Simulated time at which PMUs that have more events than counters change them next; nothing if there is none.
  [[nodiscard]] std::optional<Picoseconds> next_rotation() const noexcept { return rotation_; }
  void rotate();
  /// @param span  from one change to the next
  void set_rotation(Picoseconds span) { rotation_span_ = span; }

 private:
  struct Event {
    scenario::ResolvedEvent event;
    Handle leader = 0;
    std::vector<Handle> members;  // of a leader, itself first
    int cpu = 0;
    std::uint64_t read_format = 0;
    std::uint64_t base = 0;                           // count at PERF_EVENT_IOC_RESET
    std::string not_judged;                           // why
    std::optional<driver_host::EventReading> seen;    // by the program, last
    Picoseconds seen_from = 0;                        // that reading began
    std::optional<std::uint64_t> expected_at_enable;  // if it was enabled after that: what it had to be before
    std::uint64_t reads = 0;
    Picoseconds opened = 0;
  };
  Event* find(Handle handle);
  void expect(Handle handle, Event& event);
  void plan_rotation();
  int read_now(Handle handle, std::vector<driver_host::EventReading>& readings);
  Verdict judge(Handle handle, Event& event);

  scenario::Machine& machine_;
  const scenario::PmuCatalog& catalog_;
  EventNames names_;
  VerdictFunction on_verdict_;
  std::map<Handle, Event> events_;
  std::set<std::string> crowded_;
  std::optional<Picoseconds> rotation_;
  Picoseconds rotation_span_ = 4'000'000'000;
};

}  // namespace pmufab::shell
