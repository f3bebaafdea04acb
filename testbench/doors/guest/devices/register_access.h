// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace pmufab::guest {

/// Makes accesses of the virtual machine's CPUs on the platform's bus. To be used in a SystemC thread process.
class RegisterAccess {
 public:
  virtual ~RegisterAccess() = default;
  /// @param bytes  1, 2, 4 or 8. @return all ones where nothing answers
  [[nodiscard]] virtual std::uint64_t read(std::uint64_t address, unsigned bytes) = 0;
  virtual void write(std::uint64_t address, unsigned bytes, std::uint64_t value) = 0;
};

/// @return true if a CPU makes an access of this length at once
[[nodiscard]] constexpr bool is_one_access(std::size_t bytes) {
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

/// @return the length of the next aligned piece (4, 2 or 1 bytes) when a bus splits an access
[[nodiscard]] constexpr unsigned next_piece(std::uint64_t offset, std::size_t left) {
  unsigned bytes = 4;
  while (offset % bytes != 0 || bytes > left) bytes /= 2;
  return bytes;
}

[[nodiscard]] inline std::uint64_t to_number(std::span<const std::uint8_t> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) value |= std::uint64_t{bytes[i]} << 8 * i;
  return value;
}

inline void to_bytes(std::uint64_t value, std::span<std::uint8_t> bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(value >> 8 * i);
}

}  // namespace pmufab::guest
