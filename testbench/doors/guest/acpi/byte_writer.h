// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pmufab::guest {

/// Writes binary data from front to back. Integers are little-endian.
class ByteWriter {
 public:
  ByteWriter& u8(std::uint8_t value) { return integer(value, 1); }
  ByteWriter& u16(std::uint16_t value) { return integer(value, 2); }
  ByteWriter& u32(std::uint32_t value) { return integer(value, 4); }
  ByteWriter& u64(std::uint64_t value) { return integer(value, 8); }
  ByteWriter& zeros(std::size_t count) {
    bytes_.append(count, '\0');
    return *this;
  }
  /// Writes characters into a field of `width` bytes, padded with zeros. They must fit.
  ByteWriter& text(std::string_view characters, std::size_t width) {
    bytes_.append(characters);
    return zeros(width - characters.size());
  }
  ByteWriter& raw(std::string_view bytes) {
    bytes_.append(bytes);
    return *this;
  }

  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }
  [[nodiscard]] const std::string& bytes() const noexcept { return bytes_; }

 private:
  ByteWriter& integer(std::uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; ++i) bytes_.push_back(static_cast<char>(value >> (8 * i) & 0xff));
    return *this;
  }

  std::string bytes_;
};

}  // namespace pmufab::guest
