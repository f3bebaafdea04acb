// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <tuple>

#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include "models/pcie/function.h"

namespace pmufab::pcie {

/// The enhanced configuration access mechanism of one segment: turns memory accesses into configuration accesses.
///
/// The payload's address is relative to the base of the first bus: bus [27:20], device [19:15], function [14:12],
/// register [11:0]. If bus 0 of the segment would be at B and the first bus is b, the window begins at B + b * 1 MiB. A
/// bus below a port is reached by the secondary and subordinate bus numbers in the port's header.
///
/// Accesses are 1, 2 or 4 bytes, aligned. Errors, each reported once per place:
/// - another size, or an unaligned access: TLM_BURST_ERROR_RESPONSE
/// - byte enables: TLM_BYTE_ENABLE_ERROR_RESPONSE
/// - an address beyond the last bus: TLM_ADDRESS_ERROR_RESPONSE
///
/// Functions that do not exist read all ones and drop writes, with TLM_OK_RESPONSE and without a report, because
/// enumeration probes them.
class Ecam : public sc_core::sc_module {
 public:
  /// @param first_bus  first bus of the segment; functions attached here are on it
  /// @param last_bus   not below the first
  /// @throws SpecError for an impossible range
  explicit Ecam(const sc_core::sc_module_name& name, std::uint8_t first_bus = 0, std::uint8_t last_bus = 255);

  tlm_utils::simple_target_socket<Ecam, 64> socket;

  /// Put a function on the first bus. Not owned.
  /// @throws SpecError if the number is taken or impossible
  void attach(unsigned device, unsigned function, Function& what);

  /// @return the size of its window in bytes: 1 MiB for each bus.
  [[nodiscard]] std::uint64_t size() const noexcept { return std::uint64_t{last_bus_ - first_bus_ + 1U} << 20; }
  [[nodiscard]] std::uint8_t first_bus() const noexcept { return first_bus_; }
  [[nodiscard]] std::uint8_t last_bus() const noexcept { return last_bus_; }

  /// @return the function that answers to these numbers at present, or nullptr.
  [[nodiscard]] Function* find(unsigned bus, unsigned device, unsigned function) const noexcept;
  /// Reset every function of the segment.
  void reset(ResetKind kind);

  [[nodiscard]] std::uint64_t guest_errors() const noexcept { return guest_errors_; }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);
  [[nodiscard]] Function* decode(std::uint64_t address) const noexcept;
  void guest_error(tlm::tlm_generic_payload& payload, tlm::tlm_response_status status, const char* what);

  const std::uint8_t first_bus_;
  const std::uint8_t last_bus_;
  std::map<unsigned, Function*> functions_;  // those on the first bus, by device * 8 + function
  std::set<std::tuple<std::uint64_t, unsigned, int>> reported_;
  std::uint64_t guest_errors_ = 0;
};

}  // namespace pmufab::pcie
