// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <systemc>
#include <tlm>

#include "models/cxl/memory/hdm_map.h"
#include "models/cxl/registers/component_registers.h"
#include "models/cxl/registers/device_registers.h"
#include "models/cxl/registers/memory_device_commands.h"
#include "models/cxl/registers/type3_parameters.h"
#include "models/pcie/data_object_exchange.h"
#include "models/pcie/function.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::cxl {

/// The Coherent Device Attribute Table (CDAT 1.03) of a memory expander: its ranges of memory (DSMAS) and what they are
/// to be used for (DSEMTS). Latencies and bandwidths (DSLBIS) are not in it: they depend on the traffic.
class AttributeTable {
 public:
  static constexpr std::uint8_t kTableAccess = 2;  ///< type of its data objects, vendor 0x1e98 (CXL 3.1, 8.1.11)

  explicit AttributeTable(const MemoryCommandsParameters& memory);

  /// The protocol Table Access: read the entry that the request names.
  /// @return nothing if there is no such entry
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> read(std::span<const std::uint32_t> request) const;

 private:
  std::vector<std::vector<std::uint32_t>> entries_;  // the first is the header
};

/// The register side of a memory expander (CXL Type 3): one PCI Express function of class 0x050210 with the CXL device
/// and register locator DVSECs. BAR 0 holds the component registers, the device registers, blocks for CPMUs, and behind
/// them the MSI-X table. Links and memory controllers are separate modules; they call decode().
class Type3Device : public sc_core::sc_module {
 public:
  static constexpr unsigned kBar = 0;

  /// @throws SpecError naming the impossible parameter
  Type3Device(const sc_core::sc_module_name& name, const Type3Parameters& parameters);
  ~Type3Device() override;

  /// @return the function, to be attached to an Ecam or a port. Its BAR 0 needs a window of function().bar_size(0)
  ///         bytes.
  [[nodiscard]] pcie::Function& function() noexcept { return function_; }

  /// Put a CPMU's registers behind the `instance`-th locator entry with id cpmu. If that entry has no place
  /// (RegisterBlock::offset), nothing reaches them. The CPMU's messages go through signal(). Call it before elaboration
  /// ends.
  /// @param size  bytes of the registers, up to 64 KiB
  /// @throws SpecError if there is no such entry
  void attach_cpmu(unsigned instance, tlm::tlm_base_target_socket_b<64>& registers, std::uint64_t size = 0x1000);
  /// @return the number of locator entries with id cpmu.
  [[nodiscard]] unsigned cpmu_blocks() const noexcept;
  /// @return the offset in the BAR of an entry of Type3Parameters::blocks, as in the locator.
  [[nodiscard]] std::uint64_t block_offset(unsigned entry) const { return offsets_.at(entry); }

  /// Send the message with this number (MSI-X vector, or MSI offset).
  void signal(unsigned message) { function_.signal(message); }

  /// @return the HDM decoder that claims a host physical address, if memory is enabled (Mem_Enable of the CXL device
  ///         DVSEC).
  [[nodiscard]] std::optional<DecodedAddress> decode(std::uint64_t address) const noexcept {
    return memory_enabled() ? component_->decode(address) : std::nullopt;
  }
  [[nodiscard]] bool memory_enabled() const noexcept {
    return (function_.space().read(device_dvsec_ + 0xc, 2) & 4) != 0;
  }
  /// Keep `map` equal to decode() from now on, for links and controllers with their own map.
  /// @param map  not owned, must outlive the device
  void follow(HdmMap& map);
  /// Firmware's part: program and commit a decoder, and enable memory. Repeat it after each reset.
  /// @throws SpecError as ComponentRegisters::program does
  void program_decoder(unsigned decoder, const HdmDecoderSettings& settings);

  [[nodiscard]] ComponentRegisters& component() noexcept { return *component_; }
  [[nodiscard]] DeviceRegisters& device() noexcept { return *device_; }
  [[nodiscard]] MemoryDeviceCommands& commands() noexcept { return commands_; }

  /// Add a record to an event log, at sc_time_stamp(), and send the interrupt if software wants one.
  void add_event(EventLog log, const EventRecord& record);

  [[nodiscard]] const Type3Parameters& parameters() const noexcept { return parameters_; }

 private:
  struct Layout;
  struct Nowhere;
  Type3Device(const sc_core::sc_module_name& name, const Type3Parameters& parameters, const Layout& layout);
  void add_device_dvsec();
  void add_register_locator();
  void add_port_dvsecs();
  void add_data_object_exchange();
  void reset(pcie::ResetKind kind);
  void become_ready();
  void show_media();
  void update_maps() const;

  const Type3Parameters parameters_;
  std::vector<std::uint64_t> offsets_;  // by entry
  std::vector<bool> placed_;            // by entry: it has a place in the BAR
  pcie::Function function_;
  MemoryDeviceCommands commands_;
  AttributeTable attributes_;
  std::unique_ptr<pcie::DataObjectExchange> exchange_;
  std::unique_ptr<ComponentRegisters> component_;
  std::unique_ptr<DeviceRegisters> device_;
  std::vector<std::unique_ptr<Nowhere>> unreachable_;  // bound to CPMUs without a place
  std::vector<HdmMap*> maps_;
  unsigned device_dvsec_ = 0;
  bool media_ready_ = false;
  bool mailbox_ready_ = false;
  Picoseconds reset_at_ = 0;
  sc_core::sc_event ready_event_;
};

}  // namespace pmufab::cxl
