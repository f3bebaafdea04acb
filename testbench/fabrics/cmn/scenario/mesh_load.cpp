// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/scenario/mesh_load.h"

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

namespace {

void add_tallies(const cmn::MeshEngine& engine, cmn::Channel channel, MeshLoad& load) {
  const cmn::MeshParameters& mesh = engine.parameters();
  for (unsigned xp = 0; xp < mesh.xps(); ++xp) {
    const unsigned used = static_cast<unsigned>(Interface::port0) + mesh.ports_of(xp);
    for (unsigned i = 0; i < used; ++i) {
      const auto interface = static_cast<Interface>(i);
      load.xps[xp].valid.at(i) += engine.tally(xp, interface, channel, FlitEvent::valid);
      load.xps[xp].stall.at(i) += engine.tally(xp, interface, channel, FlitEvent::stall);
    }
  }
}

}  // namespace

MeshLoad load_of(const cmn::MeshEngine& engine, cmn::Cycle cycles) {
  MeshLoad load{cycles, std::vector<MeshLoad::Xp>(engine.parameters().xps())};
  for (const cmn::Channel channel : engine.parameters().channels) add_tallies(engine, channel, load);
  return load;
}

MeshLoad load_of(const cmn::MeshEngine& engine, cmn::Cycle cycles, cmn::Channel channel) {
  MeshLoad load{cycles, std::vector<MeshLoad::Xp>(engine.parameters().xps())};
  add_tallies(engine, channel, load);
  return load;
}

MeshLoad load_between(const MeshLoad& earlier, const MeshLoad& later) {
  MeshLoad load{later.cycles - earlier.cycles, later.xps};
  for (std::size_t xp = 0; xp < load.xps.size(); ++xp) {
    for (std::size_t i = 0; i < cmn::kInterfaces; ++i) {
      load.xps[xp].valid.at(i) -= earlier.xps[xp].valid.at(i);
      load.xps[xp].stall.at(i) -= earlier.xps[xp].stall.at(i);
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
