// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <systemc>
#include <tlm>

#include "models/cxl/memory/hdm_map.h"
#include "models/cxl/registers/component_registers.h"
#include "models/pcie/function.h"

namespace pmufab::cxl {

/// The design choices of a port.
struct PortParameters {
  pcie::PortType type = pcie::PortType::root_port;
  std::uint16_t vendor_id = 0x1e98;
  std::uint16_t device_id = 0x0010;
  std::uint8_t number = 0;  ///< port number of the link capabilities; target lists of decoders use it
  pcie::LinkParameters link{};
  unsigned cpmus = 0;             ///< 0 ... 32
  unsigned downstream_ports = 0;  ///< for an upstream port: ports of its switch, from 0 on; it has 10 HDM decoders
};

/// The register side of a root port, or of an upstream or downstream port of a switch. It is a bridge function of class
/// 0x060400 with the DVSECs of CXL ports (extensions 3, GPF 4 if it faces down, flex bus 7, register locator 8). BAR 0
/// holds the component registers, blocks for CPMUs, and behind them the MSI-X table (CXL 3.1, 8.1.5 ... 8.1.9). It
/// moves no messages: Link, Switch and Host do.
class PortFunction : public sc_core::sc_module {
 public:
  static constexpr unsigned kBar = 0;

  /// @throws SpecError naming the impossible parameter
  PortFunction(const sc_core::sc_module_name& name, const PortParameters& parameters);

  /// @return the function, to be attached to an Ecam or a port. Its BAR 0 needs a window of function().bar_size(0)
  ///         bytes.
  [[nodiscard]] pcie::Function& function() noexcept { return function_; }
  [[nodiscard]] ComponentRegisters& component() noexcept { return component_; }

  /// Put a CPMU's registers behind the `instance`-th locator entry with id cpmu. Call it before elaboration ends.
  /// @throws SpecError if there is no such entry
  void attach_cpmu(unsigned instance, tlm::tlm_base_target_socket_b<64>& registers);
  /// @return the offset of a CPMU's registers in the BAR, as in the locator.
  [[nodiscard]] static constexpr std::uint64_t cpmu_offset(unsigned instance) { return kBlock * (1 + instance); }
  /// Send the message with this number.
  void signal(unsigned message) { function_.signal(message); }

  /// Firmware's part: set the range of addresses behind the port, for software to read. Multiples of 1 MiB; size 0:
  /// none.
  void assign_window(std::uint64_t base, std::uint64_t size);
  /// Keep `map` equal to the decoders from now on.
  /// @param map  not owned, must outlive the port
  void follow(HdmMap& map);

 private:
  static constexpr std::uint64_t kBlock = 0x1'0000;

  void add_port_dvsecs(const PortParameters& parameters);
  void add_register_locator();

  const unsigned cpmus_;
  pcie::Function function_;
  ComponentRegisters component_;
};

}  // namespace pmufab::cxl
