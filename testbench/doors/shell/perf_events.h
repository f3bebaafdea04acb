// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/perf_event.h>
#include <sys/types.h>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "testbench/doors/shell/shell_service.h"
#include "testbench/host/pci_access/pci_access.h"
#include "testbench/perf/event_names.h"
#include "testbench/perf/pmu_catalog.h"
#include "testbench/perf/verdict.h"
#include "testbench/run/session/machine.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::shell {

/// How long events of a PMU that has too few counters keep their turn: perf_event_mux_interval_ms in the generated /sys.
/// Programs write the file, and the simulator looks at it.
class MuxIntervals {
 public:
  /// @param devices     /sys/bus/event_source/devices
  /// @param time_scale  simulated seconds per second of programs
  MuxIntervals(std::filesystem::path devices, double time_scale)
      : devices_(std::move(devices)), time_scale_(time_scale) {}

  /// @return the simulated time of a turn; at least 1 ps. A number that the kernel would refuse is replaced by the one
  ///         before, in the file too
  [[nodiscard]] Picoseconds of(const std::string& pmu);

 private:
  std::filesystem::path devices_;
  double time_scale_;
  std::map<std::string, int> accepted_;  // milliseconds
};

/// perf's events, as the kernel would have them: attributes, groups, what can be read and how. Each is watched by the
/// scoreboard from when it is opened. To be used from a SystemC thread process, because drivers take simulated time.
class PerfEvents final : public ShellService {
 public:
  using VerdictFunction = std::function<void(const perf::Verdict&)>;

  /// @param on_verdict  called for each event that was read, when it is closed
  PerfEvents(scenario::Machine& machine, const perf::PmuCatalog& catalog, pci_access::PciAccess& pci,
             MuxIntervals intervals, VerdictFunction on_verdict);

  Handle open(const perf_event_attr& attributes, pid_t pid, int cpu, Handle leader, std::uint64_t flags) override;
  std::vector<std::uint64_t> read(Handle handle, std::uint64_t room, int& error) override;
  int control(Handle handle, std::uint64_t request, std::uint64_t argument, std::uint64_t& value) override;
  void close(Handle handle) override;
  void close_all();
  [[nodiscard]] std::optional<Picoseconds> next_rotation() const override;
  void rotate() override;
  std::vector<std::uint8_t> read_config(std::uint32_t function, std::uint64_t offset, std::uint64_t size) override {
    return pci_.read(function, offset, size);
  }
  int write_config(std::uint32_t function, std::uint64_t offset, const std::uint8_t* data, std::size_t size) override {
    return pci_.write(function, offset, data, size);
  }

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
  /// Handles of software events that follow a task; others are below.
  static constexpr Handle kFirstOfTasks = 0x4000'0000;
  static constexpr Handle kLastOfTasks = 0x7fff'ffff;
  Event* find(Handle handle);
  Handle open_for_task(const perf::PerfAttributes& wanted, int cpu, Handle leader, bool is_software);
  int enable(Handle handle);
  int control_one(Handle handle, std::uint64_t request);
  int refuse(std::uint64_t request, std::uint64_t argument);
  void expect(Handle handle, Event& event);
  /// @return PMUs that have more events than counters, of those where anything has changed since the last call
  std::set<std::string> crowded();
  /// @param last  the rotations that have just been: those of their PMUs go on in the same rhythm
  void plan_rotations(const std::map<std::string, Picoseconds>& last = {});
  int read_now(Handle handle, bool group, std::vector<perf::EventReading>& readings);
  perf::Verdict judge(Handle handle, Event& event);

  scenario::Machine& machine_;
  const perf::PmuCatalog& catalog_;
  pci_access::PciAccess& pci_;
  perf::EventNames names_;
  VerdictFunction on_verdict_;
  std::map<Handle, Event> events_;
  Handle next_of_tasks_ = kFirstOfTasks;
  MuxIntervals intervals_;
  std::map<std::string, Picoseconds> rotations_;  // of PMUs with more events than counters: when the next one is
};

}  // namespace pmufab::shell
