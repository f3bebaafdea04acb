// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "models/platform/platform_part.h"
#include "models/platform/platform_spec.h"
#include "models/tegra410/socket.h"
#include "tlm/clock/clock_domain.h"
#include "tlm/interrupt/interrupt.h"

namespace pmufab::platform {

/// The Tegra410 sockets of a platform, with what they share. Construct inside the platform's constructor: the sockets
/// become its children "socket0", "socket1", ...
class Tegra410Part : public PlatformPart {
 public:
  /// @param spec  valid, with `memory` and `tegra410` filled in
  explicit Tegra410Part(const PlatformSpec& spec);

  void map(MmioBus& bus) override;
  void describe(FirmwareDescription& firmware) override;
  void reset() override;
  void add_registers(std::vector<NamedRegisters>& banks) const override;
  void add_probes(std::vector<Probe*>& probes) override;

  /// Show the boundaries of all sockets to `observer` (not owned); nullptr removes it.
  void set_observer(BoundaryObserver* observer);
  [[nodiscard]] tegra410::Socket& socket(unsigned index) { return *sockets_.at(index); }
  [[nodiscard]] const tegra410::AddressMap& address_map() const noexcept { return address_map_; }
  [[nodiscard]] const ClockDomain& ucf_clock() const noexcept { return clock_; }
  [[nodiscard]] const ClockDomain& soc_clock() const noexcept { return soc_clock_; }

 private:
  void describe_pcie_tgt(FirmwareDescription& firmware);

  tegra410::Parameters parameters_;
  tegra410::AddressMap address_map_;
  ClockDomain clock_;
  ClockDomain soc_clock_;
  ClockDomain c2c_clock_;
  tegra410::AcceptanceOrder order_;
  std::vector<std::unique_ptr<InterruptLine>> ucf_interrupts_;
  std::vector<std::unique_ptr<InterruptLine>> pcie_tgt_interrupts_;  // by socket and place in root_complexes()
  std::vector<std::unique_ptr<tegra410::Socket>> sockets_;
};

}  // namespace pmufab::platform
