// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/description/topology.h"

#include <algorithm>

namespace pmufab::cmn {

std::string_view to_string(NodeType type) noexcept {
  switch (type) {
    case NodeType::dvm:
      return "dn";
    case NodeType::cfg:
      return "cfg";
    case NodeType::dtc:
      return "dtc";
    case NodeType::hn_i:
      return "hni";
    case NodeType::hn_f:
      return "hnf";
    case NodeType::xp:
      return "xp";
    case NodeType::sbsx:
      return "sbsx";
    case NodeType::mpam_s:
      return "mpam_s";
    case NodeType::mpam_ns:
      return "mpam_ns";
    case NodeType::rn_i:
      return "rni";
    case NodeType::rn_d:
      return "rnd";
    case NodeType::rn_sam:
      return "rnsam";
    case NodeType::mtsx:
      return "mtsx";
    case NodeType::hn_p:
      return "hnp";
    case NodeType::cxra:
      return "cxra";
    case NodeType::cxha:
      return "cxha";
    case NodeType::cxla:
      return "cxla";
    case NodeType::ccra:
      return "ccra";
    case NodeType::ccha:
      return "ccha";
    case NodeType::ccla:
      return "ccla";
    case NodeType::ccla_rni:
      return "ccla_rni";
    case NodeType::hn_s:
      return "hns";
    case NodeType::hns_mpam_s:
      return "hns_mpam_s";
    case NodeType::hns_mpam_ns:
      return "hns_mpam_ns";
    case NodeType::apb:
      return "apb";
  }
  return "node";
}

bool is_known(NodeType type) noexcept {
  return to_string(type) != "node" && type != NodeType::cfg && type != NodeType::xp;
}

std::string_view to_string(DeviceType type) noexcept {
  if (is_rn_f(type)) return "RN-F";
  if (is_sn_f(type)) return "SN-F";
  switch (type) {
    case DeviceType::none:
      return "nothing";
    case DeviceType::rn_i:
      return "RN-I";
    case DeviceType::rn_d:
      return "RN-D";
    case DeviceType::hn_t:
      return "HN-T";
    case DeviceType::hn_i:
      return "HN-I";
    case DeviceType::hn_d:
      return "HN-D";
    case DeviceType::hn_p:
      return "HN-P";
    case DeviceType::sbsx:
      return "SBSX";
    case DeviceType::hn_f:
      return "HN-F";
    case DeviceType::cxha:
      return "CXHA";
    case DeviceType::cxra:
      return "CXRA";
    case DeviceType::cxrh:
      return "CXRH";
    case DeviceType::hn_s:
      return "HN-S";
    case DeviceType::lcn:
      return "LCN";
    case DeviceType::mtsx:
      return "MTSX";
    case DeviceType::hn_v:
      return "HN-V";
    case DeviceType::ccg:
      return "CCG";
    case DeviceType::ccg_smp:
      return "CCGSMP";
    default:
      return "unknown device";
  }
}

bool is_rn_f(DeviceType type) noexcept {
  switch (type) {
    case DeviceType::rn_f_chib:
    case DeviceType::rn_f_chib_esam:
    case DeviceType::rn_f_chia:
    case DeviceType::rn_f_chia_esam:
    case DeviceType::rn_f_chid:
    case DeviceType::rn_f_chid_esam:
    case DeviceType::rn_f_chic:
    case DeviceType::rn_f_chic_esam:
    case DeviceType::rn_f_chie:
    case DeviceType::rn_f_chie_esam:
    case DeviceType::rn_f_chif:
    case DeviceType::rn_f_chif_esam:
      return true;
    default:
      return false;
  }
}

bool is_sn_f(DeviceType type) noexcept {
  return type == DeviceType::sn_f_chic || type == DeviceType::sn_f_chid || type == DeviceType::sn_f_chie ||
         type == DeviceType::sn_f_chif;
}

bool must_be_left_alone(const Topology& topology) noexcept {
  constexpr unsigned kS3R2p0 = 3;
  return topology.deviations.device_isolation && topology.product == Product::s3 && topology.revision < kS3R2p0;
}

unsigned device_end(const Port& port) noexcept {
  if (port.device == DeviceType::none) return 0;
  unsigned end = port.first_device + port.devices;
  for (const Node& node : port.nodes) end = std::max(end, node.device + 1);
  return end;
}

unsigned device_count(const Port& port) noexcept {
  return port.device == DeviceType::none ? 0 : device_end(port) - port.first_device;
}

}  // namespace pmufab::cmn
