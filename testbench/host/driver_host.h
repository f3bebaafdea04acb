// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>
#include <tlm>

#include "testbench/host/driver_sets.h"
#include "testbench/host/interrupt_controller.h"
#include "testbench/perf/types.h"
#include "tlm/clock/clock_domain.h"
#include "tlm/firmware/firmware_description.h"

namespace pmufab::driver_host {

using perf::EventHandle;
using perf::EventReading;
using perf::PerfAttributes;
using perf::PerfCallObserver;
using perf::Pmu;

/// One CPU complex that runs unmodified Linux PMU drivers against the platform behind `bus`.
///
/// All members except the constructor, describe() and the observers must be called from a SystemC thread process: the
/// driver's register accesses are TLM transactions that take simulated time. Functions that can fail return a negative
/// Linux errno, as the kernel would. One thread at a time may be inside. Interrupts of the platform run between the
/// driver's accesses while it has them enabled, and on the host's own process while no thread is inside.
class DriverHost : public sc_core::sc_module {
 public:
  struct Options {
    Picoseconds access_latency = 50'000;  ///< simulated time of one register access (on top of the bus and device)
    Picoseconds interrupt_delay = 0;      ///< from the line to the handler
    CpuTimes* times = nullptr;        ///< what differs each time, also the delay of interrupts; must outlive the host
    bool echo_log = false;            ///< print the kernel log to standard error as it grows
    std::size_t log_room = 1U << 20;  ///< bytes of the kernel log to keep
  };

  /// @param drivers  a set without a library is none: load() must not be called, and there are no PMUs
  /// @throws DriverSetError with the loader's message if the library cannot be loaded or has another ABI version
  DriverHost(const sc_core::sc_module_name& name, const DriverSet& drivers, const Options& options);
  ~DriverHost() override;

  /// Set the firmware description. Once, before load().
  void describe(const platform::FirmwareDescription& firmware);
  /// Set the one observer; null removes it.
  void observe(PerfCallObserver* observer);
  /// Call `observer` when the CPUs take an interrupt, and when its handlers have returned. One at a time.
  /// @param handled  at the end: a handler took it
  using InterruptObserver = std::function<void(std::uint32_t number, bool begin, bool handled)>;
  void observe_interrupts(InterruptObserver observer);
  /// Call `observer` with each line of the kernel log as log() shows it, also those that a long log leaves out. One at a
  /// time.
  using LogObserver = std::function<void(const std::string& line)>;
  void observe_log(LogObserver observer);
  /// A program beside the drivers (run_program()) that handles interrupts: asked first, in the place of handlers.
  /// @return if it was the program's; nothing: the drivers' handlers are called
  using InterruptProgram = std::function<std::optional<bool>(std::uint32_t number)>;
  void handle_interrupts(InterruptProgram program);
  /// What such a program does to handle one, which takes the time of a handler, too.
  /// @param pmu  that it serves. @return what `handler` returns
  bool run_handler(const std::string& pmu, const std::function<bool()>& handler);

  /// Run every driver's module_init, create the described devices, and let deferred probes settle.
  int load();
  /// As load(), and one of the drivers' calls into the kernel that may fail, such as kmalloc(), fails.
  /// @param number  of the call, from 1; beyond the last, none fails
  int load_with_failing_call(std::uint64_t number);
  /// As load(), and from now on handlers of a device's interrupts are called between any two steps of its driver's probe
  /// and remove: unload(), too.
  int load_with_interrupts();
  /// @return how many such calls the drivers made in the last load_with_failing_call()
  [[nodiscard]] std::uint64_t calls_that_may_fail() const;
  /// @return the call that failed then: "kmalloc() in arm_cmn_probe() of arm-cmn.c"; empty: none
  [[nodiscard]] const std::string& failed_call() const;
  /// Unbind every device and run every module_exit.
  void unload();

  [[nodiscard]] std::vector<Pmu> pmus() const;
  /// @return every debugfs file of the drivers that can be read: its path below the root ("arm-cmn/map") and its text. The
  ///         drivers may read registers for it.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> debugfs() const;
  /// A loaded kernel module.
  struct LoadedModule {
    std::string name;
    bool is_helper = false;  ///< another module has asked for it
  };
  /// In the order of loading.
  [[nodiscard]] std::vector<LoadedModule> modules() const;
  /// Unload one module, as rmmod does, or load it again. Returns 0 or -errno.
  int unload_module(const std::string& name);
  int load_module(const std::string& name);

  /// Unbind a driver from all its devices, or bind it again, as its files `unbind` and `bind` in sysfs do. Events may be
  /// open. @return the number of devices, or -errno: -ENOENT if it has no such files (suppress_bind_attrs)
  int unbind_driver(const std::string& driver);
  int bind_driver(const std::string& driver);
  /// write(2) to a file below a PMU's sysfs folder. @return the bytes that were taken, or -errno
  int write_file(const std::string& pmu, const std::string& path, const std::string& text);

  /// A device that a driver is bound to.
  struct BoundDevice {
    std::string name;
    std::string driver;
    unsigned pmu_count = 0;   ///< PMUs that were registered for it
    unsigned file_count = 0;  ///< their files in sysfs
  };
  [[nodiscard]] std::vector<BoundDevice> bound_devices() const;

  /// @return version of the kernel that the library was built from, "7.3.4"; empty: there is no library
  [[nodiscard]] std::string kernel_version() const;

