// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "testbench/fabrics/common/software_pmus.h"
#include "testbench/host/coresight_client/coresight_client.h"
#include "tlm/firmware/firmware_description.h"

namespace pmufab::scenario {

/// `config` of the event "cycles", as arm_cspmu publishes it: beyond the 32 bits of an event's number.
inline constexpr std::uint64_t kCspmuCycles = std::uint64_t{1} << 32;

/// What an event asks of a counter.
struct EventRequest {
  coresight_client::CounterRequest request{};
  int error = 0;  ///< not 0: the negative Linux errno for an event that the software cannot count
};

/// A CoreSight PMU that reference software may serve.
struct ServedCoreSightPmu {
  std::string name;         ///< in perf
  platform::ApmtNode node;  ///< its entry in the firmware's table
  /// What attributes mean, which fill the terms that the driver publishes.
  std::function<EventRequest(const perf::PerfAttributes&)> request_of;
  /// What a member of a group counts. It may take attributes from its leader. Empty: members take none.
  std::function<perf::PerfAttributes(perf::PerfAttributes member, const perf::PerfAttributes& leader)> in_group{};
  /// @return true if the PMU can count both events at a time. Empty: any two, as far as there are counters.
  std::function<bool(const perf::PerfAttributes& one, const perf::PerfAttributes& other)> go_together{};
};

/// CoreSight PMUs, counted by the reference software (testbench/host/coresight_client) in place of their drivers, under the
/// names and with the terms that a driver publishes. It gets their interrupts; drivers get none.
///
/// What it refuses: EOPNOTSUPP for sampling and for what its PMU says, EINVAL if the PMU cannot count the event, also
/// besides those that are open, ENOSPC if no counter is left for it.
class CoreSightService final : public SoftwarePmus {
 public:
  /// @param host      runs the software
  /// @param observer  hears of calls; both outlive the service. Null: nobody hears of them
  CoreSightService(driver_host::DriverHost& host, const std::vector<ServedCoreSightPmu>& pmus,
                   perf::PerfCallObserver* observer);

  [[nodiscard]] bool replaces_drivers() const override { return true; }
  /// Those that a driver has registered, with its files.
  [[nodiscard]] std::vector<perf::Pmu> pmus() const override { return published_pmus(); }

 private:
  int prepare(Block& block, const perf::PerfAttributes& attributes,
              const std::vector<perf::PerfAttributes>& others) override;
  [[nodiscard]] perf::PerfAttributes in_group(const Block& block, const perf::PerfAttributes& member,
                                              const perf::PerfAttributes& leader) const override;

  std::map<std::string, ServedCoreSightPmu> served_;  // by name
};

}  // namespace pmufab::scenario
