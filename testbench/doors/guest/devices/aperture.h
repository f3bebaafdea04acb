// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tlm/firmware/firmware_description.h"

namespace pmufab::guest {

/// The window in which a virtual machine sees the registers of a platform's devices.
///
/// The platform's firmware spreads them over many terabytes. The virtual machine has one window for all of them, a BAR
/// of the function SocFunction. They are packed into it in the order in which firmware describes them. The first page
/// holds pmufab's own control registers (control_page).
class Aperture {
 public:
  static constexpr std::uint64_t kPage = 0x1000;
  /// 32 bits at offset 0: "PMUF". If the window is not decoded, a read gives all ones.
  static constexpr std::uint32_t kMagic = 0x4655'4d50;
  /// The version of the aperture, and of everything else that pmufab and the guest's init exchange. `protocol` in
  /// tools/guest/init has the same value.
  static constexpr std::uint32_t kVersion = 1;

  /// Registers of one device.
  struct Window {
    std::string name;        ///< of the device
    std::uint64_t platform;  ///< address on the platform
    std::uint64_t size;      ///< bytes
    std::uint64_t offset;    ///< in the aperture
  };

  explicit Aperture(const platform::FirmwareDescription& firmware);

  /// @return bytes, a power of two
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// In ascending order of offsets.
  [[nodiscard]] const std::vector<Window>& windows() const noexcept { return windows_; }
  /// @return the offset in the aperture of an address of the platform; nothing if it is in no window
  [[nodiscard]] std::optional<std::uint64_t> offset_of(std::uint64_t platform) const;
  /// @return the platform's address of [offset, offset + bytes); nothing unless that is within one window
  [[nodiscard]] std::optional<std::uint64_t> platform_address(std::uint64_t offset, std::uint64_t bytes) const;

 private:
  void add(const std::string& name, std::uint64_t base, std::uint64_t bytes);

  std::vector<Window> windows_;
  std::uint64_t size_ = kPage;
};

}  // namespace pmufab::guest
