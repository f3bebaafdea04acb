// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/description/example_topologies.h"

#include <utility>

namespace pmufab::cmn::examples {

namespace {

Topology mesh(Product product, unsigned revision, unsigned columns, unsigned rows) {
  Topology topology;
  topology.product = product;
  topology.revision = revision;
  topology.columns = columns;
  topology.rows = rows;
  topology.crosspoints.resize(std::size_t{columns} * rows);
  return topology;
}

Port rn_f() { return {DeviceType::rn_f_chid_esam, false, {{NodeType::rn_sam}}}; }
Port rn_f_pair() { return {DeviceType::rn_f_chie_esam, true, {{NodeType::rn_sam, 0}, {NodeType::rn_sam, 1}}}; }
Port sn_f() { return {DeviceType::sn_f_chid, false, {}}; }
Port rn_i() { return {DeviceType::rn_i, false, {{NodeType::rn_i}, {NodeType::rn_sam}}}; }
Port rn_d() { return {DeviceType::rn_d, false, {{NodeType::rn_d}, {NodeType::rn_sam}}}; }
Port sbsx() { return {DeviceType::sbsx, false, {{NodeType::sbsx}}}; }
Port hn_i() { return {DeviceType::hn_i, false, {{NodeType::hn_i}}}; }
Port hn_d() { return {DeviceType::hn_d, false, {{NodeType::dvm}, {NodeType::dtc}, {NodeType::hn_i}}}; }
Port hn_t() { return {DeviceType::hn_t, false, {{NodeType::dtc}, {NodeType::hn_i}}}; }
Port hn_p() { return {DeviceType::hn_p, false, {{NodeType::hn_p}}}; }
Port mtsx() { return {DeviceType::mtsx, false, {{NodeType::mtsx}}}; }
Port ccix() { return {DeviceType::cxrh, false, {{NodeType::cxra}, {NodeType::cxha}, {NodeType::cxla}}}; }
Port ccg() { return {DeviceType::ccg, false, {{NodeType::ccra}, {NodeType::ccha}, {NodeType::ccla_rni}}}; }
Port ccg_plain() { return {DeviceType::ccg, false, {{NodeType::ccra}, {NodeType::ccha}, {NodeType::ccla}}}; }

/// One home node, or with a CAL two.
Port home(NodeType type, unsigned number = 1) {
  const bool is_s = type == NodeType::hn_s;
  Port port{is_s ? DeviceType::hn_s : DeviceType::hn_f, number > 1, {}};
  for (unsigned device = 0; device < number; ++device) {
    port.nodes.push_back({type, device});
    port.nodes.push_back({is_s ? NodeType::hns_mpam_s : NodeType::mpam_s, device});
    port.nodes.push_back({is_s ? NodeType::hns_mpam_ns : NodeType::mpam_ns, device});
  }
  return port;
}
Port hn_f(unsigned number = 1) { return home(NodeType::hn_f, number); }

}  // namespace

Topology cmn600_small() {
  Topology topology = mesh(Product::cmn600, 5, 4, 2);
  std::vector<Crosspoint>& xps = topology.crosspoints;
  xps[0].ports = {rn_f(), sn_f()};
  xps[1].ports = {rn_f(), hn_f()};
  xps[2].ports = {rn_i(), hn_f()};
  xps[3].ports = {rn_d(), sbsx()};
  xps[4].ports = {rn_f(), hn_d()};
  xps[5].ports = {rn_f(), hn_f()};
  xps[6].ports = {rn_i(), hn_f()};
  xps[7].ports = {sn_f()};
  return topology;
}

Topology cmn600_two_dtcs() {
  Topology topology = mesh(Product::cmn600, 5, 4, 4);
  topology.dtcs = 2;
  for (unsigned xp = 0; xp < 16; ++xp) {
    Crosspoint& crosspoint = topology.crosspoints[xp];
    crosspoint.dtc_domain = xp / 8;
    crosspoint.ports = {rn_f(), hn_f()};
  }
  std::vector<Crosspoint>& xps = topology.crosspoints;
  xps[0].ports = {rn_i(), sn_f()};
  xps[3].ports = {rn_d(), sn_f()};
  xps[4].ports = {sbsx(), hn_d()};
  xps[7].ports = {ccix(), hn_i()};
  xps[8].ports = {rn_i(), hn_t()};
  xps[12].ports = {sn_f(), rn_d()};
  xps[15].ports = {sn_f()};
  return topology;
}

Topology cmn650_two_dtcs() {
  Topology topology = mesh(Product::cmn650, 3, 5, 4);
  topology.dtcs = 2;
  topology.channels = {.req = 1, .rsp = 2, .snp = 1, .dat = 2};
  for (unsigned xp = 0; xp < 20; ++xp) {
    Crosspoint& crosspoint = topology.crosspoints[xp];
    crosspoint.dtc_domain = xp % 5 >= 3 ? 1 : 0;
    crosspoint.ports = {rn_f(), hn_f(2)};
  }
  std::vector<Crosspoint>& xps = topology.crosspoints;
  xps[0].ports = {sn_f(), rn_i()};
  xps[4].ports = {sn_f(), hn_t()};
  xps[5].ports = {hn_d(), rn_d()};
  xps[9].ports = {ccix(), hn_p()};
  xps[10].ports = {sbsx(), hn_i()};
  xps[15].ports = {sn_f(), rn_i()};
  xps[19].ports = {sn_f()};
  return topology;
}

Topology cmn700_server(NodeType type) {
  Topology topology = mesh(Product::cmn700, 3, 8, 8);
  topology.dtcs = 2;
  topology.multiple_dtm = true;
  topology.channels = {.req = 2, .rsp = 2, .snp = 2, .dat = 2};
  for (unsigned xp = 0; xp < 64; ++xp) {
    const unsigned x = xp % 8;
    const unsigned y = xp / 8;
    Crosspoint& crosspoint = topology.crosspoints[xp];
    crosspoint.dtc_domain = x / 4;
    if (x == 0 || x == 7) {
      crosspoint.ports = {sn_f(), y % 2 == 0 ? rn_d() : hn_i()};
    } else {
      crosspoint.ports = {rn_f_pair(), home(type)};
    }
  }
  std::vector<Crosspoint>& xps = topology.crosspoints;
  xps[0].ports = {rn_i(), hn_p(), rn_d(), hn_i()};
  xps[7].ports = {rn_i(), hn_p(), rn_d(), hn_i()};
  xps[8].ports = {sn_f(), hn_d()};
  xps[15].ports = {sn_f(), hn_t()};
  xps[56].ports = {rn_d(), ccg(), ccg()};
  xps[63].ports = {rn_d(), ccg(), ccg_plain(), sbsx()};
  xps[56].nodes = {{NodeType::apb}};
  return topology;
}

Topology ci700_small() {
  Topology topology = mesh(Product::ci700, 2, 3, 2);
  std::vector<Crosspoint>& xps = topology.crosspoints;
  xps[0].ports = {rn_f(), hn_f(), rn_f()};
  xps[1].ports = {rn_f(), hn_f()};
  xps[2].ports = {rn_i(), sn_f(), sbsx(), mtsx()};
  xps[3].ports = {hn_d(), rn_f(), rn_d()};
  xps[4].ports = {rn_f(), hn_f()};
  xps[5].ports = {rn_i(), sn_f(), hn_f()};
  return topology;
}

Topology s3_small(unsigned revision) {
  Topology topology = mesh(Product::s3, revision, 4, 3);
  topology.dtcs = 2;
  topology.multiple_dtm = true;
  topology.channels = {.req = 2, .rsp = 2, .snp = 2, .dat = 2};
  if (revision >= 3) topology.limits = kLinux73Limits;
  for (unsigned xp = 0; xp < 12; ++xp) {
    Crosspoint& crosspoint = topology.crosspoints[xp];
    crosspoint.dtc_domain = xp % 4 >= 2 ? 1 : 0;
    crosspoint.ports = {rn_f_pair(), home(NodeType::hn_s, xp % 2 + 1)};
  }
  std::vector<Crosspoint>& xps = topology.crosspoints;
  xps[0].ports = {rn_i(), sn_f(), hn_p(), rn_d()};
  xps[3].ports = {ccg(), sn_f(), ccg_plain(), rn_d()};
  xps[4].ports = {sn_f(), hn_d()};
  xps[7].ports = {hn_t(), sn_f()};
  xps[8].ports = {rn_i(), sbsx(), hn_i()};
  xps[11].ports = {sn_f(), rn_d()};
  return topology;
}

Topology cmn700_largest() {
  Topology topology = mesh(Product::cmn700, 3, 12, 12);
  topology.dtcs = 4;
  topology.multiple_dtm = true;
  topology.channels = {.req = 2, .rsp = 2, .snp = 2, .dat = 2};
  for (unsigned xp = 0; xp < 144; ++xp) {
    const unsigned x = xp % 12;
    const unsigned y = xp / 12;
    Crosspoint& crosspoint = topology.crosspoints[xp];
    crosspoint.dtc_domain = x / 6 + 2 * (y / 6);
    if (x == 0 || x == 11) {
      crosspoint.ports = {sn_f(), rn_d(), hn_i()};
    } else {
      crosspoint.ports = {{DeviceType::rn_f_chie_esam, true, {{NodeType::rn_sam}}}, home(NodeType::hn_s)};
      crosspoint.nodes = {{NodeType::apb}};
    }
  }
  std::vector<Crosspoint>& xps = topology.crosspoints;
  xps[12].ports = {sn_f(), hn_d()};
  xps[23].ports = {sn_f(), hn_t()};
  xps[120].ports = {sn_f(), hn_t()};
  xps[131].ports = {sn_f(), hn_t()};
  xps[0].ports = {sn_f(), ccg(), ccg()};
  xps[11].ports = {sn_f(), ccg(), ccg()};
  return topology;
}

Topology cmn700_single_xp() {
  Topology topology = mesh(Product::cmn700, 3, 1, 1);
  topology.multiple_dtm = true;
  topology.crosspoints[0].ports = {rn_f_pair(), home(NodeType::hn_s), sn_f(), hn_d(), rn_d(), rn_i()};
  return topology;
}

}  // namespace pmufab::cmn::examples
