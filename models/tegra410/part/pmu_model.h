// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tlm>

#include "models/coresight/coresight_pmu.h"
#include "models/platform/platform_part.h"
#include "models/tegra410/part/pmu_row.h"
#include "models/tegra410/socket.h"

namespace pmufab::platform {

/// Where a PMU is made: what it may count, and the clocks there are. They outlive the PMU.
struct PmuSite {
  tegra410::Socket& socket;
  const tegra410::Parameters& parameters;
  tegra410::SocketClocks clocks;
};

/// The model of a PMU, as the platform handles it.
class PmuModel {
 public:
  using Target = tlm::tlm_base_target_socket_b<64>;

  PmuModel() = default;
  virtual ~PmuModel() = default;
  PmuModel& operator=(PmuModel&&) = delete;

  /// What serves the windows of the PMU's row, in their order.
  [[nodiscard]] virtual std::vector<Target*> targets() = 0;
  /// Registers and counters to the state after power-up.
  virtual void reset() = 0;
  /// @param row  the PMU's
  virtual void add_registers(const PmuRow& row, std::vector<NamedRegisters>& banks) const = 0;
  /// @return the CoreSight PMU in it; nullptr if it is none.
  [[nodiscard]] virtual coresight::CoreSightPmu* coresight() { return nullptr; }
};

/// @return the registers of a row's CoreSight PMU, whose pages are the row's first windows.
[[nodiscard]] NamedRegisters coresight_registers(const PmuRow& row, const coresight::CoreSightPmu& pmu);

/// A CoreSight PMU and nothing else: page 0 and, if it is a dual-page one, page 1.
class CoreSightPmuModel : public PmuModel {
 public:
  explicit CoreSightPmuModel(std::unique_ptr<coresight::CoreSightPmu> pmu) : pmu_(std::move(pmu)) {}

  [[nodiscard]] std::vector<Target*> targets() override;
  void reset() override { pmu_->reset(); }
  void add_registers(const PmuRow& row, std::vector<NamedRegisters>& banks) const override {
    banks.push_back(coresight_registers(row, *pmu_));
  }
  [[nodiscard]] coresight::CoreSightPmu* coresight() override { return pmu_.get(); }

 private:
  std::unique_ptr<coresight::CoreSightPmu> pmu_;
};

}  // namespace pmufab::platform
