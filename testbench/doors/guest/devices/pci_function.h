// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "testbench/doors/guest/devices/register_access.h"
#include "testbench/doors/vfio_user/function.h"

namespace pmufab::guest {

/// A PCI function of the platform as a virtual machine sees it. Accesses to configuration space and BARs become
/// accesses on the platform's bus, wherever the virtual machine has placed the BARs.
///
/// BARs stay where the platform's firmware put them. The function decodes them all the time, because accesses of the
/// virtual machine have passed its own bridges before. This class programs the MSI-X vectors, and gets their messages
/// back by message().
///
/// A port of the platform is shown as a function with the port's capabilities that is not a bridge: the virtual machine
/// has bridges of its own.
class PciFunction final : public vfio_user::Function {
 public:
  struct Place {
    std::uint64_t configuration;         ///< address of its configuration space
    std::uint64_t doorbell;              ///< address of its messages
    std::uint32_t first_message;         ///< data of the message of vector 0
    std::vector<std::uint64_t> sizes{};  ///< of BARs, by number; 0: no BAR, or the upper half of the one before
  };

  /// Takes the function over from the platform's firmware. To be constructed in a SystemC thread process.
  PciFunction(RegisterAccess& registers, Place place);

  [[nodiscard]] std::uint64_t region_size(unsigned index) const override;
  [[nodiscard]] unsigned interrupts(unsigned kind) const override;
  bool read(unsigned region, std::uint64_t offset, std::span<std::uint8_t> data) override;
  bool write(unsigned region, std::uint64_t offset, std::span<const std::uint8_t> data) override;
  void reset() override;
  void connected(vfio_user::Client* client) override { client_ = client; }

  /// The platform sent a message with this data to the doorbell. @return false if it is not one of this function
  bool message(std::uint32_t data);

 private:
  static constexpr unsigned kBars = 6;
  static constexpr std::uint64_t kSpace = 4096;

  [[nodiscard]] std::uint32_t get(std::uint64_t offset, unsigned bytes);
  void put(std::uint64_t offset, unsigned bytes, std::uint32_t value);
  void find_bars();
  void find_capabilities();
  void program_messages();
  void restore();
  [[nodiscard]] bool is_hidden(std::uint64_t offset) const;
  [[nodiscard]] std::uint8_t shown_byte(std::uint64_t offset);

  RegisterAccess& registers_;
  Place place_;
  vfio_user::Client* client_ = nullptr;
  std::array<std::uint32_t, kBars> assigned_{};  // BARs as the platform's firmware left them
  std::array<std::uint32_t, kBars> shown_{};     // BARs as the virtual machine wrote them
  std::array<std::uint64_t, kBars> base_{};
  bool is_port_ = false;
  unsigned express_ = 0;  // offset of the PCI Express capability
  unsigned msi_x_ = 0;    // offset of the MSI-X capability
  unsigned vectors_ = 0;
  std::uint64_t table_ = 0;  // address of the MSI-X table
};

}  // namespace pmufab::guest
