// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace pmufab {

/// What software can do to a field.
enum class Access : std::uint8_t {
  rw,             ///< reads back what was written
  ro,             ///< writes ignored
  w1c,            ///< writing one clears the bit, zero leaves it
  w1s,            ///< writing one sets the bit, zero leaves it
  w0c,            ///< writing zero clears the bit; the owner's hook does so
  rc,             ///< reading clears; writes ignored; the owner does so
  wo,             ///< reads zero; only the hook sees the written value
  raz_wi,         ///< reads zero, writes ignored
  reserved,       ///< as raz_wi; the specification reserves it
  unimplemented,  ///< as raz_wi; the real part has this field and the model does not: setting a bit is reported once
};

/// @return the enumerator's name, for example "w1c".
constexpr std::string_view to_string(Access access) noexcept {
  switch (access) {
    case Access::rw:
      return "rw";
    case Access::ro:
      return "ro";
    case Access::w1c:
      return "w1c";
    case Access::w1s:
      return "w1s";
    case Access::w0c:
      return "w0c";
    case Access::rc:
      return "rc";
    case Access::wo:
      return "wo";
    case Access::raz_wi:
      return "raz_wi";
    case Access::reserved:
      return "reserved";
    case Access::unimplemented:
      return "unimplemented";
  }
  return "?";
}

/// @return a value with the `width` lowest bits set; from 64 on all
constexpr std::uint64_t low_bits(unsigned width) noexcept {
  return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

/// One field of a register.
struct FieldSpec {
  std::string_view name;  ///< as the specification writes it
  std::uint8_t lsb;       ///< position of the lowest bit
  std::uint8_t width;     ///< 1 ... 64 bits
  Access access;
  std::uint64_t reset = 0;        ///< value of the field (not shifted) after reset
  std::string_view meaning = {};  ///< one phrase, for dumps
};

/// One register, or an array of them. Bits that no field covers are reserved.
struct RegisterSpec {
  std::string_view name;  ///< as the specification writes it
  std::uint32_t offset;   ///< bytes from the start of the bank, of element 0
  std::uint8_t width;     ///< 32 or 64 bits
  std::span<const FieldSpec> fields;
  std::uint16_t count = 1;       ///< largest number of elements of the array
  std::uint32_t stride = 0;      ///< bytes between elements; needed when count > 1
  bool halves = false;           ///< a 64-bit register that software may access as two aligned 32-bit halves
  std::string_view source = {};  ///< document and section, or driver file and symbol
};

namespace detail {
constexpr bool fields_are_valid(const RegisterSpec& reg) {
  std::uint64_t used = 0;
  for (const FieldSpec& field : reg.fields) {
    if (field.width == 0 || field.lsb + field.width > reg.width) return false;
    const std::uint64_t ones = field.width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << field.width) - 1;
    if ((field.reset & ~ones) != 0 || (used & (ones << field.lsb)) != 0) return false;
    used |= ones << field.lsb;
  }
  return true;
}

constexpr bool overlap(const RegisterSpec& x, const RegisterSpec& y) {
  const auto end = [](const RegisterSpec& reg) {
    return reg.offset + std::uint64_t{reg.count - 1U} * reg.stride + reg.width / 8U;
  };
  // Most registers do not overlap at all. Only interleaved arrays need a check of each element.
  if (end(x) <= y.offset || end(y) <= x.offset) return false;
  for (std::uint64_t i = 0; i < x.count; ++i) {
    const std::uint64_t start = x.offset + i * x.stride;
    // The first element of y that ends beyond `start`.
    std::uint64_t j = 0;
    if (start >= y.offset + y.width / 8U) j = y.count == 1 ? 1 : (start - y.offset - y.width / 8U) / y.stride + 1;
    if (j < y.count && y.offset + j * y.stride < start + x.width / 8U) return true;
  }
  return false;
}
}  // namespace detail

/// @return true if the registers are 32 or 64 bits wide, naturally aligned and inside `size` bytes, no two overlap or
///         share a name (interleaved arrays are allowed), and every register's fields fit and do not overlap. For
///         static_assert.
constexpr bool layout_is_valid(std::span<const RegisterSpec> registers, std::size_t size) {
  for (const RegisterSpec& reg : registers) {
    const std::uint32_t bytes = reg.width / 8U;
    if ((reg.width != 32 && reg.width != 64) || reg.count == 0 || reg.name.empty()) return false;
    if (reg.offset % 4 != 0 || (reg.width == 64 && !reg.halves && reg.offset % 8 != 0)) return false;
    if (reg.count > 1 && (reg.stride < bytes || reg.stride % 4 != 0)) return false;
    if (reg.count > 1 && reg.width == 64 && !reg.halves && reg.stride % 8 != 0) return false;
    if (reg.offset + std::size_t{reg.count - 1U} * reg.stride + bytes > size) return false;
    if (!detail::fields_are_valid(reg)) return false;
  }
  for (std::size_t a = 0; a < registers.size(); ++a) {
    for (std::size_t b = a + 1; b < registers.size(); ++b) {
      if (registers[a].name == registers[b].name || detail::overlap(registers[a], registers[b])) return false;
    }
  }
  return true;
}

}  // namespace pmufab
