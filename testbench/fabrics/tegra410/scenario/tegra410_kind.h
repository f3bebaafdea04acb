// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "testbench/fabrics/common/fabric_generator.h"
#include "testbench/fabrics/common/fabric_kind.h"
#include "testbench/fabrics/common/pmu_facts.h"
#include "testbench/run/results/results.h"

namespace pmufab::scenario {

[[nodiscard]] const FabricKind& tegra410_kind();

}  // namespace pmufab::scenario

namespace pmufab::coverage {

/// What is known of the PMUs of Tegra410 sockets.
[[nodiscard]] const FactsRoom& tegra410_facts();

}  // namespace pmufab::coverage

namespace pmufab::verify {

[[nodiscard]] const FabricGenerator& tegra410_generator();

}  // namespace pmufab::verify

namespace pmufab::scenario {

/// Averages by the formulas of the kernel's document nvidia-tegra410-pmu.rst, from what the driver counted: bandwidth
/// (bytes / elapsed ns), request rate (requests / cycles), latency (outstanding / requests, in cycles, over the
/// frequency). Only unfiltered events counted all the time take part.
///
/// The latency has the traffic's own mean beside it, and must be within 0.1 % of it once 10,000 requests were seen over
/// at least 10 ms. In shorter windows two things weigh more than that: reads under way at the edges, and the few
/// microseconds the register accesses of starting and stopping take, which count as elapsed time and not as cycles.
[[nodiscard]] std::vector<DerivedResult> derived_figures(const std::vector<DerivedInput>& inputs);

}  // namespace pmufab::scenario
