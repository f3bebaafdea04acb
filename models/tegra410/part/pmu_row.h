// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/platform/platform_spec.h"
#include "models/platform/pmu_window.h"
#include "models/tegra410/parameters.h"
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

/// What a CoreSight PMU's row is made from.
struct CoreSightPmuPlace {
  unsigned socket = 0;
  std::string name;             ///< within the socket: "rc1.pcie_pmu"
  std::uint64_t page0 = 0;      ///< from the base of the socket; page 1 is the next page
  std::uint32_t interrupt = 0;  ///< number of the overflow interrupt, if the parameters say that it is wired
  std::string hid{};            ///< eight characters, for a PMU that is an ACPI device; empty: the PMU of a cache
  std::uint32_t instance = 0;   ///< number of the ACPI device, or of the cache
};

/// @return a row with all that CoreSight PMUs have in common. To be filled in: `type`, `perf_name`, `make`.
[[nodiscard]] PmuRow coresight_row(const CoreSightPmuPlace& place, const tegra410::CoreSightPmuParameters& parameters);

/// The table: every PMU of a platform's Tegra410 sockets, Tegra410Spec::own_pmus last. None without such sockets.
[[nodiscard]] std::vector<PmuRow> tegra410_pmus(const PlatformSpec& spec);

/// @throws SpecError for the first row of Tegra410Spec::own_pmus that is impossible
void check_own_pmus(const PlatformSpec& spec);

}  // namespace pmufab::platform
