// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/cmn/description/topology.h"
#include "tlm/registers/register_spec.h"

namespace pmufab::cmn {

/// The register maps of a product's nodes. Registers of DTMs are separate from the XP's: see kDtmWindow.
///
/// Every register is 64 bits wide. Software accesses registers whole and in halves.
class NodeRegisters {
 public:
  /// @param unit_info  offset of an XP's DTM unit info; 0: absent
  NodeRegisters(Product product, unsigned revision, std::uint32_t unit_info);
  NodeRegisters& operator=(NodeRegisters&&) = delete;

  [[nodiscard]] std::span<const RegisterSpec> cfg() const noexcept { return cfg_; }
  [[nodiscard]] std::span<const RegisterSpec> xp() const noexcept { return xp_; }
  /// @return the offset of an XP's por_mxp_p<port>_info; 0: absent, or the DTM unit info lies there
  [[nodiscard]] std::uint32_t port_info(unsigned port) const noexcept;
  /// @return registers of a DTM. Offsets are relative to the XP's DTM base plus kDtmStride for each earlier DTM.
  [[nodiscard]] std::span<const RegisterSpec> dtm() const noexcept { return dtm_; }
  [[nodiscard]] std::span<const RegisterSpec> dtc() const noexcept { return dtc_; }
  /// @return registers of any other node. The map of a type is made on first use.
  [[nodiscard]] std::span<const RegisterSpec> node(NodeType type);

 private:
  std::string_view keep(std::string text);
  std::span<const FieldSpec> keep(std::vector<FieldSpec> fields);
  [[nodiscard]] std::vector<RegisterSpec> discovery(std::string_view unit, bool children);
  void make_cfg();
  void make_xp();
  void make_dtm();
  void make_dtc();
  [[nodiscard]] RegisterSpec event_select(std::string_view name, std::uint32_t offset, NodeType events);

  Product product_;
  unsigned revision_;
  const ProductFacts& facts_;
  std::uint32_t unit_info_;
  std::deque<std::string> texts_;
  std::deque<std::vector<FieldSpec>> fields_;
  std::vector<RegisterSpec> cfg_;
  std::vector<RegisterSpec> xp_;
  std::vector<RegisterSpec> dtm_;
  std::vector<RegisterSpec> dtc_;
  std::map<NodeType, std::vector<RegisterSpec>> nodes_;
};

/// The part of an XP's window, from the base of a DTM, in which that DTM's own registers lie: [begin, begin + stride).
inline constexpr std::uint32_t kDtmWindow = 0x100;
inline constexpr unsigned kChildPointerRoom = 32;  ///< per XP; CFG has one for each possible XP

}  // namespace pmufab::cmn
