// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "testbench/fabrics/common/software_pmus.h"
#include "testbench/fabrics/cxl/client/cpmu_client.h"
#include "testbench/fabrics/cxl/judge/cxl_judge_spec.h"
#include "tlm/firmware/firmware_description.h"

namespace pmufab::scenario {

/// CPMUs counted by the reference software (testbench/fabrics/cxl/client) instead of a driver: of ports, which have none, and
/// of devices as a second opinion. PMUs are called "cpmu_rp0.1" (CPMU 1 of root port 0), "cpmu_usp0.0" (upstream port
/// of switch 0), "cpmu_dsp0.1.0" (its downstream port 1) and "cpmu_mem0.0" (a device); their terms are the driver's.
///
/// The software finds the registers by reading configuration space when the first event is opened, and tells an
/// observer what it does as the perf core does. It takes no interrupts: a counter must not wrap twice between two
/// readings.
///
/// If it replaces the drivers, it also serves the devices' CPMUs by the drivers' names ("cxl_pmu_mem0.0"). Then their
/// counters freeze at an overflow, as those of Linux do, and it takes the interrupts.
class CpmuService final : public SoftwarePmus {
 public:
  /// @param host      runs the software
  /// @param firmware  tells where configuration space is
  /// @param pmus      those whose names begin with "cpmu_" are served
  /// @param observer  hears of calls; all outlive the service. Null: nobody hears of them
  /// @param replaces_drivers  all PMUs are served
  CpmuService(driver_host::DriverHost& host, const platform::FirmwareDescription& firmware,
              const std::vector<scoreboard::CxlPmuSpec>& pmus, perf::PerfCallObserver* observer, bool replaces_drivers);

  [[nodiscard]] std::string twin(const std::string& pmu) const override;
  [[nodiscard]] bool replaces_drivers() const override { return replaces_drivers_; }
  std::optional<bool> handle_interrupt(std::uint32_t number) override;

 private:
  int prepare(Block& block, const perf::PerfAttributes& attributes,
              const std::vector<perf::PerfAttributes>& others) override;
  void find_blocks();

  platform::FirmwareDescription firmware_;
  std::map<std::string, std::uint64_t> addresses_;  // as found, by the names of PMUs
  bool replaces_drivers_;
  bool searched_ = false;
};

}  // namespace pmufab::scenario
