// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "testbench/fabrics/common/fabric_generator.h"
#include "testbench/fabrics/soc/verify/soc_machine.h"

namespace pmufab::verify {

/// The generator of described CoreSight PMUs.
[[nodiscard]] const FabricGenerator& soc_generator();

/// @param machine  has the PMU
/// @return what a perf session may do with a described PMU of a socket
[[nodiscard]] PmuOffer soc_offer(const std::shared_ptr<const soc::Machine>& machine, const soc::Pmu& pmu,
                                 unsigned socket);

}  // namespace pmufab::verify
