// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "models/pcie/configuration_space.h"
#include "testbench/doors/guest/devices/aperture.h"
#include "testbench/doors/guest/devices/register_access.h"
#include "testbench/doors/vfio_user/function.h"
#include "testbench/doors/vfio_user/protocol.h"

namespace pmufab::guest {

/// The protocol between guest and host in the first page of the aperture, in words of 32 bits.
namespace control_page {
inline constexpr std::uint64_t kMagic = 0x0;    ///< Aperture::kMagic
inline constexpr std::uint64_t kVersion = 0x4;  ///< Aperture::kVersion
/// Written by the guest: 1 before it brings up other CPUs than the first, 2 after its command. Other values mean nothing.
/// Reads tell how often the machine will still halt before those CPUs may come; without a clock by instructions 0.
inline constexpr std::uint64_t kPhase = 0x8;
inline constexpr std::uint32_t kMoreCpus = 1;
inline constexpr std::uint32_t kDone = 2;
/// State of the traffic: 0 not begun, 1 under way, 2 at its end. Writing 1 begins it.
inline constexpr std::uint64_t kTraffic = 0xc;
}  // namespace control_page

/// The PCI function whose BAR 0 is the aperture: 1d1d:4d46, conventional PCI, without a class.
class SocFunction final : public vfio_user::Function {
 public:
  static constexpr std::uint16_t kVendor = 0x1d1d;
  static constexpr std::uint16_t kDevice = 0x4d46;
  /// Handlers for writes and reads of the control page.
  struct Control {
    std::function<void(std::uint64_t offset, std::uint32_t value)> write;
    std::function<std::uint32_t(std::uint64_t offset)> read;
  };

  SocFunction(const Aperture& aperture, RegisterAccess& registers, Control control);

  [[nodiscard]] std::uint64_t region_size(unsigned index) const override;
  [[nodiscard]] unsigned interrupts(unsigned /*kind*/) const override { return 0; }
  bool read(unsigned region, std::uint64_t offset, std::span<std::uint8_t> data) override;
  bool write(unsigned region, std::uint64_t offset, std::span<const std::uint8_t> data) override;
  void reset() override { space_.reset(pcie::ResetKind::conventional); }
  void connected(vfio_user::Client* client) override { client_ = client; }

  /// @return the client; nullptr if there is none, or it does not let this function be bus master
  [[nodiscard]] vfio_user::Client* bus_master() const;

 private:
  const Aperture& aperture_;
  RegisterAccess& registers_;
  Control control_;
  pcie::ConfigurationSpace space_;
  vfio_user::Client* client_ = nullptr;
};

}  // namespace pmufab::guest
