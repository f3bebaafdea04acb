// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/guest/devices/soc_function.h"

#include <utility>

namespace pmufab::guest {
namespace {

// PCI Express Base Specification, 7.5.1: the configuration header.
constexpr unsigned kHeaderBytes = 256;
constexpr unsigned kCommandOffset = 0x04;
constexpr std::uint32_t kMemoryEnable = 2;
constexpr std::uint32_t kBusMaster = 4;
constexpr unsigned kBar0 = 0x10;
constexpr std::uint32_t kWideMemory = 4;

}  // namespace

SocFunction::SocFunction(const Aperture& aperture, RegisterAccess& registers, Control control)
    : aperture_(aperture), registers_(registers), control_(std::move(control)), space_("soc") {
  space_.define(0x00, 2, {.value = kVendor});
  space_.define(0x02, 2, {.value = kDevice});
  space_.define(kCommandOffset, 2, {.writable = kMemoryEnable | kBusMaster});
  space_.define(0x08, 4, {.value = 0xff00'0000});  // no class
  const std::uint64_t mask = ~(aperture_.size() - 1);
  space_.define(kBar0, 4, {.value = kWideMemory, .writable = static_cast<std::uint32_t>(mask) & ~0xfU});
  space_.define(kBar0 + 4, 4, {.writable = static_cast<std::uint32_t>(mask >> 32)});
}

vfio_user::Client* SocFunction::bus_master() const {
  return (space_.read(kCommandOffset, 2) & kBusMaster) != 0 ? client_ : nullptr;
}

std::uint64_t SocFunction::region_size(unsigned index) const {
  if (index == 0) return aperture_.size();
  return index == vfio_user::kConfigRegion ? kHeaderBytes : 0;
}

bool SocFunction::read(unsigned region, std::uint64_t offset, std::span<std::uint8_t> data) {
  if (region == vfio_user::kConfigRegion) {
    for (std::size_t i = 0; i < data.size(); ++i)
      data[i] = static_cast<std::uint8_t>(space_.read(static_cast<unsigned>(offset + i), 1));
    return true;
  }
  if (!is_one_access(data.size()) || offset % data.size() != 0) return false;
  std::uint64_t value = ~std::uint64_t{0};
  if (offset < Aperture::kPage) {
    value = data.size() == 4 ? control_.read(offset) : 0;
  } else if (const auto address = aperture_.platform_address(offset, data.size())) {
    value = registers_.read(*address, static_cast<unsigned>(data.size()));
  }
  to_bytes(value, data);
  return true;
}

bool SocFunction::write(unsigned region, std::uint64_t offset, std::span<const std::uint8_t> data) {
  if (region == vfio_user::kConfigRegion) {
    // In aligned pieces, as a bus would make them.
    for (std::size_t done = 0; done < data.size();) {
      const unsigned bytes = next_piece(offset + done, data.size() - done);
      space_.write(static_cast<unsigned>(offset + done), bytes,
                   static_cast<std::uint32_t>(to_number(data.subspan(done, bytes))), 0);
      done += bytes;
    }
    return true;
  }
  if (!is_one_access(data.size()) || offset % data.size() != 0) return false;
  const std::uint64_t value = to_number(data);
  if (offset < Aperture::kPage) {
    if (data.size() == 4) control_.write(offset, static_cast<std::uint32_t>(value));
  } else if (const auto address = aperture_.platform_address(offset, data.size())) {
    registers_.write(*address, static_cast<unsigned>(data.size()), value);
  }
  return true;
}

}  // namespace pmufab::guest
