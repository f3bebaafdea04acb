// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "testbench/fabrics/tegra410/judge/pcie/pcie_meaning.h"
#include "testbench/fabrics/tegra410/judge/pcie/pcie_tgt_judge.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::scoreboard {

/// Hears what passes the root complexes of the sockets, from the wires, for judges of other PMUs.
class RootComplexListener {
 public:
  /// A read or write of a device.
  struct DeviceRequest {
    Picoseconds when;
    Picoseconds end;  ///< when its answer is back
    unsigned socket;  ///< of the device
    unsigned root_complex;
    unsigned root_port;
    std::uint16_t bdf;
    PcieDestination destination;
    bool is_write;
    std::uint32_t bytes;
  };
  virtual ~RootComplexListener() = default;
  /// Called when the request has been accepted, in the order of acceptance.
  virtual void on_device_request(const DeviceRequest& request) = 0;
  /// A read or write goes down to a root complex.
  virtual void on_target_request(Picoseconds when, unsigned socket, unsigned root_complex,
                                 const PcieTgtRequest& request) = 0;
};

}  // namespace pmufab::scoreboard
