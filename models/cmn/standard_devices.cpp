// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/standard_devices.h"

#include <algorithm>
#include <array>

namespace pmufab::cmn {
namespace {

using NodeTypes = std::vector<NodeType>;

struct Standard {
  std::string_view name;
  DeviceType (*device)(Product product);
  NodeTypes (*nodes)(Product product);
};

DeviceType rn_f(Product product) {
  switch (product) {
    case Product::cmn600:
      return DeviceType::rn_f_chib;
    case Product::cmn650:
    case Product::ci700:
      return DeviceType::rn_f_chid;
    case Product::cmn700:
      return DeviceType::rn_f_chie;
    case Product::s3:
      break;
  }
  return DeviceType::rn_f_chif;
}

DeviceType sn_f(Product product) {
  switch (product) {
    case Product::cmn600:
      return DeviceType::sn_f_chic;
    case Product::cmn650:
    case Product::ci700:
      return DeviceType::sn_f_chid;
    case Product::cmn700:
      return DeviceType::sn_f_chie;
    case Product::s3:
      break;
  }
  return DeviceType::sn_f_chif;
}

template <DeviceType kDevice>
DeviceType always(Product) {
  return kDevice;
}

template <NodeType... kTypes>
NodeTypes nodes(Product) {
  return {kTypes...};
}

NodeTypes hn_f(Product product) {
  if (product == Product::cmn600) return {NodeType::hn_f};
  return {NodeType::hn_f, NodeType::mpam_s, NodeType::mpam_ns};
}

NodeTypes ccg(Product) { return {NodeType::ccra, NodeType::ccha, NodeType::ccla}; }
NodeTypes ccg_rni(Product) { return {NodeType::ccra, NodeType::ccha, NodeType::ccla_rni}; }

constexpr std::array<Standard, 15> kStandards{{
    {"RN-F", rn_f, nodes<>},
    {"RN-I", always<DeviceType::rn_i>, nodes<NodeType::rn_i, NodeType::rn_sam>},
    {"RN-D", always<DeviceType::rn_d>, nodes<NodeType::rn_d, NodeType::rn_sam>},
    {"HN-F", always<DeviceType::hn_f>, hn_f},
    {"HN-S", always<DeviceType::hn_s>, nodes<NodeType::hn_s, NodeType::hns_mpam_s, NodeType::hns_mpam_ns>},
    {"HN-I", always<DeviceType::hn_i>, nodes<NodeType::hn_i>},
    {"HN-D", always<DeviceType::hn_d>, nodes<NodeType::dvm, NodeType::dtc, NodeType::hn_i>},
    {"HN-T", always<DeviceType::hn_t>, nodes<NodeType::dtc, NodeType::hn_i>},
    {"HN-P", always<DeviceType::hn_p>, nodes<NodeType::hn_p>},
    {"SN-F", sn_f, nodes<>},
    {"SBSX", always<DeviceType::sbsx>, nodes<NodeType::sbsx>},
    {"MTSX", always<DeviceType::mtsx>, nodes<NodeType::mtsx>},
    {"CXRH", always<DeviceType::cxrh>, nodes<NodeType::cxra, NodeType::cxha, NodeType::cxla>},
    {"CCG", always<DeviceType::ccg>, ccg},
    {"CCG-RNI", always<DeviceType::ccg>, ccg_rni},
}};

}  // namespace

std::optional<Port> standard_port(Product product, std::string_view name) {
  if (name == "-") return Port{};
  const auto take = [&](std::string_view prefix) {
    const bool has = name.starts_with(prefix);
    if (has) name.remove_prefix(prefix.size());
    return has;
  };
  const bool external = take("external ");
  const bool isolated = take("isolated ");
  unsigned first = 0;
  if (name.size() > 2 && name[name.size() - 2] == '@' && name.back() >= '0' && name.back() <= '3') {
    first = static_cast<unsigned>(name.back() - '0');
    name.remove_suffix(2);
  }
  unsigned devices = 1;
  if (name.size() > 2 && name[name.size() - 2] == 'x' && name.back() >= '2' && name.back() <= '4') {
    devices = static_cast<unsigned>(name.back() - '0');
    name.remove_suffix(2);
  }
  const auto* const found = std::find_if(kStandards.begin(), kStandards.end(),
                                         [&](const Standard& standard) { return standard.name == name; });
  if (found == kStandards.end()) return std::nullopt;
  Port port;
  port.device = found->device(product);
  port.cal = devices > 1;
  port.devices = devices;
  port.first_device = first;
  for (unsigned device = first; device < first + devices; ++device) {
    for (const NodeType type : found->nodes(product))
      port.nodes.push_back({.type = type, .device = device, .external = external, .isolated = isolated});
  }
  return port;
}

std::vector<std::string_view> standard_port_names() {
  std::vector<std::string_view> names;
  for (const Standard& standard : kStandards) names.push_back(standard.name);
  return names;
}

}  // namespace pmufab::cmn
