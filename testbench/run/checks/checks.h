// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "testbench/fabrics/common/fabric_kind.h"
#include "testbench/perf/pmu_catalog.h"
#include "testbench/run/results/results.h"
#include "testbench/run/session/machine.h"
#include "testbench/run/session/scenario_spec.h"
#include "tlm/registers/register_bank.h"

namespace pmufab::scenario {

/// Hardware that faults keep from drivers at the end of a run: what is judged there says nothing of it.
struct BrokenParts {
  std::set<std::string> pmus;        ///< whose drivers use it
  std::set<std::string> windows;     ///< of registers: "socket0.ucf_pmu"
  std::vector<std::string> reasons;  ///< "arm_cmn_0: faults[1] (reads_all_ones) lasts until the end"

  /// @return true if a bank of registers is in one of the windows: "cxl0.cpmu0" is in "cxl0"
  [[nodiscard]] bool has_registers(std::string_view bank) const;
  /// @return the text, and behind it what is not judged
  [[nodiscard]] std::string added_to(std::string_view text) const;
};

/// Whether the PMUs are at rest after the last event was closed: no counter, interrupt, event, watchpoint or address
/// filter is on that is not on when drivers have just been loaded into hardware that was reset. So a driver that lets
/// counters run all the time is right, too. When the drivers have been unloaded, what starts and stops all is off. It only
/// looks at the registers, and takes no simulated time.
class QuietCheck {
 public:
  explicit QuietCheck(const Machine& machine) : machine_(machine) {}

  /// Before the drivers are unloaded, when no event is open.
  /// @param broken  registers of which nothing can be said, with the reason
  void look_at_used(const BrokenParts& broken) {
    broken_ = broken;
    used_ = switches(false);
  }
  /// When the drivers have been unloaded.
  void look_at_unloaded() { unloaded_ = switches(true); }
  /// After a reset, when the drivers have been loaded and no event was opened.
  void look_at_fresh() { fresh_ = switches(false); }
  /// The same without what firmware has left set.
  void look_at_clean() { clean_ = switches(false); }
  /// @return "quiet": failed if something is on after the run
  [[nodiscard]] CheckResult result() const;

 private:
  /// What a part of a register turns on.
  struct Switch {
    std::string what;
    std::uint64_t value = 0;
    bool is_comparison = false;  ///< any other value, and not only another bit, means that it is on
  };
  using Switches = std::map<std::string, Switch>;  // by "socket0.ucf_pmu PMCNTENSET[0]"
  [[nodiscard]] Switches switches(bool unloaded) const;
  /// Those of a page of a bank's registers.
  static void add_switches(const std::string& bank, const RegisterBank& page,
                           const std::vector<RegisterSwitch>& possible, Switches& switches);

  const Machine& machine_;
  BrokenParts broken_;
  Switches used_;
  Switches unloaded_;
  std::optional<Switches> clean_;  ///< nothing: firmware has left nothing set
  std::optional<Switches> fresh_;  ///< nothing: the drivers were not loaded again
};

/// Whether a driver gives back all counters, watchpoints and filters. At the end of a run, groups of events like those
/// of the run are put on the PMUs. Freshly loaded drivers must add as many. So nothing needs to be known about the
/// hardware. No count of this is judged. From a SystemC thread process.
class ReleaseCheck {
 public:
  explicit ReleaseCheck(Machine& machine) : machine_(machine) {}

  /// Look how many events fit, and whether events are taken that are not the PMU's to count. Before the drivers are
  /// unloaded, when no event is open.
  /// @param broken  PMUs of which nothing can be said, with the reason
  void look_at_used(const BrokenParts& broken);
  /// What to do with the platform that was reset.
  struct Steps {
    std::function<void()> before_loading;  ///< what firmware does; empty: nothing
    std::function<void()> when_loaded;     ///< before the first event is opened
    std::function<void()> at_end = {};     ///< before they are unloaded; empty: nothing
  };
  /// Reset the platform, load the drivers again, look how many events fit, and unload them.
  /// @return "released": failed if it is another number than that of look_at_used(), or if the kernel panicked
  [[nodiscard]] CheckResult compare_with_fresh(const Steps& steps);

  /// @return simulated time that look_at_used() took
  [[nodiscard]] Picoseconds taken() const noexcept { return taken_; }

 private:
  using Rooms = std::map<std::string, unsigned>;  // events that are added, by "pmu/config=1/"
  [[nodiscard]] Rooms rooms(bool foreign);
  [[nodiscard]] CheckResult compare(const Steps& steps);

