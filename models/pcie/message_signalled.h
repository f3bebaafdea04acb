// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include "models/pcie/configuration_space.h"
#include "tlm/clock/clock_domain.h"
#include "tlm/interrupt/interrupt.h"
#include "tlm/registers/register_bank.h"

namespace pmufab::pcie {

/// Parameters of a function's MSI-X capability.
struct MsiXParameters {
  unsigned vectors = 16;     ///< entries of the table, 1 ... 2048
  unsigned bar = 0;          ///< the BAR that holds table and pending bit array
  std::uint32_t offset = 0;  ///< their place in the BAR, MsiX::window_size() bytes, aligned to 4 KiB
};

/// Parameters of a function's MSI capability: 64-bit address, mask per vector.
struct MsiParameters {
  unsigned vectors = 1;  ///< 1, 2, 4, 8, 16 or 32
};

/// MSI-X of one function: the capability, and behind the socket the table and the pending bit array (PCI Express base
/// specification, "MSI-X Capability and Table Structure").
///
/// An entry is 16 bytes from offset 0: address, upper address, data, vector control (bit 0: masked; set after reset).
/// Accesses are 4 or 8 bytes, aligned. The pending bit array follows at pending_offset().
class MsiX : public sc_core::sc_module {
 public:
  /// Adds the capability to `space`.
  /// @throws SpecError for impossible parameters
  MsiX(const sc_core::sc_module_name& name, const MsiXParameters& parameters, ConfigurationSpace& space,
       MessageInterrupt& messages);

  tlm_utils::simple_target_socket<MsiX, 64> socket;

  [[nodiscard]] bool enabled() const noexcept;
  /// Send the vector's message at sc_time_stamp(), or keep it pending while the vector or the function is masked. It is
  /// lost unless enabled() and the function is bus master.
  /// @return true if it was sent or is pending
  bool signal(unsigned vector);
  [[nodiscard]] bool pending(unsigned vector) const;

  /// Reset the table and clear all pending bits. The capability is reset with the configuration space.
  void reset();

  /// @return the bytes of BAR that `vectors` entries and their pending bits take.
  static std::uint32_t window_size(unsigned vectors) noexcept;
  static std::uint32_t pending_offset(unsigned vectors) noexcept;
  [[nodiscard]] const RegisterBank& bank() const noexcept { return bank_; }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) { bank_.b_transport(payload, delay); }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) { return bank_.transport_dbg(payload); }
  [[nodiscard]] bool masked(unsigned vector) const;
  void send(unsigned vector);
  void set_pending(unsigned vector, bool pending);
  void function_written(Picoseconds when);
  void flush();

  const unsigned vectors_;
  ConfigurationSpace& space_;
  MessageInterrupt& messages_;
  std::array<RegisterSpec, 3> registers_;
  RegisterBank bank_;
  RegisterId address_, data_, pending_;
  unsigned control_;  // offset of the capability's message control in configuration space
  // A bus master that runs ahead of sc_time_stamp() also unmasks ahead of it. Until that time, messages stay pending.
  std::vector<Picoseconds> open_at_;  // by vector: the time from which an unmasked vector is open
  Picoseconds function_open_at_ = 0;
  bool function_open_ = false;
  sc_core::sc_event flush_event_;
};

/// MSI of one function. Everything is in the capability; there is no table.
class Msi {
 public:
  /// Adds the capability to `space`.
  /// @throws SpecError unless vectors is 1, 2, 4, 8, 16 or 32
  Msi(const MsiParameters& parameters, ConfigurationSpace& space, MessageInterrupt& messages);

  [[nodiscard]] bool enabled() const noexcept;
  /// Send a message at sc_time_stamp(). Its vector is `vector` modulo the number of vectors that software enabled. The
  /// message stays pending while masked, and is lost unless enabled() and the function is bus master.
  /// @return true if it was sent or is pending
  bool signal(unsigned vector);

 private:
  void send(unsigned vector);
  void flush();

  ConfigurationSpace& space_;
  MessageInterrupt& messages_;
  unsigned capability_;
};

}  // namespace pmufab::pcie
