// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/fabrics/common/fabric_generator.h"
#include "testbench/fabrics/common/fabric_kind.h"
#include "testbench/fabrics/common/pmu_facts.h"

namespace pmufab::scenario {

/// PCIe root ports with DesignWare controllers: `kind: dwc`, and `dwc_root_ports` of platforms of any kind.
[[nodiscard]] const FabricKind& dwc_kind();

}  // namespace pmufab::scenario

namespace pmufab::coverage {

/// The PMUs of root ports with DesignWare controllers.
[[nodiscard]] const FactsRoom& dwc_facts();

}  // namespace pmufab::coverage

namespace pmufab::verify {

/// The generator of root ports with DesignWare controllers. What dwc_pcie_pmu is known to do wrong is not asked for:
/// - Before 7.0 it counts no events of lanes, and has the numbers of two states exchanged (dwc-lanes-older,
///   dwc-l1-aux-older): events are those of time-based analysis, without the two.
/// - It loses what comes between reading and clearing a counter of a lane (dwc-reading-drops): accesses take no time, and
///   such events come in bulk only between accesses.
/// - No counter of a lane counts 2^32 between two readings (dwc-wrap-unseen), and time-based analysis has 64 bits
///   (dwc-narrow, dwc-narrow-timer).
/// - The last member of a group has a number that its driver takes (dwc-member-not-checked), and groups have no software
///   events (dwc-software-events).
[[nodiscard]] const FabricGenerator& dwc_generator();

}  // namespace pmufab::verify