  Machine& machine_;
  Rooms used_;
  BrokenParts broken_;
  std::string panic_;  // of look_at_used()
  Picoseconds taken_ = 0;
};

/// What drivers do when the kernel refuses them something. Their modules are loaded into hardware that was reset, once for
/// each of their calls that may fail, such as kmalloc(); this call fails. A driver may give up a device, or do without what
/// it was refused. It must not warn, panic, keep what it had taken, stay bound to a device whose PMU it did not register,
/// or register a PMU without some of its files, by another name or for another CPU.
/// From a SystemC thread process, after the drivers were unloaded.
class FailingCallsCheck {
 public:
  /// @param before_loading  what firmware does after each reset; empty: nothing
  /// @param stops           asked before each load; true: the rest is left out
  FailingCallsCheck(Machine& machine, const FailingCallsSpec& spec, std::function<void()> before_loading,
                    std::function<bool()> stops)
      : machine_(machine), spec_(spec), before_loading_(std::move(before_loading)), stops_(std::move(stops)) {}

  /// @return "failing_calls"
  [[nodiscard]] CheckResult run();

 private:
  /// What there is when the drivers are loaded.
  struct Loaded {
    std::vector<driver_host::DriverHost::BoundDevice> bound;
    std::map<std::string, std::string> pmus;  // the file cpumask of each
  };
  /// Load the drivers while a call fails, and unload them.
  Loaded load(std::uint64_t number);
  void try_call(std::uint64_t number, const Loaded& usual);
  [[nodiscard]] CheckResult result() const;
  [[nodiscard]] CheckResult stopped(std::size_t planned) const;

  Machine& machine_;
  const FailingCallsSpec& spec_;
  std::function<void()> before_loading_;
  std::function<bool()> stops_;
  std::uint64_t tried_ = 0;
  std::vector<std::string> wrong_;
};

/// What drivers do when an interrupt comes while they set up a device, or leave it. Their modules are loaded into hardware
/// that was reset, and unloaded. From its request on, each handler is called between any two steps of probe and remove: each
/// time something managed (devm) is taken or given back, and around the PMU's registration and that for CPU hotplug. A
/// driver must not crash, warn or panic, use memory that is freed, or registers that are not mapped.
/// From a SystemC thread process, after the drivers were unloaded.
/// @param before_loading  what firmware does after the reset; empty: nothing
[[nodiscard]] CheckResult check_stray_interrupts(Machine& machine, const std::function<void()>& before_loading);

/// Unload each kernel module that others have asked for (no device needs it by itself, as nvidia_cspmu), and load it
/// again, while the rest stay. The PMUs that it serves must go and come back. From a SystemC thread process, when drivers
/// are loaded and no event is open.
/// @return "modules"
[[nodiscard]] CheckResult reload_modules(Machine& machine);

/// Whether drivers say what a PMU can count, as compare_published() does, and where, as perf wants to know it: `cpumask`
/// names one CPU that is online, and of the PMU's socket. `associated_cpus`, if there is one, names all CPUs of the
/// socket.
class PublicationCheck {
 public:
  explicit PublicationCheck(Machine& machine) : machine_(machine) {}

  /// Look at what is published now. From a SystemC thread process.
  /// @param when  "after cpu 3 went offline"
  void look(const std::string& when);
  /// Drivers were loaded: their PMUs begin with CPUs of their sockets.
  void loaded() { away_.clear(); }
  /// Look at what drivers draw of the hardware in debugfs. They read registers for it, which takes simulated time.
  /// look() must have been called before.
  void look_at_drawings(const std::string& when);
  /// Open each event that is shown, by itself: what a driver shows, it takes. No event may be open, and nobody judges.
  /// @param left_out  PMUs whose registers are broken
  void try_events(const std::set<std::string>& left_out, const std::string& when);
  /// @return the simulated time that look_at_drawings() and try_events() took
  [[nodiscard]] Picoseconds taken() const noexcept { return taken_; }
  /// @return "published": failed if look() has found something wrong
  [[nodiscard]] CheckResult result() const;

 private:
  void try_events_of(const perf::PmuCatalog::Entry& pmu, const std::string& when);
  void check_tables(const perf::PmuCatalog::Entry& pmu, const std::string& when);
  using Files = std::map<std::string, std::string>;  // name to text
  void check_drawing(const perf::PmuCatalog::Entry& pmu, const Files& debugfs, const std::string& when);
  void add(const perf::PmuCatalog::Entry& pmu, const char* file, const std::string& when, const std::string& problem);
  void check_cpumask(const perf::PmuCatalog::Entry& pmu, const std::set<unsigned>& cpus, const std::string& when);
  [[nodiscard]] const scoreboard::Publication& publication_of(const std::string& pmu);
  void check_associated(const perf::PmuCatalog::Entry& pmu, const std::set<unsigned>& cpus, const std::string& when);

  Machine& machine_;
  std::map<std::string, scoreboard::Publication> expected_;  // by PMU
  struct Problem {
    std::string pmu;
    std::string text;  // with the time and the file
  };
  std::vector<Problem> problems_;
  Picoseconds taken_ = 0;
  std::map<std::string, unsigned> away_;                // PMUs that may be with this CPU of another socket
  std::set<std::pair<std::string, std::string>> told_;  // PMU and file: the first problem of each is enough
};

}  // namespace pmufab::scenario
