// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/fabrics/common/fabric.h"
#include "testbench/fabrics/common/fabric_generator.h"
#include "testbench/fabrics/common/fabric_kind.h"
#include "testbench/fabrics/common/pmu_facts.h"
#include "testbench/run/results/results.h"

/// The one list of fabrics, and what is asked of all of them.
namespace pmufab::scenario {

/// The one table of kinds. The first is the default for a platform that names none. Order matters: fabrics are read,
/// made and reported in this order.
[[nodiscard]] const std::vector<const FabricKind*>& fabric_kinds();

/// Add a kind to the table, before any scenario is read: for programs that bring fabrics of their own.
/// @param kind  outlives the program's use of the table
void add_fabric_kind(const FabricKind& kind);

/// @return the platform of those who name none: that of the first kind.
[[nodiscard]] platform::PlatformSpec default_platform();

/// @return the fabrics of the platform, in the order of fabric_kinds().
/// @throws InputError for traffic that is impossible on the platform
[[nodiscard]] std::vector<std::unique_ptr<Fabric>> make_fabrics(const FabricContext& context);

/// @return "" if reference software can count PMUs of the platform; else those that it can count, for messages
[[nodiscard]] std::string missing_reference_software(const platform::PlatformSpec& platform);

/// @return what drivers must turn off in the registers of a platform.
[[nodiscard]] std::vector<RegisterSwitch> register_switches(const platform::PlatformSpec& platform);

/// @return whether a bank of registers belongs to hardware that drivers must leave alone.
[[nodiscard]] bool is_left_alone(const platform::PlatformSpec& platform, std::string_view bank);

/// @return the keys of all traffic, for messages: "generators, mesh_traffic and cxl_traffic"
[[nodiscard]] std::string all_traffic_keys();

/// @return whether there is traffic of any kind.
[[nodiscard]] bool has_traffic(const Workload& workload);

/// @return the kernel modules that drive the PMUs of a platform.
[[nodiscard]] std::vector<std::string_view> driver_modules(const platform::PlatformSpec& platform);
/// @return the kernel modules for fabrics that the platform does not have
[[nodiscard]] std::vector<std::string_view> foreign_driver_modules(const platform::PlatformSpec& platform);

/// @return what PMUs by description can count (FabricKind::countable_sources)
[[nodiscard]] Json countable_sources(const platform::PlatformSpec& platform);

/// @return the figures of all kinds of fabric.
[[nodiscard]] std::vector<DerivedResult> derive(const std::vector<DerivedInput>& inputs);

}  // namespace pmufab::scenario

namespace pmufab::coverage {

/// @param pmu  perf's name for it
[[nodiscard]] PmuFacts facts_of(const platform::PlatformSpec& platform, const std::string& pmu);

/// @return true if a format is part of the number of events
[[nodiscard]] bool selects_event(std::string_view format);
/// @return true if a format is part of what an event is: of its number, or of its definition besides
[[nodiscard]] bool defines_event(std::string_view format);

}  // namespace pmufab::coverage

namespace pmufab::verify {

/// All generators, in the order of scenario::fabric_kinds().
[[nodiscard]] const std::vector<const FabricGenerator*>& fabric_generators();

/// @return what makes random cases on one platform of the user's (FabricKind::generator_on)
[[nodiscard]] std::unique_ptr<const FabricGenerator> generator_on(const std::string& file,
                                                                  const platform::PlatformSpec& platform);

}  // namespace pmufab::verify
