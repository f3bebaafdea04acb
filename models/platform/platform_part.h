// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/coresight/coresight_pmu.h"
#include "models/platform/platform.h"
#include "tlm/bus/mmio_bus.h"
#include "tlm/firmware/firmware_description.h"
#include "tlm/registers/register_bank.h"

namespace pmufab::platform {

/// One PMU fabric of a platform: what Platform needs to know about it.
class PlatformPart {
 public:
  virtual ~PlatformPart() = default;
  /// Map register windows on the bus.
  virtual void map(MmioBus& bus) = 0;
  /// Add the part's devices to the firmware description.
  virtual void describe(FirmwareDescription& firmware) = 0;
  virtual void reset() = 0;
  /// @return whether what is behind one window of map() can be reset alone
  [[nodiscard]] virtual bool can_reset(const std::string& /*window*/) const { return false; }
  /// Reset it. Called if can_reset() says so.
  virtual void reset_window(const std::string& /*window*/) {}
  virtual void add_registers(std::vector<NamedRegisters>& banks) const = 0;
};

/// @return a bank of registers under the name shown to users. The bank must outlive it.
/// @param base  its physical address
[[nodiscard]] NamedRegisters registers_of(std::string name, std::uint64_t base, const RegisterBank& bank);
/// @return the pages of a CoreSight PMU, in the same way.
/// @param bases  their physical addresses
[[nodiscard]] NamedRegisters registers_of(std::string name, std::vector<std::uint64_t> bases,
                                          const coresight::CoreSightPmu& pmu);

}  // namespace pmufab::platform
