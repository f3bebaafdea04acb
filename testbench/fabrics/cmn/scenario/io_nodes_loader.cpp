// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/scenario/cmn_loader.h"
#include "testbench/run/yaml/quantity.h"

namespace pmufab::scenario {

namespace {

constexpr std::uint64_t kMostIoCycles = 1'000'000;
constexpr unsigned kMostEntries = 128;

void read_axi(Reader& reader, cmn::AxiParameters& axi) {
  reader.object("axi", [&](Reader& r) {
    r.number("ar_period", axi.ar_period, Quantity::count, 1, kMostIoCycles);
    r.number("aw_period", axi.aw_period, Quantity::count, 1, kMostIoCycles);
    r.number("w_period", axi.w_period, Quantity::count, 1, kMostIoCycles);
    r.number("read_latency", axi.read_latency, Quantity::count, 1, kMostIoCycles);
    r.number("write_latency", axi.write_latency, Quantity::count, 1, kMostIoCycles);
  });
}

void read_dvm_node(Reader& reader, cmn::DvmNodeParameters& parameters) {
  reader.number("trk_entries", parameters.trk_entries, Quantity::count, 1, 64);
  reader.number("snoop_limit", parameters.snoop_limit, Quantity::count, 1, 64);
  reader.number("latency", parameters.latency, Quantity::count, 0, kMostIoCycles);
  reader.flag("rn_d_ops", parameters.rn_d_ops);
  reader.list("vmid_filters", [&](Reader& item, std::size_t) {
    cmn::DvmNodeParameters::VmidFilter& filter = parameters.vmid_filters.emplace_back();
    item.number("node", filter.node_id, Quantity::count, 0, 0xffff, Presence::required);
    item.number("vmid", filter.vmid, Quantity::count, 0, 0xff, Presence::required);
  });
}

}  // namespace

void read_io_nodes(Reader& reader, cmn::NodeParameters& nodes) {
  reader.object("rn_i", [&](Reader& r) {
    r.number("rrt_entries", nodes.rn_i.rrt_entries, Quantity::count, 1, kMostEntries);
    r.number("wrt_entries", nodes.rn_i.wrt_entries, Quantity::count, 1, kMostEntries);
    r.number("latency", nodes.rn_i.latency, Quantity::count, 0, kMostIoCycles);
  });
  reader.object("io_home", [&](Reader& r) {
    r.number("rrt_entries", nodes.io_home.rrt_entries, Quantity::count, 1, kMostEntries);
    r.number("rdt_entries", nodes.io_home.rdt_entries, Quantity::count, 1, kMostEntries);
    r.number("wdb_entries", nodes.io_home.wdb_entries, Quantity::count, 1, kMostEntries);
    r.number("latency", nodes.io_home.latency, Quantity::count, 0, kMostIoCycles);
    read_axi(r, nodes.io_home.axi);
  });
  reader.object("dvm_node", [&](Reader& r) { read_dvm_node(r, nodes.dvm_node); });
  reader.object("sbsx", [&](Reader& r) {
    r.number("entries", nodes.sbsx.entries, Quantity::count, 1, kMostEntries);
    r.number("wdb_entries", nodes.sbsx.wdb_entries, Quantity::count, 1, kMostEntries);
    r.number("latency", nodes.sbsx.latency, Quantity::count, 0, kMostIoCycles);
    read_axi(r, nodes.sbsx.axi);
  });
  reader.object("mtsx", [&](Reader& r) {
    r.number("entries", nodes.mtsx.entries, Quantity::count, 1, kMostEntries);
    r.number("tc_sets", nodes.mtsx.tc_sets, Quantity::count, 1, 1 << 20);
    r.number("tc_ways", nodes.mtsx.tc_ways, Quantity::count, 1, 64);
    r.number("latency", nodes.mtsx.latency, Quantity::count, 0, kMostIoCycles);
    read_axi(r, nodes.mtsx.axi);
  });
}

}  // namespace pmufab::scenario
