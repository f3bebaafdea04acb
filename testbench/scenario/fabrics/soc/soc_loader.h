// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/platform/platform_spec.h"
#include "models/soc/wire/description.h"
#include "testbench/scenario/fabrics/fabric_kind.h"
#include "testbench/scenario/yaml/reader.h"
#include "testbench/traffic/soc/occurrence_stream.h"

/// Readers of the keys of described PMUs. Not a public header.
namespace pmufab::scenario {

/// Read the keys `sources` and `coresight_pmus` of a platform.
/// @param has_ucf  its sockets have UCFs, whose events are sources, too
void read_description(Reader& reader, bool has_ucf, soc::Description& description);

/// @return the sources that the UCF of a Tegra410 socket is: "ucf.slc_access_rd", ...
[[nodiscard]] std::vector<soc::SourceDescription> ucf_sources();

/// Read the key `soc_traffic` of a scenario.
void read_streams(Reader& reader, const TrafficContext& context, std::vector<traffic::StreamSpec>& streams);

}  // namespace pmufab::scenario
