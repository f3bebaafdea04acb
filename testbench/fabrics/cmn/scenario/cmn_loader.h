// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "models/platform/platform_spec.h"
#include "testbench/fabrics/cmn/traffic/chi_traffic.h"
#include "testbench/fabrics/cmn/traffic/flit_flow.h"
#include "testbench/run/yaml/reader.h"

/// Parts of the scenario loader. Not a public header.
namespace pmufab::scenario {

/// Read one mesh of a platform. @param index  among the platform's meshes
void read_cmn(Reader& reader, std::size_t index, platform::CmnSpec& spec);
/// Of it, the parameters of the nodes.
void read_nodes(Reader& reader, cmn::NodeParameters& nodes);
/// Of those, the keys of I/O nodes, DVM nodes and memory behind AXI.
void read_io_nodes(Reader& reader, cmn::NodeParameters& nodes);
/// Read one link between meshes, once the meshes are known.
void read_link(Reader& reader, const std::vector<platform::CmnSpec>& meshes, platform::CmnLinkSpec& link);

/// Read one map of raw mesh traffic.
void read_flit_flow(Reader& reader, traffic::FlitFlowSpec& flow);
/// Read one map of CHI traffic.
void read_chi_traffic(Reader& reader, traffic::ChiTrafficSpec& spec);

}  // namespace pmufab::scenario
