// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "models/platform/platform_spec.h"
#include "testbench/scenario/yaml/document.h"
#include "testbench/scenario/yaml/reader.h"
#include "testbench/traffic/cmn/chi_traffic.h"
#include "testbench/traffic/cmn/flit_flow.h"
#include "testbench/traffic/cxl/cxl_replay.h"
#include "testbench/traffic/cxl/cxl_traffic.h"
#include "testbench/traffic/tegra410/traffic_spec.h"

/// Parts of the scenario loader. Not a public header.
namespace pmufab::scenario {

/// Where in a document the field is that a deeper floor's check complains about ("a.b[2].c"); the nearest node above it
/// if the field is not written. A member `x_hz` is the key `x`.
[[nodiscard]] Source locate(const Value& document, std::string_view field);

/// Read a platform map (name, kind, ...) and check it. @param path  of the map, for messages
/// @throws InputError
[[nodiscard]] platform::PlatformSpec read_platform(const Value& document, const std::string& path, Value& effective);

/// Read the PCI Express of a Tegra410 platform. @param sockets  of the platform, possible or not
void read_pcie(Reader& reader, unsigned sockets, tegra410::PcieParameters& pcie);

/// Read one link between meshes, once the meshes are known.
void read_link(Reader& reader, const std::vector<platform::CmnSpec>& meshes, platform::CmnLinkSpec& link);
/// Read one mesh of a platform. @param index  among the platform's meshes
void read_cmn(Reader& reader, std::size_t index, platform::CmnSpec& spec);

/// Read one map of raw mesh traffic.
void read_flit_flow(Reader& reader, traffic::FlitFlowSpec& flow);

/// Read one map of CHI traffic.
void read_chi_traffic(Reader& reader, traffic::ChiTrafficSpec& spec);

/// Read what a Tegra410 part says of its chip-to-chip interfaces.
void read_c2c(Reader& reader, tegra410::Parameters& parameters);

/// Read what is below one CXL root port of a platform, a device or a switch. @param index  of the root port
void read_cxl(Reader& reader, std::size_t index, platform::CxlDeviceSpec& spec);
/// Read one map of CXL traffic.
void read_cxl_traffic(Reader& reader, traffic::CxlTrafficSpec& spec);
/// Operations of a device itself are for its HDM-DB memory. @param branches  below the root ports @throws InputError
void check_local_ranges(Reader& reader, const traffic::CxlTrafficSpec& spec,
                        const std::vector<platform::CxlDeviceSpec>& branches);

// Parts of any traffic.
void read_pattern(Reader& reader, traffic::PatternSpec& pattern);
void read_pacing(Reader& reader, traffic::PacingSpec& pacing);
void read_burst(Reader& reader, traffic::BurstSpec& burst);
/// {word: weight, word: weight}
void read_weights(Reader& reader, std::string_view key,
                  const std::function<void(const Value::Entry& entry, std::uint32_t weight)>& read);
/// @return which of `names` the entry's key is. @param what  "operation" @throws InputError for none
[[nodiscard]] unsigned number_of_word(const Reader& reader, std::string_view key, const Value::Entry& entry,
                                      std::string_view what, const std::vector<std::string>& names);

/// Read the parameters of a mesh's nodes.
void read_nodes(Reader& reader, cmn::NodeParameters& nodes);
/// Of those, the keys of I/O nodes, DVM nodes and memory behind AXI.
void read_io_nodes(Reader& reader, cmn::NodeParameters& nodes);

/// The platform's memories as traffic generators know them.
[[nodiscard]] std::vector<traffic::MemoryRange> traffic_memory(const platform::PlatformSpec& platform);
/// CPU clusters, root ports and the buses below them: what only the platform knows of requesters.
/// @throws SpecError for the first requester that the platform does not have
void check_requesters(const traffic::TrafficSpec& traffic, const platform::PlatformSpec& platform);

struct TrafficContext {
  std::filesystem::path base;  ///< folder that trace files without a leading '/' are in
  std::string default_trace;   ///< for replays that name no file
};

/// Read the key `file` of a replay. @return the file, as the program opens it; empty if none is named
[[nodiscard]] std::string read_trace_file(Reader& reader, const TrafficContext& context);

/// Read one map of CXL traffic that has a trace.
void read_cxl_replay(Reader& reader, traffic::CxlReplaySpec& spec, const TrafficContext& context);

/// Read one traffic map (name, generators). Generators are checked for their form; whether they are possible is a
/// matter of traffic::validate().
[[nodiscard]] std::vector<traffic::GeneratorSpec> read_traffic(const Value& document, const std::string& path,
                                                               const TrafficContext& context, Value& effective);

}  // namespace pmufab::scenario
