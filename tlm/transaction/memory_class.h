// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace pmufab {

/// The kind of target behind an address, in whichever socket. The first three are memory.
enum class MemoryClass : std::uint8_t {
  cmem,  ///< CPU memory: the LPDDR of the socket
  gmem,  ///< GPU memory
  cxl,   ///< memory of a CXL device
  bar,   ///< a base address register of a PCI Express function
};

/// @return the name in scenario files: "cmem", "gmem", "cxl" or "bar".
[[nodiscard]] std::string_view to_string(MemoryClass memory) noexcept;

}  // namespace pmufab
