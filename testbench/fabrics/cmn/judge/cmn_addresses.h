// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "testbench/fabrics/cmn/judge/cmn_judge_spec.h"

namespace pmufab::scoreboard {

/// The address bit that selects the other mesh of a link.
inline constexpr std::uint64_t kOtherMesh = std::uint64_t{1} << 47U;

/// Maps addresses of a mesh to nodes, computed from its devices (docs/cmn-nodes.md, sections 2 and 5.1).
class CmnAddresses {
 public:
  explicit CmnAddresses(const CmnJudgeSpec& spec);

  /// @return the number of homes that share the lines.
  [[nodiscard]] unsigned homes() const { return static_cast<unsigned>(homes_.size()); }
  /// @return the RN-Fs and RN-Ds, which DVM nodes snoop, in order of XP, port, device.
  [[nodiscard]] const std::vector<std::uint16_t>& dvm_targets() const { return dvm_targets_; }

  /// @return true if a home answers for an address, as its own or for the other mesh.
  [[nodiscard]] bool is_home_of(std::uint16_t node_id, std::uint64_t address) const;
  /// @return true if a home's memory for an address is at that node.
  [[nodiscard]] bool is_memory_of(std::uint16_t home, std::uint64_t address, std::uint16_t node_id) const;
  /// @return true if an RN-I or RN-D sends requests for an address to that node.
  [[nodiscard]] bool is_rn_i_target(std::uint64_t address, std::uint16_t node_id) const;
  /// @return true if requests for an address go to the other mesh through that gateway.
  [[nodiscard]] bool is_gateway_for(std::uint64_t address, std::uint16_t node_id) const;
  /// @return the gateways, linked or not, in order of XP, port, device.
  [[nodiscard]] const std::vector<std::uint16_t>& gateways() const { return gateways_; }
  /// @return true for an I/O address of this mesh.
  [[nodiscard]] static bool is_io(std::uint64_t address);
  /// @return true for an address of the other mesh.
  [[nodiscard]] static bool is_remote(std::uint64_t address);

 private:
  using Ids = std::vector<std::uint16_t>;
  void add(const CmnJudgeSpec& spec, cmn::DeviceType device, std::uint16_t node_id);
  [[nodiscard]] static std::optional<std::uint16_t> one_of(const Ids& ids, std::uint64_t number);

  Ids homes_;                                // in order of logical id
  std::vector<std::uint16_t> home_numbers_;  // by node id: the place there; that of no home is homes()
  bool has_hn_s_ = false;
  Ids sn_fs_;
  Ids sbsxs_;
  Ids mtsxs_;
  Ids io_homes_;
  Ids dvm_targets_;
  Ids gateways_;
  Ids linked_;  // the linked ones of these
};

}  // namespace pmufab::scoreboard
