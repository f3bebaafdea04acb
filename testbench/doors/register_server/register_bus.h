// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace pmufab::register_server {

/// Accesses to any number of bytes as accesses of a bus.
///
/// An aligned access of 1, 2, 4 or 8 bytes is one access of the bus. Any other is taken apart from its beginning: each
/// part is as long as its alignment and what is left allow, and of 8 bytes only where a register of 8 bytes begins. What
/// lies before the first part that the bus refuses is done.
class RegisterBus {
 public:
  /// One access of the bus: its length is 1, 2, 4 or 8 bytes. @return false if the bus refuses it
  using Access = std::function<bool(std::uint64_t address, unsigned length, bool is_write, std::uint64_t& value)>;
  /// @return true if a register of 8 bytes begins at an address
  using IsWide = std::function<bool(std::uint64_t address)>;

  RegisterBus(Access access, IsWide is_wide);

  /// @return how many bytes were read, or written
  std::size_t read(std::uint64_t address, std::span<std::uint8_t> bytes) const;
  std::size_t write(std::uint64_t address, std::span<const std::uint8_t> bytes) const;

 private:
  [[nodiscard]] unsigned part(std::uint64_t address, std::size_t left) const;
  template <typename Part>
  std::size_t for_parts(std::uint64_t address, std::size_t size, Part part_of) const;

  Access access_;
  IsWide is_wide_;
};

}  // namespace pmufab::register_server
