// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace pmufab::cxl_client {

/// Access to the configuration space of a PCI segment: 32 bits at an offset from the start of bus 0.
struct ConfigurationAccess {
  std::function<std::uint32_t(std::uint64_t offset)> read;
  std::function<void(std::uint64_t offset, std::uint32_t value)> write;
};

/// A function with a register locator.
struct CpmuFunction {
  enum class Kind : std::uint8_t { root_port, upstream_port, downstream_port, endpoint };
  Kind kind = Kind::endpoint;
  unsigned bus = 0;
  unsigned device = 0;
  unsigned function = 0;
  unsigned number_of_kind = 0;          ///< functions of the kind before it; for a downstream port, below its switch
  unsigned switch_number = 0;           ///< for a downstream port: number of upstream ports before its own
  std::vector<std::uint64_t> blocks{};  ///< addresses of the registers of its CPMUs, in the order of the locator
};

/// Find the functions with a register locator, as software does: read configuration space depth first by the bus
/// numbers of bridges, find the locator (DVSEC 8 of vendor 0x1e98, CXL 3.1, 8.1.9), add its offsets to base address
/// registers. Memory Space Enable is set where there is a CPMU.
[[nodiscard]] std::vector<CpmuFunction> find_cpmus(const ConfigurationAccess& access, unsigned first_bus,
                                                   unsigned last_bus);

}  // namespace pmufab::cxl_client
