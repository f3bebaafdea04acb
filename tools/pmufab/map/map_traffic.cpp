// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/map/map_traffic.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <tlm_utils/simple_initiator_socket.h>

#include "models/cmn/part/cmn_meshes.h"
#include "models/cmn/part/cmn_spec.h"
#include "testbench/fabrics/cmn/scenario/cmn_fabric.h"
#include "testbench/fabrics/cmn/scenario/mesh_load.h"
#include "testbench/fabrics/common/loaders.h"
#include "testbench/run/session/scenario_spec.h"
#include "testbench/run/yaml/input_error.h"
#include "testbench/run/yaml/quantity.h"
#include "tlm/spec/printable.h"
#include "tools/pmufab/map/map_picture.h"
#include "tools/pmufab/map/map_writers.h"

namespace pmufab::cli {
namespace {

using scenario::InputError;
using scenario::Quantity;

constexpr Picoseconds kMostFrames = 1000;

/// @return text in single quotes, for YAML.
std::string yaml_text(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("''") : std::string(1, c);
  return result + "'";
}

/// A file of traffic alone is a scenario that lacks what a picture does not need. Of other scenarios that is left out, so
/// that a short --duration does not collide with it.
scenario::Value scenario_with_traffic(const std::filesystem::path& file) {
  constexpr std::array<std::string_view, 13> kNeedless = {
      "host",   "drivers",         "measure",    "matrix",        "actions",          "expect",          "faults",
      "inject", "firmware_writes", "kernel_log", "failing_calls", "stray_interrupts", "expected_failure"};
  scenario::Value document = scenario::load_file(file);
  scenario::check_kind(document, {}, scenario::FileKind::scenario);
  std::erase_if(document.entries, [&](const scenario::Value::Entry& entry) {
    return std::ranges::find(kNeedless, entry.key) != kNeedless.end();
  });
  if (document.find("name") == nullptr) document.add("name", scenario::Value::of(file.stem().string(), true));
  document.add("measure", scenario::parse_text("[{events: [arm_cmn_0/dtc_cycles/]}]", "pmufab map"));
  return document;
}

/// @param duration  of the traffic
Picoseconds time_of_frames(const std::string& text, Picoseconds duration, const platform::PlatformSpec& platform) {
  Picoseconds every = 0;
  try {
    every = scenario::parse_quantity(text, Quantity::duration);
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("--every: '{}' {}", text, error.what()), "give a time such as '10 us'");
  }
  const auto written = [](Picoseconds time) { return scenario::format_quantity(time, Quantity::duration); };
  if (every > duration)
    throw InputError(
        fmt::format("--every: {} is longer than the traffic, which lasts for {}", written(every), written(duration)),
        "give a shorter time, or a longer --duration");
  // Times that are not too short for the number of frames may still be too short for a slow clock.
  constexpr Picoseconds kSecond = 1'000'000'000'000;
  Picoseconds least = (duration + kMostFrames - 1) / kMostFrames;
  for (const platform::CmnSpec& mesh : platform.of<platform::CmnMeshesSpec>().meshes)
    least = std::max(least, (kSecond + mesh.topology.frequency_hz - 1) / mesh.topology.frequency_hz);
  if (every < least)
    throw InputError(
        fmt::format("--every: {} is too short: there are {} frames at most, and none is shorter than a cycle "
                    "of a mesh",
                    written(every), kMostFrames),
        fmt::format("use {} or more", written(least)));
  return every;
}

std::vector<MeshLoad> loads_until(platform::Platform& platform, Picoseconds time) {
  std::vector<MeshLoad> loads;
  for (std::size_t mesh = 0; mesh < platform.get<platform::CmnMeshes>().size(); ++mesh)
    loads.push_back(scenario::load_of(platform.get<platform::CmnMeshes>().mesh(mesh).engine(),
                                      platform.get<platform::CmnMeshes>().mesh(mesh).clock().edges_before(time)));
  return loads;
}

MapLoads::ByChannel channels_until(const cmn::Mesh& mesh, Picoseconds time) {
  MapLoads::ByChannel loads;
  for (const cmn::Channel channel : mesh.engine().parameters().channels)
    loads.emplace_back(channel, scenario::load_of(mesh.engine(), mesh.clock().edges_before(time), channel));
  return loads;
}

std::string name_of_gateway(const platform::PlatformSpec& spec, const platform::CmnLinkSpec::End& end) {
  const char* const word =
      cmn::is_700_or_s3(spec.of<platform::CmnMeshesSpec>().meshes[end.mesh].topology.product) ? "ccg" : "cxrh";
  return fmt::format("cmn{}/{}{}", end.mesh, word, end.gateway);
}

std::vector<MapMeshLink> mesh_links(const platform::Platform& platform) {
  std::vector<MapMeshLink> links;
  const auto* const meshes = platform.find<platform::CmnMeshes>();
  if (meshes == nullptr) return links;
  const platform::PlatformSpec& spec = platform.spec();
  for (std::size_t i = 0; i < meshes->links().size(); ++i) {
    const platform::CmnLink& link = *meshes->links()[i];
    links.push_back({name_of_gateway(spec, spec.of<platform::CmnMeshesSpec>().links[i].from),
                     name_of_gateway(spec, spec.of<platform::CmnMeshesSpec>().links[i].to), link.sent_by_from(),
                     link.sent_by_to()});
  }
  return links;
}

/// Binds the bus if no software runs.
struct NoSoftware : sc_core::sc_module {
  explicit NoSoftware(const sc_core::sc_module_name& name) : sc_core::sc_module(name), socket("socket") {}
  tlm_utils::simple_initiator_socket<NoSoftware, 64> socket;
};

}  // namespace

