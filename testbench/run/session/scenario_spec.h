// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/platform/platform_spec.h"
#include "testbench/fabrics/common/workload.h"
#include "testbench/perf/verdict.h"
#include "testbench/run/occurrences/delay.h"
#include "testbench/run/occurrences/fault_spec.h"
#include "testbench/run/occurrences/trigger.h"
#include "testbench/run/yaml/document.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::scenario {

/// Events opened together, counted from `start` to `stop`, compared and closed. Times count from the instant the
/// drivers are loaded, which is also when traffic starts.
struct MeasureSpec {
  enum class Compare : std::uint8_t {
    exact,     ///< every count must equal the scoreboard's
    none,      ///< counts are reported and not judged (a window in which something is broken on purpose)
    unjudged,  ///< the same, and nobody knows what is right: the scenario has no judge
  };
  std::string name;
  std::vector<std::string> events;  ///< perf event strings; each may hold several events and groups
  Picoseconds start = 0;
  bool follows = false;             ///< begins when the measure before it has ended, whatever `start` says
  std::optional<Picoseconds> stop;  ///< not set: the end of the scenario
  Picoseconds window = 0;           ///< not 0: counts that long from when its events are enabled, whatever `stop` says
  /// Not set: a window may be as much longer or shorter as the driver's register accesses make it.
  std::optional<Picoseconds> tolerance{};
  Picoseconds interval = 0;  ///< read all events this often; 0: only at the end
  Compare compare = Compare::exact;
  bool nonzero = false;         ///< a count of 0 fails: the traffic was meant to cause this event
  std::optional<unsigned> cpu;  ///< open on this CPU instead of the PMU's own
  std::string open_error;       ///< not empty: opening must fail with this error, for example "EINVAL"
  Source source;                ///< of its events
};

/// Something done to the machine at a given moment.
struct ActionSpec {
  enum class Kind : std::uint8_t {
    cpu_offline,
    cpu_online,
    unload_drivers,  ///< closes every open event first, as the kernel demands
    load_drivers,
    reload_drivers,   ///< unload and load
    firmware_writes,  ///< the registers of `firmware_writes` once more, while no driver is loaded
    read_events,      ///< of all open measures, as another process does
    reset,            ///< warm reset of the platform, every register at its reset value
    disable_events,   ///< of a measure that is open, as ioctl(PERF_EVENT_IOC_DISABLE)
    enable_events,
    unbind_driver,  ///< from all its devices, by its file in sysfs; events may be open
    bind_driver,
    write_file,  ///< below a PMU's folder in sysfs
  };
  Trigger at;
  Kind kind = Kind::reload_drivers;
  unsigned cpu = 0;     ///< cpu_offline, cpu_online
  std::string measure;  ///< disable_events, enable_events: its name
  std::string driver;   ///< unbind_driver, bind_driver: its name on its bus
  std::string file;     ///< write_file: "PMU/FILE"
  std::string text;     ///< write_file: without the line feed, which is written, too
};

/// A register that firmware has written before the drivers are loaded.
struct FirmwareWriteSpec {
  std::uint64_t address = 0;
  unsigned size = 4;  ///< bytes: 1, 2, 4 or 8
  std::uint64_t value = 0;
  Source place;
  std::string path;  ///< "firmware_writes[2]"
};

/// An event that happens many times at once: that much traffic, or that many cycles, in no time.
struct InjectionSpec {
  Trigger at;
  std::string source;       ///< a perf event string of one event of one PMU, which says what happens and where
  std::uint64_t count = 0;  ///< 1 ... 2^63, in the unit the event counts
  unsigned unit = 0;        ///< of several alike in which it may happen: a memory controller, an instance of a link
  std::uint64_t times = 1;  ///< how often all of this happens. The first of them speaks for all in reports
  Picoseconds every = 0;    ///< from one to the next
  bool is_repetition = false;
  Source place;      ///< of `source`
  std::string path;  ///< "inject[2].source"
};

/// A bound on one count, beside the scoreboard's.
struct ExpectationSpec {
  std::string event;    ///< text of the event as reported
  std::string measure;  ///< name of the measure; empty: all that have the event
  std::optional<std::uint64_t> equals;
  std::optional<std::uint64_t> minimum;
  std::optional<std::uint64_t> maximum;
  Source source;
};

/// What drivers must, or must not, write into the kernel's log: parts of lines.
struct LogExpectationSpec {
  std::vector<std::string> has;
  std::vector<std::string> lacks;
};

/// Loads of the drivers at the end of the run, in each of which one of their calls into the kernel fails.
struct FailingCallsSpec {
  bool each = false;                   ///< every call that may fail, one after the other
  std::vector<std::uint64_t> numbers;  ///< these, from 1; beyond the last, they begin again with the first
  std::vector<std::string> known;      ///< parts of complaints that are known: they do not count
};
inline constexpr const char* kFailingCallsCheck = "failing_calls";
inline constexpr const char* kStrayInterruptsCheck = "stray_interrupts";

/// The run is known to fail. It must fail at everything named here and at nothing else.
struct ExpectedFailureSpec {
  std::string reason;
  std::vector<std::string> events;      ///< counted wrong
  std::vector<std::string> not_opened;  ///< refused by the driver
  std::vector<std::string> checks;      ///< of the run or of a measure, by name
  std::vector<std::string> drivers;     ///< selectors of the driver sets it holds for; empty: all
  bool is_rule = false;                 ///< no defect of the drivers: every driver must fail so
};

