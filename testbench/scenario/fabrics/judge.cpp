// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/fabrics/judge.h"

#include <fmt/format.h>

#include "models/cmn/description/layout.h"
#include "models/cmn/wire/product.h"
#include "models/platform/tegra410/pcie_spec.h"
#include "testbench/scoreboard/cmn/cmn_addresses.h"

namespace pmufab::scenario {
namespace {

scoreboard::MemoryClass same_class(tegra410::MemoryClass memory) {
  switch (memory) {
    case tegra410::MemoryClass::cmem:
      return scoreboard::MemoryClass::cmem;
    case tegra410::MemoryClass::gmem:
      return scoreboard::MemoryClass::gmem;
    case tegra410::MemoryClass::cxl:
      return scoreboard::MemoryClass::cxl;
    case tegra410::MemoryClass::bar:
      return scoreboard::MemoryClass::bar;
  }
  return scoreboard::MemoryClass::cmem;
}

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

scoreboard::ReferenceAxiParameters axi(const cmn::AxiParameters& of) {
  return {of.ar_period, of.aw_period, of.w_period, of.read_latency, of.write_latency};
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
  for (const platform::CmnLinkSpec& link : platform.links) {
    const cmn::LinkParameters& of = link.parameters;
    for (const platform::CmnLinkSpec::End& end : {link.from, link.to}) {
      scoreboard::CmnJudgeSpec& mesh = specs.at(end.mesh);
      mesh.links.push_back({gateway_id(mesh, end.gateway), of.latency, of.cycles_per_flit, of.flit_bytes,
                            of.link_credits, of.rht_entries, of.reqtrk_entries, of.write_buffers, of.node_latency});
    }
  }
}

/// What a socket's chip-to-chip interfaces lead to.
std::vector<scoreboard::C2cPmuSpec> c2c_pmus(const tegra410::Parameters& parameters, unsigned socket) {
  namespace map = platform::default_map;
  using tegra410::NvlinkPeer;
  const tegra410::NvlinkC2cParameters& nvlink = parameters.nvlink_c2c;
  const bool nvlink_is_link = nvlink.peer == NvlinkPeer::cpu;
  // The broadcast window follows the instances, each a page of 4 KiB.
  const auto broadcast = [&](std::uint64_t offset, unsigned instances) {
    return (std::uint64_t{socket} << map::kSocketShift) + offset + instances * std::uint64_t{0x1000};
  };
  std::vector<scoreboard::C2cPmuSpec> specs(3);
  specs[0] = {fmt::format("nvidia_nvlink_c2c_pmu_{}", socket),
              socket,
              nvlink_is_link ? scoreboard::C2cPeer::cpu : scoreboard::C2cPeer::gpu,
              tegra410::kNvlinkC2cInstances,
              {},
              true,
              broadcast(map::kNvlinkC2cPmu, tegra410::kNvlinkC2cInstances)};
  if (nvlink_is_link) specs[0].masks.push_back(nvlink.cpu_mask());
  if (nvlink.peer == NvlinkPeer::gpu) {
    for (unsigned gpu = 0; gpu < nvlink.gpus; ++gpu) specs[0].masks.push_back(nvlink.gpu_mask(gpu));
  }
  specs[1] = {fmt::format("nvidia_nvclink_pmu_{}", socket),
              socket,
              scoreboard::C2cPeer::cpu,
              tegra410::kNvclinkInstances,
              {},
              false,
              broadcast(map::kNvclinkPmu, tegra410::kNvclinkInstances)};
  if (!nvlink_is_link) specs[1].masks.push_back(parameters.nvclink.cpu_en_mask);
  specs[2] = {fmt::format("nvidia_nvdlink_pmu_{}", socket),
              socket,
              scoreboard::C2cPeer::cxl_memory,
              tegra410::kNvdlinkInstances,
              {tegra410::instance_mask(0, tegra410::kNvdlinkInstances)},
              false,
              broadcast(map::kNvdlinkPmu, tegra410::kNvdlinkInstances)};
  return specs;
}

}  // namespace

std::optional<scoreboard::Tegra410JudgeSpec> tegra410_judge_spec(const platform::PlatformSpec& platform) {
  namespace map = platform::default_map;
  if (!platform.tegra410) return std::nullopt;
  const tegra410::Parameters& parameters = *platform.tegra410;
  scoreboard::Tegra410JudgeSpec spec;
  spec.sockets = platform.sockets;
  for (const tegra410::MemoryRange& range : platform::system_map(platform))
    spec.memory.push_back(
        {range.base, range.size, range.socket, same_class(range.memory_class), range.root_complex, range.root_port});
  spec.slc = {parameters.slc.slices, parameters.slc.sets, parameters.slc.ways};
  spec.cached.clear();
  for (const tegra410::MemoryClass memory : parameters.slc.cached) spec.cached.push_back(same_class(memory));
  spec.ucf_frequency_hz = parameters.ucf_clock_hz;
  spec.soc_frequency_hz = parameters.soc_clock_hz;
  spec.slc_latency = parameters.latency.slc;
  spec.cmem_latency = parameters.latency.cmem;
  spec.cmem_service = parameters.latency.cmem_service;
  spec.gmem_latency = parameters.latency.gmem;
  spec.link_latency = parameters.latency.link;
  spec.c2c_frequency_hz = parameters.c2c_clock_hz;
  spec.cmem_instances = tegra410::kCmemInstances;
  spec.cmem_controllers = tegra410::kCmemControllersPerInstance;
  for (unsigned socket = 0; socket < platform.sockets; ++socket) {
    const std::uint64_t base = std::uint64_t{socket} << map::kSocketShift;
    scoreboard::UcfPmuSpec ucf;
    ucf.name = fmt::format("nvidia_ucf_pmu_{}", socket);
    ucf.socket = socket;
    ucf.page0 = base + map::kUcfPmuPage0;
    if (parameters.ucf_pmu.dual_page) ucf.page1 = base + map::kUcfPmuPage1;
    spec.ucf_pmus.push_back(ucf);
    // The broadcast window follows the instances, each a page of 4 KiB.
    spec.cmem_pmus.push_back({fmt::format("nvidia_cmem_latency_pmu_{}", socket), socket,
                              base + map::kCmemLatencyPmu + tegra410::kCmemInstances * std::uint64_t{0x1000}});
    for (scoreboard::C2cPmuSpec& c2c : c2c_pmus(parameters, socket)) spec.c2c_pmus.push_back(std::move(c2c));
  }
  for (const tegra410::PcieRootComplex& complex : platform::root_complexes_of(platform)) {
    const std::uint64_t page0 =
        (std::uint64_t{complex.socket} << map::kSocketShift) + map::kPciePmu + complex.number * map::kPciePmusStride;
    scoreboard::PciePmuSpec pcie;
    pcie.name = fmt::format("nvidia_pcie_pmu_{}_rc_{}", complex.socket, complex.number);
    pcie.socket = complex.socket;
    pcie.root_complex = complex.number;
    pcie.page0 = page0;
    if (parameters.pcie_pmu.dual_page) pcie.page1 = page0 + map::kPciePmuPage1;
    spec.pcie_pmus.push_back(pcie);
  }
  for (const tegra410::PcieRootComplex& complex : platform::root_complexes_of(platform)) {
    scoreboard::PcieTgtPmuSpec pmu;
    pmu.name = fmt::format("nvidia_pcie_tgt_pmu_{}_rc_{}", complex.socket, complex.number);
    pmu.socket = complex.socket;
    pmu.root_complex = complex.number;
    pmu.page0 =
        (std::uint64_t{complex.socket} << map::kSocketShift) + map::kPcieTgtPmu + complex.number * map::kPciePmusStride;
    if (parameters.pcie_tgt_pmu.dual_page) pmu.page1 = pmu.page0 + map::kPcieTgtPmuPage1;
    spec.pcie_tgt_pmus.push_back(pmu);
  }
  return spec;
}

std::vector<scoreboard::CmnJudgeSpec> cmn_judge_specs(const platform::PlatformSpec& platform) {
  constexpr std::uint64_t kPmcr = 0x100;  // from the base of a DTC's PMU registers
  std::vector<scoreboard::CmnJudgeSpec> specs;
  for (const platform::CmnSpec& mesh : platform.cmn) {
    const cmn::Topology& topology = mesh.topology;
    const cmn::Layout layout(topology);
    scoreboard::CmnJudgeSpec spec;
    spec.pmu = fmt::format("arm_cmn_{}", specs.size());
    spec.columns = topology.columns;
    spec.rows = topology.rows;
    spec.layout = watchpoint_layout(topology);
    // CMN-700 and S3 have wp_chn_num; elsewhere a watchpoint sees both.
    spec.sub_channels_apart = topology.product == cmn::Product::cmn700 || topology.product == cmn::Product::s3;
    spec.clock_hz = topology.frequency_hz;
    spec.pmcr = topology.base + layout.nodes()[layout.dtc_node(0)].offset +
                cmn::facts_of(topology.product, topology.revision).dtc_base + kPmcr;
    spec.multiple_dtm = topology.multiple_dtm;
    spec.snoop_channels = topology.channels.snp;
    spec.link_delay = mesh.mesh.link_delay;
    spec.occupancy_width = mesh.mesh.pmu.occupancy_width;
    for (const cmn::Crosspoint& crosspoint : topology.crosspoints) {
      unsigned used = 0;
      std::vector<cmn::DeviceType>& devices = spec.devices.emplace_back();
      std::vector<unsigned>& counts = spec.device_counts.emplace_back();
      for (unsigned port = 0; port < crosspoint.ports.size(); ++port) {
        if (crosspoint.ports[port].device != cmn::DeviceType::none) used = port + 1;
        devices.push_back(crosspoint.ports[port].device);
        counts.push_back(cmn::device_count(crosspoint.ports[port]));
      }
      spec.ports_in_use.push_back(used);
    }
    fill_nodes(mesh, spec);
    for (const cmn::NodePlace& node : layout.nodes()) {
      if (node.port != cmn::kNoPort)
        spec.nodes.push_back(
            {node.type, node.node_id, node.logical_id, node.xp, node.port, node.device, node.is_closed()});
    }
    specs.push_back(std::move(spec));
  }
  fill_links(platform, specs);
  return specs;
}

void link_judges(const platform::PlatformSpec& platform, const std::vector<scoreboard::CmnJudgeSpec>& specs,
                 std::span<scoreboard::CmnJudge* const> judges) {
  for (const platform::CmnLinkSpec& link : platform.links) {
    scoreboard::CmnJudge::link(*judges[link.from.mesh], gateway_id(specs.at(link.from.mesh), link.from.gateway),
                               *judges[link.to.mesh], gateway_id(specs.at(link.to.mesh), link.to.gateway));
  }
}

}  // namespace pmufab::scenario
