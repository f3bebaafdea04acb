// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "tlm/registers/register_spec.h"

namespace pmufab::cxl {

/// Bytes of the CPMU register block that hold registers (CXL 3.1, 8.2.7.1).
inline constexpr std::uint32_t kCpmuRegisterBytes = 0xe00;
/// Size of a CPMU's window in a BAR, in bytes.
inline constexpr std::uint32_t kCpmuBlockSize = 0x1000;

/// The configuration register of a counter, decoded (CXL 3.1, 8.2.7.2.1).
struct CounterConfiguration {
  static constexpr std::uint64_t kType = 0x3;
  static constexpr std::uint64_t kEnable = std::uint64_t{1} << 8;
  static constexpr std::uint64_t kInterrupt = std::uint64_t{1} << 9;
  static constexpr std::uint64_t kGlobalFreeze = std::uint64_t{1} << 10;
  static constexpr std::uint64_t kEdge = std::uint64_t{1} << 11;
  static constexpr std::uint64_t kInvert = std::uint64_t{1} << 12;
  static constexpr unsigned kThresholdShift = 16;
  static constexpr unsigned kEventsShift = 24;
  static constexpr unsigned kGroupShift = 59;
  /// The bits that software can write on a configurable counter.
  static constexpr std::uint64_t kProgram = kEdge | kInvert | std::uint64_t{0xff} << kThresholdShift |
                                            std::uint64_t{0xffff'ffff} << kEventsShift |
                                            std::uint64_t{0x1f} << kGroupShift;

  explicit constexpr CounterConfiguration(std::uint64_t register_value) : value(register_value) {}
  [[nodiscard]] constexpr bool enable() const noexcept { return (value & kEnable) != 0; }
  [[nodiscard]] constexpr bool interrupt() const noexcept { return (value & kInterrupt) != 0; }
  [[nodiscard]] constexpr bool global_freeze() const noexcept { return (value & kGlobalFreeze) != 0; }
  [[nodiscard]] constexpr bool edge() const noexcept { return (value & kEdge) != 0; }
  [[nodiscard]] constexpr bool invert() const noexcept { return (value & kInvert) != 0; }
  [[nodiscard]] constexpr unsigned threshold() const noexcept { return value >> kThresholdShift & 0xff; }
  [[nodiscard]] constexpr std::uint32_t events() const noexcept {
    return static_cast<std::uint32_t>(value >> kEventsShift);
  }
  [[nodiscard]] constexpr unsigned group() const noexcept { return static_cast<unsigned>(value >> kGroupShift); }

  std::uint64_t value;
};

/// @return the registers of the largest possible CPMU.
[[nodiscard]] std::span<const RegisterSpec> cpmu_registers();

}  // namespace pmufab::cxl
