// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/platform/platform_part.h"
#include "models/platform/platform_spec.h"
#include "models/platform/tegra410/tegra410_part.h"

namespace pmufab::platform {

/// What firmware, bus and dumps need to know about the chip-to-chip interfaces of a platform's Tegra410 sockets, which
/// are the sockets' own.
class C2cPart : public PlatformPart {
 public:
  /// @param spec     valid, with `tegra410` filled in
  /// @param sockets  outlives this part
  C2cPart(const PlatformSpec& spec, Tegra410Part& sockets);

  void map(MmioBus& bus) override;
  void describe(FirmwareDescription& firmware) override;
  void reset() override;
  void add_registers(std::vector<NamedRegisters>& banks) const override;
  void add_probes(std::vector<Probe*>& /*probes*/) override {}

 private:
  tegra410::Parameters parameters_;
  unsigned socket_count_;
  Tegra410Part& sockets_;
};

}  // namespace pmufab::platform
