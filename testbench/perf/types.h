// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tlm/clock/clock_domain.h"

/// The vocabulary of perf's core: events, their readings, and the core's calls into a driver. The driver host uses it,
/// and the scoreboard receives it without depending on the driver host.
namespace pmufab::perf {

/// The fields of struct perf_event_attr that count here.
struct PerfAttributes {
  std::uint32_t type = 0;  ///< PMU type, from Pmu::type
  std::uint64_t config = 0;
  std::uint64_t config1 = 0;
  std::uint64_t config2 = 0;
  std::uint64_t sample_period = 0;  ///< not 0: a sampling event
  bool disabled = true;
  bool pinned = false;     ///< goes on before all others, and stays when others come
  bool exclusive = false;  ///< its group has the PMU for itself, or waits for its turn
  bool exclude_user = false;
  bool exclude_kernel = false;
  bool exclude_guest = false;
};

using EventHandle = int;  ///< positive

/// What reading an event gives.
struct EventReading {
  std::uint64_t value;  ///< raw count
  Picoseconds time_enabled;
  Picoseconds time_running;  ///< less than enabled: multiplexed or never scheduled
};

/// A registered PMU and what its driver shows in sysfs.
struct Pmu {
  std::string name;  ///< for example "nvidia_ucf_pmu_0"
  std::uint32_t type;
  std::vector<std::pair<std::string, std::string>> files;  ///< path below the PMU's folder ("format/event") and content
  std::map<std::string, int> unreadable = {};              ///< files that read(2) refuses, and its errno (negative)
  std::string twin = {};  ///< the PMU of a driver that has the same counters; a PMU of software only
};

/// Calls of the kernel's perf core into a driver, begin and end, as a debugger on the CPU would see them. The
/// scoreboard uses them to know which events the user wants counted and when; it never looks into the driver or the
/// device.
class PerfCallObserver {
 public:
  /// start_txn, commit_txn and cancel_txn are seen of PMUs that bring transactions of their own: additions of a group
  /// come between them, and reads of one.
  enum class Call : std::uint8_t {
    pmu_disable,
    pmu_enable,
    add,
    del,
    start,
    stop,
    read,
    interrupt,
    start_txn,
    commit_txn,
    cancel_txn
  };
  static constexpr std::uint64_t kAddTransaction = 1;   ///< PERF_PMU_TXN_ADD
  static constexpr std::uint64_t kReadTransaction = 2;  ///< PERF_PMU_TXN_READ
  virtual ~PerfCallObserver() = default;
  /// @param event  0 for calls that are not about one event
  /// @param value  at the end of a call about an event: the event's raw count; of a transaction: its kind
  virtual void on_call(Call call, bool begin, const std::string& pmu, EventHandle event, std::uint64_t value,
                       Picoseconds when) = 0;
  /// The add call that is about to end was refused by the driver with `error` (negative errno): the event is not
  /// active. Comes right before the end of that call is reported.
  /// @return why the driver should not have: "1 of 8 counters used"; empty if nothing is known against it
  virtual std::string on_add_failed(const std::string& /*pmu*/, EventHandle /*event*/, int /*error*/) { return {}; }
};

}  // namespace pmufab::perf
