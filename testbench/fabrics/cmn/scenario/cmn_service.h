// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/platform/platform_spec.h"
#include "testbench/fabrics/cmn/client/cmn_client.h"
#include "testbench/fabrics/common/software_pmus.h"
#include "testbench/perf/pmu_catalog.h"
#include "tlm/firmware/firmware_description.h"

namespace pmufab::scenario {

/// PMUs of CMN meshes, counted by the reference software (testbench/fabrics/cmn/client) in place of their driver, under the names
/// and with the terms that the driver publishes. It gets the interrupts of their DTCs; the driver gets none.
///
/// The software finds a mesh by its registers when the first event is opened. What it refuses: EINVAL if the mesh cannot
/// count the event, ENOSPC if it cannot besides those that are open, EOPNOTSUPP for sampling, ENODEV if it finds no mesh.
class CmnService final : public SoftwarePmus {
 public:
  /// What the software is told of a mesh.
  struct MeshPmu {
    std::string name;  ///< in perf
    cmn_client::MeshPlace place;
    cmn_client::CounterWidths widths;
    std::vector<std::uint32_t> interrupts;  ///< by DTC
  };
  /// Fields of perf's attributes, by the name of the term.
  using Terms = std::map<std::string, perf::TermFormat>;

  /// @param host      runs the software
  /// @param observer  hears of calls; both outlive the service. Null: nobody hears of them
  CmnService(driver_host::DriverHost& host, const std::vector<MeshPmu>& pmus, perf::PerfCallObserver* observer);

  [[nodiscard]] bool replaces_drivers() const override { return true; }
  /// Those that a driver has registered, with its files.
  [[nodiscard]] std::vector<perf::Pmu> pmus() const override { return published_pmus(); }
  perf::EventHandle open(const perf::PerfAttributes& attributes, int cpu, perf::EventHandle leader) override;

 private:
  int prepare(Block& block, const perf::PerfAttributes& attributes,
              const std::vector<perf::PerfAttributes>& others) override;
  void learn_terms();

  std::map<std::string, MeshPmu> meshes_;  // by PMU
  std::map<std::string, Terms> terms_;     // the same
};

/// @return what software in the driver's place must know of a platform's meshes: their places and interrupts from what
///         firmware tells, and the widths of counters, which nothing tells, from the description.
[[nodiscard]] std::vector<CmnService::MeshPmu> mesh_pmus(const platform::PlatformSpec& platform,
                                                         const platform::FirmwareDescription& firmware);

}  // namespace pmufab::scenario
