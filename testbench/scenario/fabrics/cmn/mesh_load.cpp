// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/fabrics/cmn/mesh_load.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace pmufab::scenario {

using cmn::FlitEvent;
using cmn::Interface;

std::uint64_t MeshLoad::Xp::flits() const noexcept {
  return std::accumulate(valid.begin(), valid.end(), std::uint64_t{0});
}

std::uint64_t MeshLoad::Xp::stalls() const noexcept {
  return std::accumulate(stall.begin(), stall.end(), std::uint64_t{0});
}

std::uint64_t MeshLoad::flits() const noexcept {
  std::uint64_t sum = 0;
  for (const Xp& xp : xps) sum += xp.flits();
  return sum;
}

std::uint64_t MeshLoad::most_of_xp() const noexcept {
  std::uint64_t most = 0;
  for (const Xp& xp : xps) most = std::max(most, xp.flits());
  return most;
}

std::uint64_t MeshLoad::most_of_link() const noexcept {
  std::uint64_t most = 0;
  for (const Xp& xp : xps)
    most = std::max(
        most, *std::max_element(xp.valid.begin(), xp.valid.begin() + static_cast<std::ptrdiff_t>(Interface::port0)));
  return most;
}

MeshLoad load_of(const cmn::MeshEngine& engine, cmn::Cycle cycles) {
  const cmn::MeshParameters& mesh = engine.parameters();
  MeshLoad load{cycles, std::vector<MeshLoad::Xp>(mesh.xps())};
  for (unsigned xp = 0; xp < mesh.xps(); ++xp) {
    const unsigned used = static_cast<unsigned>(Interface::port0) + mesh.ports_of(xp);
    for (const cmn::Channel channel : mesh.channels) {
      for (unsigned i = 0; i < used; ++i) {
        const auto interface = static_cast<Interface>(i);
        load.xps[xp].valid.at(i) += engine.tally(xp, interface, channel, FlitEvent::valid);
        load.xps[xp].stall.at(i) += engine.tally(xp, interface, channel, FlitEvent::stall);
      }
    }
  }
  return load;
}

Json to_json(const MeshLoad& load) {
  Json json;
  json["cycles"] = load.cycles;
  json["xps"] = Json::array();
  for (const MeshLoad::Xp& xp : load.xps) json["xps"].push_back(Json::array({xp.valid, xp.stall}));
  return json;
}

std::vector<MeshLoad> mesh_loads_from_json(const Json& load) {
  std::vector<MeshLoad> loads;
  for (const Json& mesh : load) {
    MeshLoad& one = loads.emplace_back();
    mesh.at("cycles").get_to(one.cycles);
    for (const Json& xp : mesh.at("xps")) {
      MeshLoad::Xp& shown = one.xps.emplace_back();
      xp.at(0).get_to(shown.valid);
      xp.at(1).get_to(shown.stall);
    }
  }
  return loads;
}

}  // namespace pmufab::scenario
