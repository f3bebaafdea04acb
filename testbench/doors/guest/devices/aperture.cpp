// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/guest/devices/aperture.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace pmufab::guest {

Aperture::Aperture(const platform::FirmwareDescription& firmware) {
  for (const platform::ApmtNode& node : firmware.apmt) {
    const std::string name = fmt::format("APMT node {}", node.id);
    add(name, node.base0, kPage);
    if (node.base1) add(name, *node.base1, kPage);
  }
  for (const platform::AcpiDevice& device : firmware.devices) {
    for (const platform::MemoryResource& memory : device.memory)
      add(device.hid + ":" + device.uid, memory.base, memory.size);
  }
  for (const platform::PciSegment& bridge : firmware.pci_segments) {
    if (bridge.cxl_registers)
      add(fmt::format("CXL host bridge {}", bridge.number), bridge.cxl_registers->base, bridge.cxl_registers->size);
  }
  size_ = std::bit_ceil(size_);
}

void Aperture::add(const std::string& name, std::uint64_t base, std::uint64_t bytes) {
  if (offset_of(base)) return;  // two devices share it
  // Keep the window's own alignment, up to a limit.
  constexpr std::uint64_t kMostAlignment = 1 << 28;
  const std::uint64_t size = (bytes + kPage - 1) / kPage * kPage;
  const std::uint64_t alignment = std::min(std::bit_ceil(size), kMostAlignment);
  const std::uint64_t offset = (size_ + alignment - 1) / alignment * alignment;
  windows_.push_back({name, base, bytes, offset});
  size_ = offset + size;
}

std::optional<std::uint64_t> Aperture::offset_of(std::uint64_t platform) const {
  for (const Window& window : windows_) {
    if (platform >= window.platform && platform - window.platform < window.size)
      return window.offset + (platform - window.platform);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> Aperture::platform_address(std::uint64_t offset, std::uint64_t bytes) const {
  const auto behind = std::upper_bound(windows_.begin(), windows_.end(), offset,
                                       [](std::uint64_t at, const Window& window) { return at < window.offset; });
  if (behind == windows_.begin()) return std::nullopt;
  const Window& window = *std::prev(behind);
  const std::uint64_t within = offset - window.offset;
  if (within >= window.size || bytes > window.size - within) return std::nullopt;
  return window.platform + within;
}

}  // namespace pmufab::guest