  /// @return the files of all kernel modules, in link order, as they were after the last load()
  [[nodiscard]] const std::vector<DriverFile>& driver_files() const;

  /// perf_event_open(attributes, pid = -1, cpu, group leader or 0). Returns the handle, or -errno.
  EventHandle open(const PerfAttributes& attributes, int cpu, EventHandle group_leader = 0);
  /// As above, but for a task (pid 0 = self), which uncore PMUs refuse.
  EventHandle open_for_task(const PerfAttributes& attributes, int cpu);
  /// Offer an event as the last one of groups of software events, and keep none: a driver that takes it alone must take
  /// it there, or it is told in warning_texts().
  void try_software_group(const PerfAttributes& attributes, int cpu);
  /// @return the events that were opened since the beginning, each kind of counting once, in order
  [[nodiscard]] const std::vector<PerfAttributes>& opened() const;
  /// Open an event, disabled, and close it again. opened() does not remember it. @return 0, or the driver's -errno
  int try_event(PerfAttributes attributes, int cpu);
  /// PERF_EVENT_IOC_ENABLE / DISABLE, of the group when `group` is set and the handle is a leader.
  int enable(EventHandle event, bool group = false);
  int disable(EventHandle event, bool group = false);
  /// @return true for an event that is pinned and did not fit: read(2) returns end of file.
  [[nodiscard]] bool in_error(EventHandle event);
  /// read(2) of one event.
  int read(EventHandle event, EventReading& reading);
  /// read(2) with PERF_FORMAT_GROUP: leader first, then siblings in the order opened.
  int read_group(EventHandle leader, std::vector<EventReading>& readings);
  void close(EventHandle event);

  /// Rotate flexible events that did not fit, as the kernel's multiplexing timer does.
  void rotate(const std::string& pmu);
  /// CPU hotplug, after describe(). Returns 0 or -errno. CPUs stay offline when the drivers are loaded again, and may be
  /// so before they are loaded first.
  int set_cpu_online(unsigned cpu, bool online);
  /// The machine starts anew with all CPUs. Only while the drivers are not loaded.
  void set_all_online();
  /// @return false for a CPU that there is not, or that is offline
  [[nodiscard]] bool is_online(unsigned cpu) const;

  /// Run a program beside the drivers that has mapped registers itself. No driver runs meanwhile.
  void run_program(const std::function<void()>& program);
  /// A register access of such a program; its `size` is 1, 2, 4 or 8 bytes. It takes as long as a driver's.
  [[nodiscard]] std::uint64_t read_register(std::uint64_t address, unsigned size);
  void write_register(std::uint64_t address, unsigned size, std::uint64_t value);

  /// Kernel log so far, with level prefix ("<4>"); of a long one the beginning, the end, and
  /// errors between them.
  [[nodiscard]] const std::vector<std::string>& log() const;
  /// @return true if the kernel died: a driver hit BUG(), a null pointer or a deadlock. The call in which that happened
  ///         threw std::runtime_error.
  [[nodiscard]] bool panicked() const;
  /// WARN() splats, broken rules of the kernel and aborted accesses so far.
  [[nodiscard]] std::uint64_t warnings() const;
  /// Their texts: the first few that differ, each with the driver's function.
  [[nodiscard]] const std::vector<std::string>& warning_texts() const;
  /// @return the driver's innermost function that the calling process is carrying out: "arm_cmn_event_add() of
  ///         arm-cmn.c"; empty if there is none, or if the drivers' files have no symbols
  [[nodiscard]] std::string driver_function() const;
  /// @return the CPU whose call into a driver the calling process is carrying out; nothing if there is none
  [[nodiscard]] std::optional<unsigned> driver_cpu() const;
  /// @return true if a driver listens to the interrupt for that PMU. May be called inside of a driver's call.
  [[nodiscard]] bool interrupt_is_of(std::uint32_t number, const std::string& pmu) const;
  /// The access under way is refused because a scenario wants it so: if `excused`, it is logged and is no warning.
  void excuse_abort(bool excused);
  /// The kernel dies, as if a driver had hit BUG(). Inside of a driver's call. Throws std::runtime_error.
  [[noreturn]] void die(const std::string& why);
  [[nodiscard]] std::uint64_t unhandled_interrupts() const;  ///< handler calls that returned IRQ_NONE
  [[nodiscard]] unsigned disabled_interrupts() const;        ///< disabled because they stormed, or were not handled
  [[nodiscard]] std::uint64_t handled_interrupts() const;
  [[nodiscard]] std::uint64_t lost_interrupts() const;  ///< never arrived (CpuTimes)
  [[nodiscard]] Picoseconds handler_time() const;       ///< that handlers have taken, all together
  /// @return when the drivers were loaded first
  [[nodiscard]] Picoseconds first_loaded() const;
  /// @return the first few spans in which handlers left the CPU hardly any time for anything else
  [[nodiscard]] const std::vector<InterruptStorm>& interrupt_storms() const;

  tlm_utils::simple_initiator_socket<DriverHost, 64> bus;

 private:
  struct State;
  /// @param function  a member of pmufab_module. @return what it does; a negative errno if it cannot be called
  template <typename Function, typename... Arguments>
  int call(Function function, Arguments... arguments);
  EventHandle open_event(const PerfAttributes& attributes, int cpu, EventHandle leader, bool for_task);

  std::unique_ptr<State> state_;
};

}  // namespace pmufab::driver_host
