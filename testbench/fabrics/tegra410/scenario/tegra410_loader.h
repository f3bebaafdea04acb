// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "models/platform/platform_spec.h"
#include "models/tegra410/part/tegra410_spec.h"
#include "testbench/fabrics/common/loaders.h"
#include "testbench/traffic/producers/traffic_spec.h"

/// Parts of the scenario loader. Not a public header.
namespace pmufab::scenario {

/// Read the key `memory`, or fill it in.
void read_memory(Reader& reader, platform::PlatformSpec& spec);
/// Read the map `tegra410` of a platform. @param sockets  of the platform, possible or not
void read_tegra410(Reader& reader, unsigned sockets, tegra410::Parameters& parameters);
/// Of it, the PCI Express.
void read_pcie(Reader& reader, unsigned sockets, tegra410::PcieParameters& pcie);
/// Of it, the chip-to-chip interfaces.
void read_c2c(Reader& reader, tegra410::Parameters& parameters);

/// The platform's memories as traffic generators know them.
[[nodiscard]] std::vector<traffic::MemoryRange> traffic_memory(const platform::PlatformSpec& platform);
/// CPU clusters, root ports and the buses below them: what only the platform knows of requesters.
/// @throws SpecError for the first requester that the platform does not have
void check_requesters(const traffic::TrafficSpec& traffic, const platform::PlatformSpec& platform);

/// Read one traffic map (name, generators). Generators are checked for their form; whether they are possible is a
/// matter of traffic::validate().
[[nodiscard]] std::vector<traffic::GeneratorSpec> read_traffic(const Value& document, const std::string& path,
                                                               const TraceFiles& files, Value& effective);

}  // namespace pmufab::scenario
