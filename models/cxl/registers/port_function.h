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

/// What the designer of a port may choose.
struct PortParameters {
  pcie::PortType type = pcie::PortType::root_port;
  std::uint16_t vendor_id = 0x1e98;
  std::uint16_t device_id = 0x0010;
  std::uint8_t number = 0;  ///< port number of the link capabilities: what target lists of decoders name
  pcie::LinkParameters link{};
  unsigned cpmus = 0;             ///< 0 ... 32
  unsigned downstream_ports = 0;  ///< of an upstream port: of its switch, numbered from 0; it has 10 HDM decoders
};

/// The register side of a root port, or of an upstream or downstream port of a switch: a bridge function of class
/// 0x060400 with the DVSECs of CXL ports (extensions 3, GPF 4 where it faces down, flex bus 7, register locator 8), and
/// BAR 0 with the component registers, blocks for CPMUs, and the MSI-X table behind them (CXL 3.1, 8.1.5 ... 8.1.9). It
/// moves no messages: Link, Switch and Host do.
class PortFunction : public sc_core::sc_module {
 public:
  static constexpr unsigned kBar = 0;

  /// @throws SpecError naming the parameter that cannot be
  PortFunction(const sc_core::sc_module_name& name, const PortParameters& parameters);

  /// To be attached to an Ecam or a port; its BAR 0 wants a window of function().bar_size(0) bytes.
  [[nodiscard]] pcie::Function& function() noexcept { return function_; }
  [[nodiscard]] ComponentRegisters& component() noexcept { return component_; }

  /// Put a CPMU's registers behind the `instance`-th locator entry with id cpmu. Before elaboration ends.
  /// @throws SpecError if there is no such entry
  void attach_cpmu(unsigned instance, tlm::tlm_base_target_socket_b<64>& registers);
  /// Offset in the BAR of the registers of a CPMU, as the locator tells it.
  [[nodiscard]] static constexpr std::uint64_t cpmu_offset(unsigned instance) { return kBlock * (1 + instance); }
  /// Send the message with this number.
  void signal(unsigned message) { function_.signal(message); }

  /// Firmware: the addresses behind the port, for software that looks. A multiple of 1 MiB each; size 0: none.
  void assign_window(std::uint64_t base, std::uint64_t size);
  /// Keep `map` as the decoders are, from now on. @param map  not owned, must outlive the port
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
