// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/platform/platform.h"
#include "testbench/fabrics/cmn/scenario/cmn_fabric.h"
#include "testbench/fabrics/cmn/scenario/mesh_load.h"
#include "testbench/fabrics/common/workload.h"
#include "testbench/run/results/results.h"
#include "testbench/run/session/scenario_spec.h"
#include "testbench/run/yaml/document.h"

namespace pmufab::cli {

using scenario::MeshLoad;

/// The traffic of a scenario that goes through meshes, which needs no drivers.
struct MapTraffic {
  std::string scenario;  ///< its name
  std::uint64_t seed = 1;
  scenario::CmnWorkload sent;
  Picoseconds duration = 0;
  Picoseconds every = 0;  ///< from the beginning of a frame to that of the next; 0: no frames
  std::shared_ptr<const scenario::Value> written = {};

  [[nodiscard]] bool empty() const noexcept { return sent.flits.empty() && sent.chi.empty(); }
  [[nodiscard]] scenario::Workload workload() const;
  /// @return "flits", or "traffic" if there are CHI operations, too
  [[nodiscard]] const char* word() const noexcept { return sent.chi.empty() ? "flits" : "traffic"; }
};

/// The user's words for it.
struct MapTrafficOrder {
  std::filesystem::path file;          ///< a scenario, or a file with mesh_traffic and chi_traffic alone
  std::string platform;                ///< the path of the platform that takes the place of the scenario's own
  std::vector<std::string> overrides;  ///< texts of --set options, those of the platform and those of the traffic
  std::string duration;                ///< empty: the scenario's
  std::string every;                   ///< empty: no frames
};

/// @return whether the text of a --set option is for the traffic instead of the platform
[[nodiscard]] bool is_for_map_traffic(const std::string& override_text);

/// @throws scenario::InputError if it cannot be read, has no traffic of meshes, or no end
[[nodiscard]] MapTraffic load_map_traffic(const MapTrafficOrder& order);

/// A part of the time of traffic.
struct MapFrame {
  Picoseconds start = 0;  ///< since the traffic began
  Picoseconds stop = 0;
  std::vector<MeshLoad> loads;  ///< by mesh
};

/// What has crossed a link between two meshes, in both directions.
struct MapMeshLink {
  std::string from;         ///< "cmn0/ccg1"
  std::string to;           ///< "cmn1/ccg0"
  std::uint64_t there = 0;  ///< CXS flits that left `from`
  std::uint64_t back = 0;   ///< and `to`
};

/// What became of traffic.
struct MapLoads {
  using ByChannel = std::vector<std::pair<cmn::Channel, MeshLoad>>;
  std::vector<MeshLoad> whole;      ///< by mesh
  std::vector<ByChannel> channels;  ///< by mesh
  std::vector<MapFrame> frames;
  std::vector<MapMeshLink> links;
  scenario::Json traffic = scenario::Json::array();  ///< as RunResult::traffic has it
};

/// Let traffic go on that begins now, at time 0 of the simulation, and look at its loads.
/// @param pass  lets so much simulated time pass
[[nodiscard]] MapLoads watch_map_traffic(platform::Platform& platform, const MapTraffic& traffic,
                                         const std::function<void(Picoseconds)>& pass);

/// Send the traffic through a platform without drivers. At most once per process.
/// @throws scenario::InputError for traffic that is impossible on the platform
[[nodiscard]] MapLoads run_map_traffic(const platform::PlatformSpec& spec, const MapTraffic& traffic);

/// @return the meshes of a run as pmufab map draws them, for a page; "" if its platform has none
[[nodiscard]] std::string mesh_section(const scenario::ScenarioSpec& spec, const scenario::RunResult& run);

}  // namespace pmufab::cli
