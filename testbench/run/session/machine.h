// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <systemc>

#include "models/platform/platform.h"
#include "testbench/campaigns/coverage/collector.h"
#include "testbench/fabrics/common/fabric.h"
#include "testbench/host/driver_host.h"
#include "testbench/judge/scoreboard.h"
#include "testbench/perf/enabled_events.h"
#include "testbench/run/occurrences/hardware_gate.h"
#include "testbench/run/occurrences/host_times.h"
#include "testbench/run/occurrences/trigger.h"
#include "testbench/run/session/scenario_spec.h"
#include "testbench/run/tracing/trace_listener.h"

namespace pmufab::scenario {

/// Hands the perf core's calls on to the scoreboard and what waits for them, and remembers which PMUs could not take
/// all events: those share their counters by rotation.
class CallTee final : public perf::PerfCallObserver {
 public:
  /// @param judge   null: there is none
  /// @param others  are told, too
  /// @param gate    the same; null: there is none
  CallTee(scoreboard::Scoreboard* judge, std::vector<perf::PerfCallObserver*> others, HardwareGate* gate)
      : judge_(judge), others_(std::move(others)), gate_(gate) {}
  void on_call(Call call, bool begin, const std::string& pmu, perf::EventHandle event, std::uint64_t value,
               Picoseconds when) override {
    if (judge_ != nullptr) judge_->on_call(call, begin, pmu, event, value, when);
    for (perf::PerfCallObserver* const other : others_) other->on_call(call, begin, pmu, event, value, when);
    if (gate_ != nullptr) gate_->on_call(call, begin, pmu);
  }
  std::string on_add_failed(const std::string& pmu, perf::EventHandle event, int error) override {
    crowded_.insert(pmu);
    std::string room = judge_ != nullptr ? judge_->on_add_failed(pmu, event, error) : std::string();
    for (perf::PerfCallObserver* const other : others_) other->on_add_failed(pmu, event, error);
    return room;
  }
  /// PMUs that refused an event since the call before.
  [[nodiscard]] std::set<std::string> take_crowded() { return std::exchange(crowded_, {}); }

 private:
  scoreboard::Scoreboard* judge_;
  std::vector<perf::PerfCallObserver*> others_;
  HardwareGate* gate_;
  std::set<std::string> crowded_;
};

/// The first few messages of each kind: one kind must not leave no room for the others.
class Reports {
 public:
  /// @param kind  the message type, which the text names
  void add(const std::string& kind, const std::string& text);
  [[nodiscard]] const std::vector<std::string>& list() const noexcept { return list_; }

 private:
  std::map<std::string, std::size_t> of_kind_;
  std::vector<std::string> list_;
};

/// A platform, the CPU complex that runs drivers on it, the traffic and the judge, wired together. One per process:
/// SystemC elaborates once.
class Machine {
 public:
  struct Options {
    bool echo_log = false;            ///< kernel log to standard error
    std::size_t log_room = 1U << 20;  ///< bytes of the kernel log to keep
    ProgressFunction progress = {};
    bool covers = false;               ///< find out what the drivers meet
    bool is_judged = true;             ///< false: nobody follows traffic and calls; no count is judged, nothing covered
    bool has_spare_processor = false;  ///< a second thread may judge
    bool has_gate = false;  ///< between CPUs and platform: something waits for register accesses, or hardware fails
    std::vector<TraceListener*> tracers = {};  ///< not owned; with them there is a gate
  };

  /// @param drivers  a set without a library for a machine that has no drivers
  /// @throws InputError for a trace that cannot be replayed or drivers that cannot be loaded
  Machine(const platform::PlatformSpec& platform, const HostSpec& host, const Workload& workload,
          const driver_host::DriverSet& drivers, Options options);
  ~Machine();
  Machine& operator=(Machine&&) = delete;

