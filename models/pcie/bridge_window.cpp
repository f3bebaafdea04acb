// SPDX-License-Identifier: Apache-2.0
#include "models/pcie/bridge_window.h"

namespace pmufab::pcie {

void assign_prefetchable_window(ConfigurationSpace& space, std::uint64_t base, std::uint64_t size) noexcept {
  constexpr unsigned kBaseAndLimit = 0x24;
  constexpr unsigned kUpper = 0x28;
  // A limit below the base closes the window.
  const std::uint64_t last = size == 0 ? 0 : base + size - 1;
  const std::uint64_t first = size == 0 ? 0x10'0000 : base;
  const auto half = [](std::uint64_t address) { return static_cast<std::uint32_t>(address >> 16 & 0xfff0) | 1U; };
  space.set(kBaseAndLimit, 4, half(first) | half(last) << 16);
  space.set(kUpper, 4, static_cast<std::uint32_t>(first >> 32));
  space.set(kUpper + 4, 4, static_cast<std::uint32_t>(last >> 32));
}

}  // namespace pmufab::pcie
