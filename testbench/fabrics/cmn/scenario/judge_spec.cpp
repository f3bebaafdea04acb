// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/scenario/judge_spec.h"

#include <fmt/format.h>

#include "models/cmn/part/cmn_spec.h"
#include "testbench/fabrics/cmn/judge/cmn_addresses.h"
#include "testbench/fabrics/cmn/judge/cmn_places.h"

namespace pmufab::scenario {
namespace {

/// Numbers of the products, as the technical reference manuals give them.
std::uint16_t part_number(cmn::Product product) {
  switch (product) {
    case cmn::Product::cmn600:
      return 0x434;
    case cmn::Product::cmn650:
      return 0x436;
    case cmn::Product::ci700:
      return 0x43a;
    case cmn::Product::cmn700:
      return 0x43c;
    case cmn::Product::s3:
      break;
  }
  return 0x43e;
}

scoreboard::ReferenceAxiParameters axi(const cmn::AxiParameters& parameters) {
  return {parameters.ar_period, parameters.aw_period, parameters.w_period, parameters.read_latency,
          parameters.write_latency};
}

/// A list of nodes, of a port or of a crosspoint.
std::vector<scoreboard::CmnCrosspointNodes::Node> nodes_of(const std::vector<cmn::Node>& described) {
  std::vector<scoreboard::CmnCrosspointNodes::Node> nodes;
  for (const cmn::Node& node : described)
    nodes.push_back({node.type, node.device, node.logical_id, node.external || node.isolated});
  return nodes;
}

/// Crosspoints: what is connected, and the nodes. The judge works out itself where those are.
void fill_crosspoints(const cmn::Topology& topology, scoreboard::CmnJudgeSpec& spec) {
  std::vector<scoreboard::CmnCrosspointNodes> crosspoints;
  for (const cmn::Crosspoint& crosspoint : topology.crosspoints) {
    unsigned used = 0;
    std::vector<cmn::DeviceType>& devices = spec.devices.emplace_back();
    std::vector<unsigned>& counts = spec.device_counts.emplace_back();
    std::vector<unsigned>& firsts = spec.first_devices.emplace_back();
    scoreboard::CmnCrosspointNodes& nodes = crosspoints.emplace_back();
    nodes.dtc_domain = crosspoint.dtc_domain;
    nodes.others = nodes_of(crosspoint.nodes);
    for (unsigned port = 0; port < crosspoint.ports.size(); ++port) {
      if (crosspoint.ports[port].device != cmn::DeviceType::none) used = port + 1;
      devices.push_back(crosspoint.ports[port].device);
      counts.push_back(cmn::device_count(crosspoint.ports[port]));
      firsts.push_back(crosspoint.ports[port].first_device);
      nodes.ports.push_back(nodes_of(crosspoint.ports[port].nodes));
    }
    spec.ports_in_use.push_back(used);
  }
  scoreboard::place_nodes(crosspoints, topology.base, spec);
}

/// Parameters of nodes.
void fill_nodes(const platform::CmnSpec& mesh, scoreboard::CmnJudgeSpec& spec) {
  const cmn::NodeParameters& nodes = mesh.nodes;
  const cmn::HomeParameters& home = nodes.home;
  spec.home = {home.slc_sets, home.slc_ways, home.sf_sets, home.sf_ways, home.pocq_entries, home.forwarding};
  spec.io_home = {nodes.io_home.rrt_entries, nodes.io_home.rdt_entries, nodes.io_home.wdb_entries,
                  axi(nodes.io_home.axi)};
  spec.sbsx = {nodes.sbsx.entries, nodes.sbsx.wdb_entries, axi(nodes.sbsx.axi)};
  spec.mtsx = {nodes.mtsx.entries, nodes.mtsx.tc_sets, nodes.mtsx.tc_ways, axi(nodes.mtsx.axi)};
  spec.rn_i = {nodes.rn_i.rrt_entries, nodes.rn_i.wrt_entries};
  spec.dvm = {nodes.dvm_node.trk_entries, nodes.dvm_node.snoop_limit, nodes.dvm_node.rn_d_ops, {}};
  for (const auto& pair : nodes.dvm_node.vmid_filters) spec.dvm.vmid_filters.emplace_back(pair.node_id, pair.vmid);
}

/// @return node id of one of a mesh's gateways, by its number.
std::uint16_t gateway_id(const scoreboard::CmnJudgeSpec& mesh, unsigned number) {
  return scoreboard::CmnAddresses(mesh).gateways().at(number);
}

/// Tell the meshes which gateways are linked.
void fill_links(const platform::PlatformSpec& platform, std::vector<scoreboard::CmnJudgeSpec>& specs) {
  for (const platform::CmnLinkSpec& link : platform.of<platform::CmnMeshesSpec>().links) {
    const cmn::LinkParameters& parameters = link.parameters;
    for (const platform::CmnLinkSpec::End& end : {link.from, link.to}) {
      scoreboard::CmnJudgeSpec& mesh = specs.at(end.mesh);
      mesh.links.push_back({gateway_id(mesh, end.gateway), parameters.latency, parameters.cycles_per_flit,
                            parameters.flit_bytes, parameters.link_credits, parameters.rht_entries,
                            parameters.reqtrk_entries, parameters.write_buffers, parameters.node_latency});
    }
  }
}

}  // namespace

scoreboard::WatchpointLayout watchpoint_layout(const cmn::Topology& topology) {
  constexpr unsigned kS3r2 = 3;  // revision code of S3 r2p0
  switch (topology.product) {
    case cmn::Product::cmn600:
      return scoreboard::WatchpointLayout::cmn600;
    case cmn::Product::cmn650:
      return scoreboard::WatchpointLayout::cmn650;
    case cmn::Product::cmn700:
    case cmn::Product::ci700:
      return scoreboard::WatchpointLayout::cmn700;
    case cmn::Product::s3:
      break;
  }
  return topology.revision >= kS3r2 ? scoreboard::WatchpointLayout::s3_r2 : scoreboard::WatchpointLayout::s3;
}

scoreboard::NodeReleases release_of(const cmn::Topology& topology) {
  return scoreboard::release_of(watchpoint_layout(topology), topology.revision,
                                topology.product == cmn::Product::ci700);
}

std::vector<scoreboard::CmnJudgeSpec> cmn_judge_specs(const platform::PlatformSpec& platform) {
  std::vector<scoreboard::CmnJudgeSpec> specs;
  for (const platform::CmnSpec& mesh : platform.of<platform::CmnMeshesSpec>().meshes) {
    const cmn::Topology& topology = mesh.topology;
    scoreboard::CmnJudgeSpec spec;
    spec.pmu = fmt::format("arm_cmn_{}", specs.size());
    spec.columns = topology.columns;
    spec.rows = topology.rows;
    spec.layout = watchpoint_layout(topology);
    // CMN-700 and S3 have wp_chn_num; elsewhere a watchpoint sees both.
    spec.sub_channels_apart = topology.product == cmn::Product::cmn700 || topology.product == cmn::Product::s3;
    spec.clock_hz = topology.frequency_hz;
    spec.multiple_dtm = topology.multiple_dtm;
    spec.snoop_channels = topology.channels.snp;
    // The automotive variant of a CMN-600 has another number, and is the same to software (docs/contract.md, A4).
    spec.part = part_number(topology.product);
    spec.revision = topology.revision;
    spec.left_alone = cmn::must_be_left_alone(topology);
    spec.request_channels = topology.channels.req;
    spec.response_channels = topology.channels.rsp;
    spec.data_channels = topology.channels.dat;
    spec.link_delay = mesh.mesh.link_delay;
    spec.occupancy_width = mesh.mesh.pmu.occupancy_width;
    const cmn::PmuParameters& pmu = mesh.mesh.pmu;
    spec.local_width = pmu.local_width;
    spec.global_width = pmu.global_width;
    spec.cycle_width = pmu.cycle_width;
    spec.carries_take_time = pmu.carry.latency != 0 || pmu.carry.per_cycle != 0;
    spec.carries_can_be_lost = pmu.carry.per_cycle != 0 && pmu.carry.queue_room != 0;
    fill_crosspoints(topology, spec);
    fill_nodes(mesh, spec);
    specs.push_back(std::move(spec));
  }
  fill_links(platform, specs);
  return specs;
}

void link_judges(const platform::PlatformSpec& platform, const std::vector<scoreboard::CmnJudgeSpec>& specs,
                 std::span<scoreboard::CmnJudge* const> judges) {
  for (const platform::CmnLinkSpec& link : platform.of<platform::CmnMeshesSpec>().links)
    scoreboard::CmnJudge::link(*judges[link.from.mesh], gateway_id(specs.at(link.from.mesh), link.from.gateway),
                               *judges[link.to.mesh], gateway_id(specs.at(link.to.mesh), link.to.gateway));
}

}  // namespace pmufab::scenario
