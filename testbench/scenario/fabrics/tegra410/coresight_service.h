// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "testbench/coresight_client/coresight_client.h"
#include "testbench/scenario/fabrics/software_pmus.h"
#include "tlm/firmware/firmware_description.h"

namespace pmufab::scenario {

/// PMUs of a Tegra410's UCF, counted by the reference software (testbench/coresight_client) in place of their driver,
/// under the names and with the terms that the driver publishes. It gets their interrupts; the driver gets none.
class CoreSightService final : public SoftwarePmus {
 public:
  /// A UCF's PMU: its name in perf, and its entry in the firmware's table.
  struct UcfPmu {
    std::string name;
    platform::ApmtNode node;
  };

  /// @param host      runs the software
  /// @param observer  hears of calls; both outlive the service
  CoreSightService(driver_host::DriverHost& host, const std::vector<UcfPmu>& pmus, perf::PerfCallObserver& observer);

  [[nodiscard]] bool replaces_drivers() const override { return true; }
  /// Those that a driver has registered, with its files.
  [[nodiscard]] std::vector<perf::Pmu> pmus() const override;
  std::optional<bool> handle_interrupt(std::uint32_t number) override;

 private:
  int prepare(Block& block, const perf::PerfAttributes& attributes,
              const std::vector<perf::PerfAttributes>& others) override;
  [[nodiscard]] coresight_client::RegisterAccess registers();

  std::map<std::string, coresight_client::PmuPlace> places_;  // by PMU
  std::map<std::uint32_t, Block*> interrupts_;
};

}  // namespace pmufab::scenario
