// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "models/platform/platform_part.h"
#include "models/platform/platform_spec.h"
#include "models/tegra410/part/pmu_model.h"
#include "models/tegra410/part/pmu_row.h"
#include "models/tegra410/socket.h"
#include "tlm/clock/clock_domain.h"
#include "tlm/interrupt/interrupt.h"

namespace pmufab::platform {

/// The Tegra410 sockets of a platform, with what they share, and all their PMUs: those of the table in pmu_row.h.
/// Construct inside the platform's constructor: the sockets become its children "socket0", "socket1", ...
class Tegra410Part : public PlatformPart {
 public:
  /// @param spec  valid
  explicit Tegra410Part(const PlatformSpec& spec);

  void map(MmioBus& bus) override;
  void describe(FirmwareDescription& firmware) override;
  void reset() override;
  [[nodiscard]] bool can_reset(const std::string& window) const override;
  void reset_window(const std::string& window) override;
  void add_registers(std::vector<NamedRegisters>& banks) const override;

  /// Show the boundaries of all sockets to `observer` (not owned); nullptr removes it.
  void set_observer(BoundaryObserver* observer);
  /// @throws std::out_of_range if there is no such socket
  [[nodiscard]] tegra410::Socket& socket(unsigned index) { return *sockets_.at(index); }
  /// @return the CoreSight PMU whose row has this name ("socket0.rc1.pcie_pmu"). @throws std::out_of_range for none
  [[nodiscard]] coresight::CoreSightPmu& pmu(std::string_view name) const;
  [[nodiscard]] const tegra410::AddressMap& address_map() const noexcept { return address_map_; }
  [[nodiscard]] const ClockDomain& ucf_clock() const noexcept { return clock_; }

 private:
  struct Pmu {
    PmuRow row;
    std::unique_ptr<InterruptLine> interrupt;  // if it is wired
    std::unique_ptr<PmuModel> model;
  };

  /// Make the models of the PMUs of a socket.
  void add_pmus(tegra410::Socket& socket, const tegra410::SocketClocks& clocks);

  tegra410::Parameters parameters_;
  tegra410::AddressMap address_map_;
  ClockDomain clock_;
  ClockDomain soc_clock_;
  ClockDomain c2c_clock_;
  tegra410::AcceptanceOrder order_;
  std::vector<std::unique_ptr<tegra410::Socket>> sockets_;
  std::vector<Pmu> pmus_;
};

}  // namespace pmufab::platform
