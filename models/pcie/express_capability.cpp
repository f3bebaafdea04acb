// SPDX-License-Identifier: Apache-2.0
#include "models/pcie/express_capability.h"

#include <bit>

#include <fmt/format.h>

#include "tlm/spec/spec_error.h"

namespace pmufab::pcie {

unsigned add_express_capability(ConfigurationSpace& space, PortType type, const LinkParameters& link,
                                bool function_level_reset) {
  if (link.speed < 1 || link.speed > 6) {
    throw SpecError("link.speed", fmt::format("{} is not 1 (2.5 GT/s) ... 6 (64 GT/s)", link.speed));
  }
  if (!std::has_single_bit(link.width) || link.width > 16) {
    throw SpecError("link.width", fmt::format("{} lanes are not 1, 2, 4, 8 or 16", link.width));
  }
  const bool faces_down = type == PortType::root_port || type == PortType::switch_downstream_port;
  const unsigned at = space.add_capability(0x10, 0x3c);
  const auto kind = static_cast<std::uint32_t>(type);
  space.define(at + 0x02, 2, {.value = 2U | kind << 4 | (faces_down ? 0x100U : 0U)});
  // Device: payload of 256 bytes, extended tags, role-based error reporting, function level reset.
  space.define(at + 0x04, 4, {.value = 0x8021U | (function_level_reset ? 1U << 28 : 0U)});
  // Control after reset: relaxed ordering and no snoop allowed, reads of up to 512 bytes. Bit 15 (start a function
  // level reset) reads zero.
  space.define(at + 0x08, 2, {.value = 0x2810, .writable = 0x79ff});
  space.define(at + 0x0a, 2, {.write_one_to_clear = 0x000f});
  if (type == PortType::root_complex_integrated_endpoint) return at;  // no link

  const std::uint32_t trained = link.speed | link.width << 4;
  space.define(at + 0x0c, 4, {.value = trained | 1U << 22 | (faces_down ? 1U << 20 : 0U)});
  space.define(at + 0x10, 2, {.writable = 0x00c3});
  // Slot clock. Ports that face down also report that the link layer is active.
  space.define(at + 0x12, 2, {.value = trained | 0x1000U | (faces_down ? 0x2000U : 0U)});
  if (faces_down) space.define(at + 0x1a, 2, {.value = 0x0040});  // a card is present
  if (type == PortType::root_port) {
    space.define(at + 0x1c, 2, {.writable = 0x001f});
    space.define(at + 0x20, 4, {.write_one_to_clear = 1U << 16});
  }
  space.define(at + 0x24, 4, {.value = 0x0010});  // completion timeouts may be disabled
  space.define(at + 0x28, 2, {.writable = 0x0010});
  space.define(at + 0x2c, 4, {.value = ((2U << link.speed) - 2)});  // speeds up to this one
  space.define(at + 0x30, 2, {.value = link.speed, .writable = 0x000f, .sticky = 0x000f});
  space.define(at + 0x32, 2, {.value = link.flit_mode ? 0x0400U : 0U});
  return at;
}

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
