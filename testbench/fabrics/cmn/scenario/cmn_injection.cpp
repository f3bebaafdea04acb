// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/scenario/cmn_fabric.h"

#include <stdexcept>

#include "models/cmn/description/event_select.h"
#include "models/cmn/part/cmn_meshes.h"
#include "models/cmn/part/cmn_spec.h"

namespace pmufab::scenario {
namespace {

using scoreboard::CmnMeaning;
using scoreboard::Injection;

unsigned xp_of(const cmn::Mesh& mesh, const CmnMeaning& meaning) {
  for (unsigned xp = 0; xp < mesh.layout().xps(); ++xp) {
    if (mesh.layout().xp(xp).node_id == *meaning.node) return xp;
  }
  throw std::invalid_argument("there is no such crosspoint");
}

Injection flits_at(cmn::Mesh& mesh, const CmnMeaning& meaning) {
  const unsigned xp = xp_of(mesh, meaning);
  if (meaning.kind == CmnMeaning::Kind::watchpoint) {
    const auto direction = meaning.upload ? cmn::FlitDirection::upload : cmn::FlitDirection::download;
    const bool has_one_bit = mesh.topology().product == cmn::Product::cmn600;  // in the group select
    const cmn::KnownImage flits{has_one_bit ? meaning.group & 1U : meaning.group, meaning.value, meaning.mask};
    return [&mesh, xp, direction, port = meaning.port, channel = meaning.channel, flits](std::uint64_t count,
                                                                                         Picoseconds when) {
      mesh.pmu().flits_at_once(xp, port, direction, channel, flits, count, when);
    };
  }
  // Software selects an event of a crosspoint by these bits.
  const unsigned id = (static_cast<unsigned>(meaning.event) + 1) | static_cast<unsigned>(meaning.interface) << 2 |
                      static_cast<unsigned>(meaning.channel) << 5;
  return [&mesh, xp, id](std::uint64_t count, Picoseconds when) { mesh.pmu().xp_events_at_once(xp, id, count, when); };
}

Injection event_at(cmn::Mesh& mesh, const CmnMeaning& meaning) {
  const auto sources = mesh.layout().sources();
  for (unsigned source = 0; source < sources.size(); ++source) {
    // Event texts call an RN-D an RN-I.
    const cmn::NodeType type =
        sources[source].events == cmn::NodeType::rn_d ? cmn::NodeType::rn_i : sources[source].events;
    if (type != meaning.type || mesh.layout().nodes()[sources[source].node].node_id != *meaning.node) continue;
    return [&mesh, source, id = meaning.event_id, classes = cmn::filter_classes(meaning.filter, meaning.filter2)](
               std::uint64_t count, Picoseconds when) {
      mesh.pmu().node_events_at_once(source, id, classes, count, when);
    };
  }
  throw std::invalid_argument("there is no such node");
}

}  // namespace

Injection cmn_injection(platform::Platform& platform, std::size_t mesh, const CmnMeaning& meaning) {
  cmn::Mesh& model = platform.get<platform::CmnMeshes>().mesh(mesh);
  if (meaning.kind == CmnMeaning::Kind::cycles)
    return [&model](std::uint64_t count, Picoseconds when) { model.pmu().pass_cycles(count, when); };
  if (platform.spec().of<platform::CmnMeshesSpec>().meshes[mesh].mesh.pmu.carry.per_cycle != 0)
    throw std::invalid_argument(
        "the carries of many occurrences at once would wait for years: set pmu.carries_per_cycle of the mesh to 0");
  return meaning.kind == CmnMeaning::Kind::node ? event_at(model, meaning) : flits_at(model, meaning);
}

}  // namespace pmufab::scenario
