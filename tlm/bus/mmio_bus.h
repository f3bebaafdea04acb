// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include "tlm/clock/clock_domain.h"

namespace pmufab {

/// Decodes physical addresses to register windows. The address it forwards is relative to the window.
///
/// An access that does not lie whole in one window answers TLM_ADDRESS_ERROR_RESPONSE and is reported once per place
/// (kGuestErrorReport). Windows must not overlap.
class MmioBus : public sc_core::sc_module {
 public:
  /// One completed access, as a bus monitor sees it.
  struct BusAccess {
    Picoseconds when;       ///< instant at which the device acted on it: sc_time_stamp() plus the access's delay
    std::uint64_t address;  ///< physical
    std::uint64_t data;     ///< little endian, the first 8 of `length` bytes; 0 for a failed read
    unsigned length;
    bool is_write;
    bool ok;  ///< TLM_OK_RESPONSE
  };
  using Monitor = std::function<void(const BusAccess&)>;

  struct Window {
    std::string name;
    std::uint64_t base;
    std::uint64_t size;
  };

  explicit MmioBus(const sc_core::sc_module_name& name);
  ~MmioBus() override;

  /// Bind `target` behind [base, base + size). Call it before elaboration ends.
  /// @throws std::invalid_argument if the window is empty, wraps, or overlaps another (both are named)
  void map(const std::string& window, std::uint64_t base, std::uint64_t size,
           tlm::tlm_base_target_socket_b<64>& target);

  /// Report accesses to places that were reported already again.
  void reset() { reported_.clear(); }

  /// Call `monitor` after every completed non-debug access. Monitors are called in the order of installation.
  void monitor(Monitor monitor);

  [[nodiscard]] std::vector<Window> windows() const;

  /// @return the physical address of the latest access that is no debug access; 0 before the first. While a device
  ///         answers, it is the access it answers.
  [[nodiscard]] std::uint64_t latest_address() const noexcept { return latest_; }

  tlm_utils::simple_target_socket<MmioBus, 64> socket;

 private:
  struct Port;
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);
  Port* decode(std::uint64_t address, unsigned length) noexcept;
  void report_unmapped(const tlm::tlm_generic_payload& payload);

  std::vector<std::unique_ptr<Port>> ports_;  // sorted by base
  Port* last_ = nullptr;
  std::uint64_t latest_ = 0;
  std::vector<Monitor> monitors_;
  std::set<std::pair<std::uint64_t, unsigned>> reported_;  // address, length
};

}  // namespace pmufab
