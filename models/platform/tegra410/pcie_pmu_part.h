// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "models/platform/platform_part.h"
#include "models/platform/platform_spec.h"
#include "models/platform/tegra410/tegra410_part.h"
#include "models/tegra410/pcie/root_complex.h"
#include "tlm/interrupt/interrupt.h"

namespace pmufab::platform {

/// The PCIE PMUs of the root complexes of a platform's Tegra410 sockets.
class PciePmuPart : public PlatformPart {
 public:
  /// @param spec     valid, with `tegra410` filled in
  /// @param sockets  built from it; must outlive this
  PciePmuPart(const PlatformSpec& spec, Tegra410Part& sockets);

  void map(MmioBus& bus) override;
  void describe(FirmwareDescription& firmware) override;
  void reset() override;
  void add_registers(std::vector<NamedRegisters>& banks) const override;
  void add_probes(std::vector<Probe*>& probes) override;

 private:
  struct Place {
    unsigned socket;
    tegra410::RootComplex* complex;
    std::unique_ptr<InterruptLine> interrupt;  // of the PCIE PMU, if it is wired
  };

  tegra410::CoreSightPmuParameters parameters_;
  std::vector<Place> places_;  // by socket and number
};

}  // namespace pmufab::platform
