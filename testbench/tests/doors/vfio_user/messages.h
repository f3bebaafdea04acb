// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "testbench/doors/vfio_user/protocol.h"

namespace pmufab::vfio_user {

/// The bytes of structures, one after the other.
class Bytes {
 public:
  template <typename T>
  Bytes& add(const T& value) {
    const auto* const begin = reinterpret_cast<const std::uint8_t*>(&value);
    bytes_.insert(bytes_.end(), begin, begin + sizeof(value));
    return *this;
  }
  /// With the zero at its end.
  Bytes& add_text(std::string_view text) {
    bytes_.insert(bytes_.end(), text.begin(), text.end());
    bytes_.push_back(0);
    return *this;
  }
  [[nodiscard]] const std::vector<std::uint8_t>& get() const { return bytes_; }

 private:
  std::vector<std::uint8_t> bytes_;
};

inline Header command(Command which, std::size_t payload, std::uint16_t id = 7, std::uint32_t flags = 0) {
  return {id, static_cast<std::uint16_t>(which), static_cast<std::uint32_t>(sizeof(Header) + payload), flags, 0};
}

/// A structure at `offset` of an answer. The answer's bytes begin with its header.
template <typename T>
T take_at(std::span<const std::uint8_t> bytes, std::size_t offset) {
  T value{};
  if (offset + sizeof(value) <= bytes.size()) std::memcpy(&value, bytes.data() + offset, sizeof(value));
  return value;
}

}  // namespace pmufab::vfio_user
