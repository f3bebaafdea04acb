// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/map/map_writers.h"

#include "testbench/run/report/report.h"

namespace pmufab::cli {
namespace {

using cmn::Interface;
using scenario::Json;

/// One mesh in JSON.
class MeshInJson {
 public:
  /// @param channels  null: flits of all channels together
  explicit MeshInJson(const MeshPicture& mesh, const MapLoads::ByChannel* channels = nullptr)
      : mesh_(mesh), channels_(channels) {}

  [[nodiscard]] Json description() const {
    Json json;
    json["name"] = mesh_.name;
    json["title"] = mesh_.title;
    json["columns"] = mesh_.columns;
    json["rows"] = mesh_.rows;
    json["crosspoints"] = Json::array();
    for (const MeshPicture::Xp& xp : mesh_.xps) json["crosspoints"].push_back(description(xp));
    return json;
  }

  /// Add what the crosspoints have sent.
  void add_load(const MeshLoad& load, Json& json) const {
    json["cycles"] = load.cycles;
    json["flits"] = load.flits();
    json["crosspoints"] = Json::array();
    for (const MeshLoad::Xp& xp : load.xps)
      json["crosspoints"].push_back({{"flits", xp.flits()}, {"stalls", xp.stalls()}});
    json["links"] = Json::array();
    for (const Link& link : links_of(mesh_.columns, mesh_.rows)) {
      Json one = {{"from", link.from}, {"direction", direction_of(link.interface)}, {"to", link.to}};
      add_interface(load, link.from, link.interface, one);
      json["links"].push_back(std::move(one));
    }
    json["ports"] = Json::array();
    for (const MeshPicture::Xp& xp : mesh_.xps) {
      for (unsigned port = 0; port < xp.ports.size(); ++port) {
        Json one = {{"crosspoint", xp.index}, {"port", port}};
        add_interface(load, xp.index, static_cast<Interface>(static_cast<unsigned>(Interface::port0) + port), one);
        json["ports"].push_back(std::move(one));
      }
    }
  }

 private:
  [[nodiscard]] Json description(const MeshPicture::Xp& xp) const {
    Json json = {{"index", xp.index},
                 {"x", xp.index % mesh_.columns},
                 {"y", xp.index / mesh_.columns},
                 {"node_id", xp.node_id},
                 {"logical_id", xp.logical_id},
                 {"dtc", xp.domain},
                 {"first_dtm", xp.first_dtm},
                 {"dtms", xp.dtms},
                 {"nodes", xp.nodes}};
    json["ports"] = Json::array();
    for (const MeshPicture::Port& port : xp.ports) {
      Json one = {{"type", cmn::to_string(port.type)}, {"devices", Json::array()}};
      for (const MeshPicture::Device& device : port.devices)
        one["devices"].push_back({{"number", device.number}, {"node_id", device.node_id}, {"nodes", device.nodes}});
      json["ports"].push_back(std::move(one));
    }
    return json;
  }

  void add_interface(const MeshLoad& load, unsigned xp, Interface interface, Json& json) const {
    const std::uint64_t flits = load.valid(xp, interface);
    json["flits"] = flits;
    json["flits_per_cycle"] = load.per_cycle(flits);
    json["stalls"] = load.xps[xp].stall.at(static_cast<unsigned>(interface));
    if (channels_ == nullptr) return;
    for (const auto& [channel, of_channel] : *channels_)
      json["channels"][std::string(cmn::to_string(channel))] = of_channel.valid(xp, interface);
  }

  const MeshPicture& mesh_;
  const MapLoads::ByChannel* channels_;
};

Json json_of(const MeshPicture& picture, const MapTraffic& traffic, const MapLoads& loads) {
  Json json = MeshInJson(picture).description();
  if (traffic.empty()) return json;
  MeshInJson(picture, &loads.channels.at(picture.index)).add_load(picture.load, json["load"]);
  if (loads.frames.empty()) return json;
  json["frames"] = Json::array();
  for (const MapFrame& frame : loads.frames) {
    Json one = {{"start_ps", frame.start}, {"stop_ps", frame.stop}};
    MeshInJson(picture).add_load(frame.loads.at(picture.index), one);
    json["frames"].push_back(std::move(one));
  }
  return json;
}

}  // namespace

std::string map_json(const std::string& platform, const std::vector<MeshPicture>& pictures, const MapTraffic& traffic,
                     const MapLoads& loads) {
  Json json;
  json["program"] = "pmufab";
  json["version"] = scenario::version();
  json["platform"] = platform;
  if (!traffic.empty()) {
    json["scenario"] = traffic.scenario;
    json["seed"] = traffic.seed;
    json["duration_ps"] = traffic.duration;
    json["traffic"] = loads.traffic;
    json["mesh_links"] = Json::array();
    for (const MapMeshLink& link : loads.links)
      json["mesh_links"].push_back(
          {{"from", link.from}, {"to", link.to}, {"flits_there", link.there}, {"flits_back", link.back}});
  }
  json["meshes"] = Json::array();
  for (const MeshPicture& picture : pictures) json["meshes"].push_back(json_of(picture, traffic, loads));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace pmufab::cli
