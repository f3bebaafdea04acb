// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/judge/cmn_addresses.h"

#include <algorithm>
#include <initializer_list>

#include "testbench/fabrics/cmn/judge/cmn_node_ids.h"
#include "testbench/fabrics/cmn/judge/nodes/reference_node.h"

namespace pmufab::scoreboard {

using cmn::DeviceType;
using cmn::NodeType;

namespace {

constexpr std::uint64_t kMeshLineBytes = 64;
constexpr std::uint64_t kPageBytes = 4096;
constexpr unsigned kSbsxRegion = 1;
constexpr unsigned kMtsxRegion = 2;
constexpr unsigned kIoRegion = 4;

unsigned region(std::uint64_t address) { return static_cast<unsigned>(address >> 44U & 7U); }
std::uint64_t line(std::uint64_t address) { return (address & ~kOtherMesh) / kMeshLineBytes; }
bool is_gateway(const CmnJudgeSpec& spec, std::uint16_t node_id) {
  return std::any_of(spec.nodes.begin(), spec.nodes.end(), [node_id](const CmnNode& node) {
    return node.node_id == node_id && (node.type == NodeType::cxra || node.type == NodeType::ccra);
  });
}

/// External and isolated nodes belong to others, and so does a device without any other node.
bool takes_part(const CmnJudgeSpec& spec, std::uint16_t node_id, std::initializer_list<NodeType> types) {
  bool closed = false;
  for (const CmnNode& node : spec.nodes) {
    if (node.node_id != node_id || std::find(types.begin(), types.end(), node.type) == types.end()) continue;
    if (!node.closed) return true;
    closed = true;
  }
  return !closed;
}

}  // namespace

CmnAddresses::CmnAddresses(const CmnJudgeSpec& spec) {
  const CmnNodeIds ids(spec);
  for (unsigned xp = 0; xp < spec.devices.size(); ++xp) {
    for (unsigned port = 0; port < spec.devices[xp].size(); ++port) {
      const bool told = xp < spec.device_counts.size() && port < spec.device_counts[xp].size();
      const unsigned devices = told ? spec.device_counts[xp][port] : 1;
      const bool has_first = xp < spec.first_devices.size() && port < spec.first_devices[xp].size();
      const unsigned first = has_first ? spec.first_devices[xp][port] : 0;
      for (unsigned device = first; device < first + devices; ++device)
        add(spec, spec.devices[xp][port], ids.device_id(xp, port, device));
    }
  }
  std::vector<CmnNode> homes;
  for (const CmnNode& node : spec.nodes) {
    if (!node.closed && (node.type == NodeType::hn_f || node.type == NodeType::hn_s)) homes.push_back(node);
    has_hn_s_ = has_hn_s_ || (!node.closed && node.type == NodeType::hn_s);
  }
  std::stable_sort(homes.begin(), homes.end(),
                   [](const CmnNode& a, const CmnNode& b) { return a.logical_id < b.logical_id; });
  for (const CmnNode& home : homes) homes_.push_back(home.node_id);
  for (std::size_t number = 0; number < homes_.size(); ++number) {
    const std::uint16_t id = homes_[number];
    if (id >= home_numbers_.size())
      home_numbers_.resize(id + std::size_t{1}, static_cast<std::uint16_t>(homes_.size()));
    home_numbers_[id] = static_cast<std::uint16_t>(number);
  }
}

void CmnAddresses::add(const CmnJudgeSpec& spec, DeviceType device, std::uint16_t node_id) {
  using enum DeviceType;
  if (is_rn_f_device(device) || (device == rn_d && takes_part(spec, node_id, {NodeType::rn_d})))
    dvm_targets_.push_back(node_id);
  if (is_gateway(spec, node_id)) {
    gateways_.push_back(node_id);
    const auto is_here = [node_id](const ReferenceLinkParameters& link) { return link.node_id == node_id; };
    if (std::any_of(spec.links.begin(), spec.links.end(), is_here)) linked_.push_back(node_id);
  }
  if (is_sn_f_device(device)) sn_fs_.push_back(node_id);
  if (device == sbsx && takes_part(spec, node_id, {NodeType::sbsx})) sbsxs_.push_back(node_id);
  if (device == mtsx && takes_part(spec, node_id, {NodeType::mtsx})) mtsxs_.push_back(node_id);
  const bool is_io_home = device == hn_i || device == hn_d || device == hn_t || device == hn_p || device == hn_v;
  if (is_io_home && takes_part(spec, node_id, {NodeType::hn_i, NodeType::hn_p})) io_homes_.push_back(node_id);
}

std::optional<std::uint16_t> CmnAddresses::one_of(const Ids& ids, std::uint64_t number) {
  if (ids.empty()) return std::nullopt;
  return ids[number % ids.size()];
}

bool CmnAddresses::is_io(std::uint64_t address) { return !is_remote(address) && region(address) == kIoRegion; }

bool CmnAddresses::is_remote(std::uint64_t address) { return (address & kOtherMesh) != 0; }

bool CmnAddresses::is_home_of(std::uint16_t node_id, std::uint64_t address) const {
  if (region(address) > kMtsxRegion || (is_remote(address) && !has_hn_s_)) return false;
  return one_of(homes_, line(address)) == node_id;
}

bool CmnAddresses::is_memory_of(std::uint16_t home, std::uint64_t address, std::uint16_t node_id) const {
  if (region(address) > kMtsxRegion) return false;
  if (is_remote(address)) return is_gateway_for(address, node_id);
  const std::uint64_t index = home < home_numbers_.size() ? home_numbers_[home] : homes_.size();
  if (region(address) == kSbsxRegion) return one_of(sbsxs_, index) == node_id;
  if (region(address) == kMtsxRegion) return one_of(mtsxs_, index) == node_id;
  return one_of(sn_fs_, index) == node_id;
}

bool CmnAddresses::is_rn_i_target(std::uint64_t address, std::uint16_t node_id) const {
  if (is_io(address)) return one_of(io_homes_, address / kPageBytes) == node_id;
  if (is_remote(address)) return is_gateway_for(address, node_id);
  return is_home_of(node_id, address);
}

bool CmnAddresses::is_gateway_for(std::uint64_t address, std::uint16_t node_id) const {
  return is_remote(address) && region(address) <= kMtsxRegion && one_of(linked_, line(address)) == node_id;
}

}  // namespace pmufab::scoreboard