scenario::Workload MapTraffic::workload() const {
  scenario::Workload workload;
  workload.seed = seed;
  workload.of<scenario::CmnWorkload>() = sent;
  return workload;
}

bool is_for_map_traffic(const std::string& override_text) {
  const auto begins = [&](const char* key) { return override_text.starts_with(key); };
  return begins("mesh_traffic") || begins("chi_traffic") || begins("seed=");
}

MapTraffic load_map_traffic(const MapTrafficOrder& order) {
  std::vector<std::string> overrides = {"platform=" + yaml_text(order.platform)};
  for (const std::string& text : order.overrides)
    overrides.push_back(is_for_map_traffic(text) ? text : "platform." + text);
  if (!order.duration.empty()) overrides.push_back("duration=" + yaml_text(order.duration));
  const scenario::ScenarioFile file(scenario_with_traffic(order.file), order.file.parent_path());
  const scenario::ScenarioSpec spec = file.load({}, overrides);
  const auto& sent = spec.workload.of<scenario::CmnWorkload>();
  if (sent.flits.empty() && sent.chi.empty())
    throw InputError(fmt::format("scenario '{}' sends no flits into meshes, and has no CHI operations", spec.name),
                     "give one with mesh_traffic or chi_traffic, such as cmn-flits or cmn-chi");
  if (!spec.duration)
    throw InputError(fmt::format("scenario '{}' does not say how long it sends flits", spec.name),
                     "add --duration '60 us'");
  MapTraffic traffic{spec.name, spec.seed, sent, *spec.duration, 0, spec.written};
  if (!order.every.empty()) traffic.every = time_of_frames(order.every, traffic.duration, spec.platform);
  return traffic;
}

MapLoads watch_map_traffic(platform::Platform& platform, const MapTraffic& traffic,
                           const std::function<void(Picoseconds)>& pass) {
  MapLoads loads;
  const Picoseconds step = traffic.every == 0 ? traffic.duration : traffic.every;
  std::vector<MeshLoad> before = loads_until(platform, 0);
  for (Picoseconds start = 0; start < traffic.duration;) {
    const Picoseconds stop = start + std::min(step, traffic.duration - start);
    // A clock edge exactly at the end belongs to what comes next.
    pass(stop - start - (start == 0 ? 1 : 0));
    std::vector<MeshLoad> now = loads_until(platform, stop);
    if (traffic.every != 0) {
      MapFrame& frame = loads.frames.emplace_back(MapFrame{start, stop, {}});
      for (std::size_t mesh = 0; mesh < now.size(); ++mesh)
        frame.loads.push_back(scenario::load_between(before[mesh], now[mesh]));
    }
    before = std::move(now);
    start = stop;
  }
  loads.whole = std::move(before);
  for (std::size_t mesh = 0; mesh < platform.get<platform::CmnMeshes>().size(); ++mesh)
    loads.channels.push_back(channels_until(platform.get<platform::CmnMeshes>().mesh(mesh), traffic.duration));
  loads.links = mesh_links(platform);
  return loads;
}

MapLoads run_map_traffic(const platform::PlatformSpec& spec, const MapTraffic& traffic) {
  platform::Platform platform("platform", spec);
  NoSoftware master("master");
  master.socket.bind(platform.bus().socket);
  const auto flows = scenario::make_flows(platform, traffic.workload());
  const auto operations = scenario::make_chi_traffic(platform, traffic.workload());
  for (const auto& one : operations) one->start(0);
  for (const auto& flow : flows) flow->start(0);
  sc_core::sc_event end;  // meshes work ahead up to the next event
  MapLoads loads = watch_map_traffic(platform, traffic, [&](Picoseconds time) {
    end.notify(to_sc_time(time));
    sc_core::sc_start(to_sc_time(time));
  });
  for (const auto& one : operations) one->stop();
  scenario::report(flows, loads.traffic);
  scenario::report(operations, loads.traffic);
  return loads;
}

std::string mesh_section(const scenario::ScenarioSpec& spec, const scenario::RunResult& run) {
  const std::vector<scenario::MeshLoad> loads = scenario::mesh_loads_from_json(run.load);
  std::vector<MeshPicture> pictures;
  for (unsigned mesh = 0; mesh < spec.platform.of<platform::CmnMeshesSpec>().meshes.size(); ++mesh) {
    const cmn::Topology& topology = spec.platform.of<platform::CmnMeshesSpec>().meshes[mesh].topology;
    const scenario::Value* const platform = spec.effective.find("platform");
    MeshPicture& picture =
        pictures.emplace_back(picture_of(topology, cmn::Layout(topology), mesh, revision_of(platform, topology, mesh)));
    if (mesh < loads.size()) picture.load = loads[mesh];
  }
  if (pictures.empty()) return {};
  return fmt::format("<p class=\"soft\">{}</p>\n{}",
                     loads.empty() ? "No load of flits was recorded."
                                   : "Flits from the beginning of the traffic until its last transactions had ended.",
                     map_svg_element(printable(spec.platform_name), pictures));
}

}  // namespace pmufab::cli
