// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "models/platform/platform_spec.h"
#include "testbench/fabrics/common/loaders.h"
#include "testbench/fabrics/cxl/traffic/cxl_replay.h"
#include "testbench/fabrics/cxl/traffic/cxl_traffic.h"

/// Parts of the scenario loader. Not a public header.
namespace pmufab::scenario {

/// Read what is below one CXL root port of a platform, a device or a switch. @param index  of the root port
void read_cxl(Reader& reader, std::size_t index, platform::CxlDeviceSpec& spec);

/// Read one map of CXL traffic.
void read_cxl_traffic(Reader& reader, traffic::CxlTrafficSpec& spec);
/// Operations of a device itself are for its HDM-DB memory. @param branches  below the root ports @throws InputError
void check_local_ranges(Reader& reader, const traffic::CxlTrafficSpec& spec,
                        const std::vector<platform::CxlDeviceSpec>& branches);
/// Read one map of CXL traffic that has a trace.
void read_cxl_replay(Reader& reader, traffic::CxlReplaySpec& spec, const TraceFiles& files);

}  // namespace pmufab::scenario
