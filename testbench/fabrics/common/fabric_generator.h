// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "testbench/fabrics/common/random.h"
#include "testbench/run/yaml/document.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::verify {

/// An event that happens many times at once: an item of a scenario's `inject`, without its time.
struct BulkEvent {
  std::string source;  ///< perf event string of the place and the occurrence
  /// From counters that have just been put on to their wrap. A session lets a little less happen, then the rest while
  /// it reads; or all at once; or twice that, in two steps.
  std::uint64_t count = 0;
  std::vector<std::string> more;  ///< other places and occurrences of the same instant
  bool once = false;              ///< no driver could tell a second wrap of it: it happens once in a session
  /// Further ones, of other counters, that may wrap before any register access of an interrupt handler, or before the
  /// first of a reading.
  std::vector<std::string> in_calls{};
  std::uint64_t in_calls_count = 0;
};

/// An event that the driver must refuse.
struct RefusedEvent {
  std::string events;                ///< perf event strings, several with commas; a group in braces
  std::string error;                 ///< for `open_error`: "EINVAL"
  std::optional<unsigned> cpu = {};  ///< opened on this CPU; nothing: on the PMU's own
};

/// A PMU of a generated machine: what a perf session may do with it.
struct PmuOffer {
  std::string pmu;                ///< perf's name for it
  unsigned counters = 1;          ///< events it can count at once, cycles included
  unsigned accesses = 10;         ///< of registers, for a reading of one event
  unsigned crowds = 20;           ///< percent of its measures that have more events than counters
  bool reading_loses = false;     ///< its driver loses events while it reads one that counts: no measure does that
  bool reads_halves = false;      ///< software reads a counter in two accesses, and a wrap may come between any two
  bool shares = true;             ///< perf rotates more events than that; false: such a group is refused
  std::vector<unsigned> cpus;     ///< CPUs its events may be on: those of its socket, or all
  bool leaves_socket = false;     ///< when all of them are offline, it counts on another socket's
  bool stops_for_groups = false;  ///< its driver stops it while perf reads a group
  bool beside_clocks = true;      ///< a software event may lead its groups
  bool beside_others = true;  ///< its driver refuses to join an event of another PMU below a software event, and lives
  /// @return an event string that the driver must take. Most of them are caused by the machine's traffic.
  std::function<std::string(Random&)> event;
  /// @return whether these events can count at once: each on its own, or as one group. null: as many as `counters` can
  std::function<bool(const std::vector<std::string>& events, bool is_group)> fits;
  /// @return events that fill the counters as one group; null: it is made of events that fit. Called if `fits` is set
  std::function<std::vector<std::string>(Random&)> group;
  /// @return an event it must refuse; null: none is known
  std::function<std::optional<RefusedEvent>(Random&)> refused;
  /// @return occurrences that bring its counters to a wrap; null: none are possible
  std::function<std::optional<BulkEvent>(Random&)> bulk;
  /// @return a few occurrences of all its events, so that none counts nothing for lack of traffic; null: none are possible
  std::function<std::optional<BulkEvent>(Random&)> some;
};

/// A platform with traffic that reaches what its PMUs count.
struct GeneratedMachine {
  scenario::Value platform;  ///< the map under the key `platform`
  /// Top keys of the scenario: "chi_traffic", ...; also "firmware_writes", if firmware has left registers set.
  std::vector<std::pair<std::string, scenario::Value>> traffic;
  /// The map under the key `host`, if known defects of the drivers leave no choice, such as one that loses events between
  /// two accesses of a reading. Null: any.
  std::optional<scenario::Value> host;
  Picoseconds host_access = 0;  ///< of a register, with `host`
  /// Empty if the machine brings its session, because only a few sessions show none of the known defects: `traffic` then
  /// has "measure", "duration" and so on, too, and is the whole case.
  std::vector<PmuOffer> pmus;
  unsigned cpus = 1;                ///< of the whole platform
  Picoseconds window = 20'000'000;  ///< in which the traffic causes most events at least once
  bool resets = true;               ///< drivers may be unloaded after a reset of the platform
  bool seeks = false;               ///< events are wanted: they meet each counter
  bool calm_wraps = false;          ///< counters wrap only while no event of the PMU comes or goes
  // Without `host`: how slow a CPU may be without a counter's second wrap before the driver has handled the first.
  Picoseconds slowest_access = 100'000;       ///< of a register
  Picoseconds longest_interrupt = 2'000'000;  ///< from the line to the handler
};

/// Events that some bin of coverage lacks, by kind of PMU: "arm_cmn_* (CMN-700)". Cases that have them meet more.
using Wishes = std::map<std::string, std::set<std::string>>;

/// One fabric's room in the generator of random cases.
class FabricGenerator {
 public:
  virtual ~FabricGenerator() = default;
  /// @return the word for `--fabric`: "cmn"
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// @param kernel  the driver's kernel version, "7.3.4": what it knows, and what of it is known to be wrong
  /// @param wishes  what is made more often, if chance allows
  /// @return a machine that is valid, that these drivers support, and on which no known defect of these drivers shows
  [[nodiscard]] virtual GeneratedMachine make(Random& random, std::string_view kernel, const Wishes& wishes) const = 0;
  /// @return the kernel modules that drive its machines
  [[nodiscard]] virtual std::vector<std::string_view> driver_modules() const = 0;
  /// @return whether machines for these drivers have a PMU
  [[nodiscard]] virtual bool has_pmus(std::string_view /*kernel*/) const { return true; }
};

}  // namespace pmufab::verify