/// Spans in which the CPUs do nothing: something else keeps them, with interrupts off.
struct AwaySpec {
  DelaySpec every;    ///< from the begin of a span to that of the next
  DelaySpec lasting;  ///< how long one lasts
};

/// The CPU complex that runs the drivers.
struct HostSpec {
  /// The drivers, or the reference software in their place where there is one.
  enum class CountedBy : std::uint8_t { drivers, reference };
  Picoseconds access_latency = 50'000;        ///< of one register access
  DelaySpec interrupt_delay;                  ///< from the interrupt line to the handler
  std::vector<unsigned> offline_cpus;         ///< when the drivers are first loaded
  double interrupt_loss = 0;                  ///< probability that an interrupt never arrives
  DelaySpec handler_time;                     ///< of each handler, besides its register accesses
  std::optional<AwaySpec> away;               ///< not set: the CPUs are always there
  Picoseconds rotation = perf::kRotation;     ///< how often events that share counters change them
  CountedBy counted_by = CountedBy::drivers;  ///< who counts
};

/// One scenario, checked and with all defaults.
struct ScenarioSpec {
  std::string name;
  std::string variant;  ///< of a scenario with a matrix: "width=16,trigger=edge"
  std::string description;
  std::uint64_t seed = 1;
  std::vector<std::string> drivers = {"all"};  ///< selectors, see DriverSelector
  bool is_judged = true;                       ///< false: counts are read, and nobody knows whether they are right
  std::string platform_name;
  platform::PlatformSpec platform;
  HostSpec host;
  Workload workload;
  std::optional<Picoseconds> duration;  ///< not set: until traffic has ended
  std::vector<MeasureSpec> measures;    ///< sweeps already taken apart
  std::vector<ActionSpec> actions;      ///< by time
  std::vector<FirmwareWriteSpec> firmware_writes;
  std::vector<FaultSpec> faults;
  std::vector<InjectionSpec> injections;
  std::vector<ExpectationSpec> expectations;
  LogExpectationSpec kernel_log;
  std::optional<FailingCallsSpec> failing_calls;
  bool stray_interrupts = false;  ///< at the end, handlers are called between any two steps of probe and remove
  std::optional<ExpectedFailureSpec> expected_failure;
  std::vector<std::string> traffic_files;  ///< that are replayed, as the program opens them
  bool records_accesses = false;           ///< registers accesses go to the journal
  Value effective;                         ///< everything as YAML, defaults included
  /// As written, with what overrides made of it: tells where things stand. Null if nobody wrote it.
  std::shared_ptr<const Value> written;
};

/// @param written  ScenarioSpec::written
/// @return an error about a field of a scenario ("cxl_traffic[0].ranges[1]") with the place of that field, if the error
///         has none and the field is written somewhere.
[[nodiscard]] InputError with_place(const InputError& error, const std::shared_ptr<const Value>& written);

/// @param who  that says what is right: "--coverage", "interleave"
/// @throws InputError for a scenario that nobody judges
void require_judge(const ScenarioSpec& spec, std::string_view who);

/// @param drivers  the version of the set that runs
/// @return the effective configuration of a run with one driver set, as YAML
[[nodiscard]] std::string effective_yaml(const ScenarioSpec& spec, const std::string& drivers);

/// A platform document, for tools that need no scenario.
struct PlatformDocument {
  std::string name;
  platform::PlatformSpec spec;
  Value effective;
};

/// One run of a scenario with a matrix: the settings that make it.
struct Variant {
  std::string name;                    ///< "width=16,trigger=edge"; empty if the scenario has no matrix
  std::vector<std::string> overrides;  ///< as --set options
  std::vector<Source> sources;         ///< where each stands, for messages
};

/// @param key  at the top of a scenario: "duration"
/// @return whether the text of a --set option changes it, or something in it
[[nodiscard]] bool is_override_of(std::string_view override_text, std::string_view key) noexcept;
/// @return true for the text of a --set option that changes the matrix.
[[nodiscard]] bool is_for_matrix(std::string_view override_text) noexcept;

/// A scenario file (or a document made in memory), not looked into yet.
class ScenarioFile {
 public:
  /// @throws InputError if it cannot be read or is not YAML
  explicit ScenarioFile(const std::filesystem::path& file);
  /// @param base  folder that file names in the document are relative to
  ScenarioFile(Value document, std::filesystem::path base);

  /// The combinations of the scenario's matrix, in the order written, the last key running fastest; of a list of
  /// matrices those of each, one after the other. One unnamed variant if there is no matrix.
  /// @param overrides  texts of --set options; those of the matrix replace its lists or add to them
  /// @throws InputError
  [[nodiscard]] std::vector<Variant> variants(const std::vector<std::string>& overrides = {}) const;

  /// Read everything: files it names, the variant's settings, then the overrides (texts of --set options); check it.
  /// Overrides of the matrix are for variants().
  /// @throws InputError
  [[nodiscard]] ScenarioSpec load(const Variant& variant, const std::vector<std::string>& overrides) const;

 private:
  Value document_;
  std::filesystem::path base_;
  /// Files it names, as they were when they were read first: all runs have the same input, and a pipe can be read once.
  mutable std::map<std::filesystem::path, Value> parts_;
};

/// Read a platform file; overrides count from its top.
/// @throws InputError
[[nodiscard]] PlatformDocument load_platform(const std::filesystem::path& file,
                                             const std::vector<std::string>& overrides);

}  // namespace pmufab::scenario
