// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/platform/platform_spec.h"
#include "models/soc/wire/description.h"
#include "testbench/fabrics/common/fabric_kind.h"
#include "testbench/run/yaml/reader.h"
#include "testbench/traffic/producers/occurrence_stream.h"

/// Readers of the keys of described PMUs. Not a public header.
namespace pmufab::scenario {

/// Read the keys `sources`, `coresight_pmus` and `pmus` of a platform, whose fabrics have been read.
void read_description(Reader& reader, platform::PlatformSpec& platform);

/// @return the sources that the fabrics of a platform are ("ucf.slc_access_rd", "pcie.request", ...), and those of its
/// plug-in
[[nodiscard]] std::vector<soc::SourceDescription> fabric_sources_of(const platform::PlatformSpec& platform);

/// Read the key `soc_traffic` of a scenario.
void read_streams(Reader& reader, const TrafficContext& context, std::vector<traffic::StreamSpec>& streams);

}  // namespace pmufab::scenario