  [[nodiscard]] platform::Platform& platform() noexcept { return *platform_; }
  [[nodiscard]] const platform::Platform& platform() const noexcept { return *platform_; }
  /// @return how far the simulation has come, in units of work: delta cycles, and the cycles of meshes and the
  ///         operations that needed none.
  [[nodiscard]] std::uint64_t steps() const;
  [[nodiscard]] driver_host::DriverHost& host() noexcept { return *host_; }
  [[nodiscard]] const driver_host::DriverHost& host() const noexcept { return *host_; }
  /// What drivers must publish, and what is true. Of a machine that is not judged it knows the first only.
  [[nodiscard]] scoreboard::Scoreboard& scoreboard() noexcept { return *scoreboard_; }
  [[nodiscard]] const scoreboard::Scoreboard& scoreboard() const noexcept { return *scoreboard_; }
  [[nodiscard]] bool is_judged() const noexcept { return is_judged_; }
  /// What firmware tells the CPUs. Its interrupt lines are their ends of the wires.
  [[nodiscard]] const platform::FirmwareDescription& firmware() const noexcept { return firmware_; }
  /// PMUs of drivers and of other software.
  [[nodiscard]] perf::PmuServices& pmus() noexcept { return *pmus_; }
  [[nodiscard]] CallTee& calls() noexcept { return *calls_; }
  /// What the drivers meet; null unless the options want it.
  [[nodiscard]] coverage::Collector* coverage() noexcept { return coverage_.get(); }
  /// Those that write down what happens. Calls go on in their order.
  [[nodiscard]] const std::vector<TraceListener*>& tracers() const noexcept { return tracers_; }
  void trace_phase(RunPhase phase) const;
  /// Drivers were loaded: coverage and tracers must know what they publish.
  void tell_loaded();
  /// What happens at given moments.
  [[nodiscard]] Triggers& triggers() noexcept { return triggers_; }
  /// Null if Options::has_gate is false.
  [[nodiscard]] HardwareGate* gate() noexcept { return gate_.get(); }
  [[nodiscard]] const std::vector<std::unique_ptr<Fabric>>& fabrics() const noexcept { return fabrics_; }

  /// Let all traffic begin now, or end.
  void start_traffic();
  void stop_traffic();
  /// @return true when all traffic, which was started, has come to an end of its own, and so have its transactions
  [[nodiscard]] bool traffic_is_over() const;
  /// @return true while there is traffic whose end idle_events() will tell
  [[nodiscard]] bool is_busy() const;
  /// Everything whose notification may mean that is_busy() has become false.
  [[nodiscard]] sc_core::sc_event_or_list idle_events() const;

  /// Simulate until `body` ends, which runs in a SystemC thread process from time 0. An exception that leaves `body`
  /// leaves run().
  void run(const std::function<void()>& body);

  /// What software did wrong at the registers, and other warnings of the models, in order; the first few of each kind.
  [[nodiscard]] const std::vector<std::string>& reports() const noexcept { return reports_.list(); }
  /// Forget the reports so far: they are not about what is judged.
  void forget_reports() { reports_ = {}; }
  /// What SystemC or a plug-in has warned of. No driver is to blame.
  [[nodiscard]] const std::vector<std::string>& warnings() const noexcept { return warnings_.list(); }
  /// While nothing is judged, the scoreboard sees neither the drivers' calls nor accesses, and there are no reports.
  void set_judging(bool judging);

 private:
  class Process;
  void observe_coverage();
  void tell_judge(const MmioBus::BusAccess& access);
  void attach_tracers();
  [[nodiscard]] std::vector<perf::EventObserver*> event_observers() const;
  static void on_report(const sc_core::sc_report& report, const sc_core::sc_actions& actions);

  static Machine* current_;
  std::unique_ptr<platform::Platform> platform_;
  std::unique_ptr<HostTimes> host_times_;  // null: always the same
  std::unique_ptr<driver_host::DriverHost> host_;
  Triggers triggers_;
  std::unique_ptr<HardwareGate> gate_;
  platform::FirmwareDescription firmware_;
  std::vector<TraceListener*> tracers_;
  std::unique_ptr<scoreboard::Scoreboard> scoreboard_;
  std::unique_ptr<coverage::Collector> coverage_;
  std::unique_ptr<CallTee> calls_;
  std::vector<std::unique_ptr<Fabric>> fabrics_;  // go before the judges they show their wires to
  std::unique_ptr<perf::PmuServices> pmus_;
  std::unique_ptr<perf::EnabledEvents> enabled_;
  std::unique_ptr<Process> process_;
  Reports reports_;
  Reports warnings_;
  bool is_judged_ = true;
  bool judging_ = true;  // false during checks that call the drivers themselves
};

}  // namespace pmufab::scenario
