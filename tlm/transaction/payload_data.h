// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <tlm>

namespace pmufab {

// The data of a register access as a number: at most 8 bytes. Registers are little endian, and so is the host.

[[nodiscard]] inline std::uint64_t data_of(const tlm::tlm_generic_payload& payload) {
  std::uint64_t value = 0;
  std::memcpy(&value, payload.get_data_ptr(), std::min<std::size_t>(payload.get_data_length(), sizeof value));
  return value;
}

inline void set_data(tlm::tlm_generic_payload& payload, std::uint64_t value) {
  std::memcpy(payload.get_data_ptr(), &value, std::min<std::size_t>(payload.get_data_length(), sizeof value));
}

}  // namespace pmufab
