// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <systemc>

#include "models/coresight/coresight_pmu.h"
#include "models/tegra410/parameters.h"
#include "models/tegra410/part/pmu_row.h"
#include "models/tegra410/ucf/ucf.h"
#include "tlm/clock/clock_domain.h"

/// A small, complete CoreSight PMU: the example of docs/architecture.md, "How to add a CoreSight PMU".
namespace pmufab::toy {

/// Event numbers, PMEVTYPER.
inline constexpr std::uint32_t kWrites = 0x1;      ///< write requests the fabric accepts
inline constexpr std::uint32_t kWriteBytes = 0x2;  ///< their bytes
/// Bits of PMEVFILTR. With 0 everything passes.
inline constexpr std::uint32_t kFromCpus = 0x1;
inline constexpr std::uint32_t kFromOthers = 0x2;  ///< GPU and PCIe

/// Faults that a test inserts.
enum class Fault : std::uint8_t { none, bytes_for_writes };

/// The model: counts the writes that reach a socket's fabric.
class WritePmu : public coresight::CoreSightPmu {
 public:
  /// @param clock  of the fabric; it and `ucf` must outlive the PMU
  WritePmu(const sc_core::sc_module_name& name, const tegra410::CoreSightPmuParameters& parameters,
           const ClockDomain& clock, tegra410::Ucf& ucf, Fault fault);
};

/// The row: its place, its description by firmware, and how the model is made.
[[nodiscard]] platform::PmuRow write_pmu_row(unsigned socket, const tegra410::CoreSightPmuParameters& parameters,
                                             Fault fault = Fault::none);

}  // namespace pmufab::toy
