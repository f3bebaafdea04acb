// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include "models/pcie/configuration_space.h"
#include "models/pcie/message_signalled.h"
#include "tlm/bus/mmio_bus.h"
#include "tlm/interrupt/interrupt.h"

namespace pmufab::pcie {

/// Device/Port Type of the PCI Express Capabilities register.
enum class PortType : std::uint8_t {
  endpoint = 0,
  root_port = 4,
  switch_upstream_port = 5,
  switch_downstream_port = 6,
  root_complex_integrated_endpoint = 9,
};

/// A range of memory a function decodes.
struct BarParameters {
  std::uint64_t size = 0;     ///< bytes, a power of two from 4 KiB; 0: no such BAR
  bool wide = true;           ///< 64-bit address: takes the next BAR as well
  bool prefetchable = false;  ///< shown to software; no effect in the model
};

struct LinkParameters {
  unsigned speed = 5;      ///< encoding of the link registers: 1 is 2.5, 5 is 32, 6 is 64 GT/s
  unsigned width = 16;     ///< lanes
  bool flit_mode = false;  ///< as Link Status 2 shows it
};

struct FunctionParameters {
  std::uint16_t vendor_id = 0;
  std::uint16_t device_id = 0;
  std::uint8_t revision_id = 0;
  std::uint32_t class_code = 0;  ///< 24 bits: base class, sub class, programming interface
  std::uint16_t subsystem_vendor_id = 0;
  std::uint16_t subsystem_id = 0;
  PortType type = PortType::endpoint;  ///< ports have a type 1 header (two BARs), all others type 0
  bool multi_function = false;         ///< the device has further functions
  bool function_level_reset = true;    ///< ports never have it
  LinkParameters link{};
  std::array<BarParameters, 6> bars{};
  std::optional<MsiXParameters> msi_x{};
  std::optional<MsiParameters> msi{};
  std::optional<std::uint64_t> serial_number{};  ///< value of the Device Serial Number capability
};

/// One function of a PCI Express device or port: configuration space, BARs, message-signalled interrupts.
///
/// Firmware maps each BAR's socket() as a window of a bus and calls assign_bar() with the window's address. An access
/// arrives with an address relative to the BAR. It is an unsupported request while the command register's Memory Space
/// Enable is 0 or the BAR does not hold the assigned address. Then reads give all ones with TLM_OK_RESPONSE, as a root
/// complex completes them, writes are dropped, Device Status records it, and each place is reported once
/// (kGuestErrorReport). Otherwise the target that map() put at that place of the BAR answers.
///
/// Configuration accesses come through Ecam, or in tests through space().write(). INTx, I/O space, power management
/// states other than D0 and error reporting capabilities are not modelled. The windows of a bridge do not gate
/// accesses.
class Function : public sc_core::sc_module {
 public:
  using ResetListener = std::function<void(ResetKind)>;

  /// @throws SpecError naming the impossible parameter
  Function(const sc_core::sc_module_name& name, const FunctionParameters& parameters);
  ~Function() override;

  [[nodiscard]] ConfigurationSpace& space() noexcept { return space_; }
  [[nodiscard]] const ConfigurationSpace& space() const noexcept { return space_; }
  /// The output of the function's messages.
  [[nodiscard]] MessageInterrupt& messages() noexcept { return messages_; }

  /// The socket of a BAR, for a bus window of bar_size(bar).
  /// @throws std::out_of_range if there is no such BAR
  [[nodiscard]] tlm::tlm_base_target_socket_b<64>& socket(unsigned bar);
  [[nodiscard]] std::uint64_t bar_size(unsigned bar) const;
  [[nodiscard]] bool has_bar(unsigned bar) const noexcept { return bar < bars_.size() && bars_[bar] != nullptr; }
  /// Put `target` at [offset, offset + size) of a BAR. Call it before elaboration ends. Places without a target answer
  /// TLM_ADDRESS_ERROR_RESPONSE.
  /// @throws std::invalid_argument if it overlaps another or leaves the BAR
  void map(unsigned bar, const std::string& what, std::uint64_t offset, std::uint64_t size,
           tlm::tlm_base_target_socket_b<64>& target);

  /// Firmware's part: write the address into the BAR. Repeat it after each conventional reset.
  /// @throws SpecError unless aligned to the size, and below 4 GiB for a 32-bit BAR
  void assign_bar(unsigned bar, std::uint64_t address);
  /// @return the address in the BAR at present.
  [[nodiscard]] std::uint64_t bar_address(unsigned bar) const;

  /// Ports: put a function on the bus below. Not owned.
  /// @param device 0 ... 31
  /// @param function 0 ... 7
  /// @throws SpecError if this is no port or the number is taken
  void attach(unsigned device, unsigned function, Function& below);
  /// @return the function with that number on the bus below, or nullptr.
  [[nodiscard]] Function* below(unsigned device, unsigned function) const noexcept;
  /// @return all functions on the bus below, ordered by number.
  [[nodiscard]] const std::map<unsigned, Function*>& below() const noexcept { return below_; }
  /// Firmware's part: write the bus numbers of a port. Repeat it after each conventional reset.
  void assign_buses(std::uint8_t primary, std::uint8_t secondary, std::uint8_t subordinate);
  /// Firmware's part: let it decode memory and send requests. Repeat it after each conventional reset.
  void enable() noexcept;
  [[nodiscard]] bool is_port() const noexcept { return port_; }

  /// Send an interrupt: the message of MSI-X if that is enabled, else that of MSI if that is enabled, else nothing.
  void signal(unsigned vector);
  /// @return the number of lost messages: neither MSI-X nor MSI enabled, no such vector, or not bus master.
  [[nodiscard]] std::uint64_t lost_messages() const noexcept { return lost_messages_; }
  [[nodiscard]] const MsiX* msi_x() const noexcept { return msi_x_.get(); }

  [[nodiscard]] bool memory_enabled() const noexcept { return (space_.read(0x04, 2) & 2) != 0; }
  [[nodiscard]] bool is_bus_master() const noexcept { return (space_.read(0x04, 2) & 4) != 0; }

  /// Set registers to their reset values, then call the listeners in order. A port's conventional reset continues
  /// below.
  void reset(ResetKind kind);
  void on_reset(ResetListener listener) { reset_listeners_.push_back(std::move(listener)); }

  /// @return the number of accesses answered as unsupported requests, repeated ones included.
  [[nodiscard]] std::uint64_t unsupported_requests() const noexcept { return unsupported_requests_; }

 private:
  struct Bar;
  void build_header(const FunctionParameters& parameters);
  void build_bars(const FunctionParameters& parameters);
  void build_express(const FunctionParameters& parameters);
  void build_messages(const FunctionParameters& parameters);
  void unsupported_request(const Bar& bar, tlm::tlm_generic_payload& payload, const char* reason);
  [[nodiscard]] Bar& bar_at(unsigned bar) const;

  ConfigurationSpace space_;
  MessageInterrupt messages_;
  const bool port_;
  unsigned express_ = 0;  // offset of the PCI Express capability
  std::array<std::unique_ptr<Bar>, 6> bars_;
  std::unique_ptr<MsiX> msi_x_;
  std::unique_ptr<Msi> msi_;
  std::map<unsigned, Function*> below_;  // by device * 8 + function
  std::vector<ResetListener> reset_listeners_;
  std::set<std::tuple<unsigned, std::uint64_t, unsigned, bool>> reported_;  // BAR, offset, length, write
  std::uint64_t unsupported_requests_ = 0;
  std::uint64_t lost_messages_ = 0;
};

}  // namespace pmufab::pcie
