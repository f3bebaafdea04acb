// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include "models/cmn/description/layout.h"
#include "models/cmn/description/node_registers.h"
#include "models/cmn/description/topology.h"
#include "tlm/clock/clock_domain.h"
#include "tlm/registers/register_bank.h"

namespace pmufab::cmn {

/// A bank of registers and its place.
struct PlacedBank {
  const RegisterBank* bank;
  std::uint64_t offset;  ///< from PERIPHBASE
};

/// The configuration space of a mesh: one register window per node, behind one target socket.
///
/// The payload's address is relative to PERIPHBASE. Within a node, a place without a register reads zero. An access to
/// a window without a node, or of an external or isolated node, answers TLM_ADDRESS_ERROR_RESPONSE and is reported once
/// per place (kGuestErrorReport). Here registers only store; Pmu adds their behaviour.
class ConfigSpace : public sc_core::sc_module {
 public:
  /// @param topology  must pass check()
  /// @param instance  first part of the banks' names: "cmn0" makes "cmn0.hnf5"
  /// @param latency   added to the delay of each access
  ConfigSpace(const sc_core::sc_module_name& name, const std::string& instance, const Topology& topology,
              const Layout& layout, Picoseconds latency = 0);
  ~ConfigSpace() override;

  tlm_utils::simple_target_socket<ConfigSpace, 64> socket;

  /// @param node  index in Layout::nodes(), of a node that is not closed
  [[nodiscard]] RegisterBank& node(unsigned node) { return *banks_.at(node); }
  /// @return the map of a node's registers.
  /// @param node  as above, but not CFG, XP or DTC
  [[nodiscard]] std::span<const RegisterSpec> registers_of(unsigned node) {
    return registers_.node(layout_.nodes()[node].type);
  }
  [[nodiscard]] bool has_bank(unsigned node) const { return banks_.at(node) != nullptr; }
  [[nodiscard]] RegisterBank& dtm(unsigned dtm) { return *dtm_banks_.at(dtm); }

  /// Set every register to its reset value. State derived from registers belongs to Pmu: reset that instead, it calls
  /// this.
  void reset();

  /// @return the number of guest errors, repeated ones included.
  [[nodiscard]] std::uint64_t guest_errors() const;
  /// @return banks in order of address; an XP's DTMs follow the XP.
  [[nodiscard]] std::vector<PlacedBank> banks() const;
  /// Print the values of one bank, or of all if the name is empty.
  /// @return false if there is no bank of that name.
  bool dump_text(std::ostream& out, Picoseconds when, const std::string& bank = {}) const;

 private:
  struct Target {
    RegisterBank* bank;  // nullptr: none
    std::uint64_t offset;
  };
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);
  [[nodiscard]] Target decode(std::uint64_t address) const;
  void guest_error(const tlm::tlm_generic_payload& payload, std::uint64_t address);
  void build(const std::string& instance, Picoseconds latency);
  void fill_cfg(const Topology& topology);
  void fill_xp(const Topology& topology, unsigned xp);

  const ProductFacts& facts_;
  const Layout& layout_;
  NodeRegisters registers_;
  std::vector<std::unique_ptr<RegisterBank>> banks_;      // by node; null for closed ones
  std::vector<std::unique_ptr<RegisterBank>> dtm_banks_;  // by DTM
  std::vector<std::uint16_t> windows_;                    // by window: its node
  std::set<std::tuple<std::uint64_t, unsigned, bool>> reported_;
  std::uint64_t guest_errors_ = 0;
};

}  // namespace pmufab::cmn
