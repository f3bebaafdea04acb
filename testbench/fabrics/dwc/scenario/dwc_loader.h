// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/dwc/wire/description.h"
#include "testbench/fabrics/common/fabric_kind.h"
#include "testbench/fabrics/dwc/scenario/dwc_fabric.h"
#include "testbench/run/yaml/reader.h"

/// Readers of the keys of DesignWare root ports. Not a public header.
namespace pmufab::scenario {

/// Read the key `dwc_root_ports` of a platform.
void read_root_ports(Reader& reader, std::vector<dwc::RootPortDescription>& ports);

/// Read the keys `dwc_traffic` and `dwc_link_states` of a scenario.
void read_link_traffic(Reader& reader, const TrafficContext& context, DwcWorkload& workload);

}  // namespace pmufab::scenario
