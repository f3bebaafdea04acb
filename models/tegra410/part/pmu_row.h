// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/platform/pmu_window.h"
#include "tlm/firmware/firmware_description.h"
#include "tlm/interrupt/interrupt.h"

namespace pmufab::platform {

class PmuModel;
struct PmuSite;

/// What the events of a PMU mean. Firmware lists PMUs in this order, those of chip-to-chip interfaces socket by socket.
enum class PmuType : std::uint8_t { ucf, cmem_latency, pcie_tgt, pcie, nvlink_c2c, nvclink, nvdlink, other };

/// One PMU of a platform's Tegra410 sockets: everything that bus, firmware, dumps and judges must know about it, and
/// how to make its model. Plain data: a judge reads it without a model.
struct PmuRow {
  PmuType type = PmuType::other;
  unsigned socket = 0;
  unsigned root_complex = 0;       ///< of the socket; only for PMUs of root complexes
  std::string name;                ///< as dumps and the bus show it: "socket0.rc1.pcie_pmu"
  std::string perf_name;           ///< as its driver calls it: "nvidia_pcie_pmu_0_rc_1"
  std::vector<PmuWindow> windows;  ///< in the order of PmuModel::targets()
  /// A CoreSight PMU's entry in the firmware table. The platform fills in `id` and the line of the interrupt.
  std::optional<ApmtNode> apmt{};
  InterruptTrigger trigger = InterruptTrigger::level;  ///< of the interrupt in `apmt`
  std::optional<AcpiDevice> device{};                  ///< the device in the ACPI namespace
  /// Makes the model, inside the constructor of its socket: modules become the socket's children.
  std::function<std::unique_ptr<PmuModel>(const PmuSite&)> make;
};

}  // namespace pmufab::platform
