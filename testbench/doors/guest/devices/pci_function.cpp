// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/guest/devices/pci_function.h"

#include <utility>

#include "testbench/doors/vfio_user/protocol.h"

namespace pmufab::guest {
namespace {

// PCI Express Base Specification, 7.5.1 (header), 7.7.2 (MSI-X).
constexpr std::uint64_t kCommandRegister = 0x04;
constexpr std::uint32_t kDecodeAndMaster = 0x6;
constexpr std::uint64_t kClassRegister = 0x08;
constexpr std::uint64_t kHeaderType = 0x0e;
constexpr std::array<std::uint8_t, 3> kSystemPeripheral{0x00, 0x80, 0x08};  // class 08h, "other system peripheral"
constexpr std::uint64_t kHeaderEnd = 0x40;
constexpr std::uint64_t kFirstBar = 0x10;
constexpr std::uint64_t kBarsEnd = 0x28;
constexpr std::uint64_t kCapabilities = 0x34;
constexpr std::uint32_t kExpressCapability = 0x10;
constexpr std::uint32_t kHasFunctionLevelReset = 1 << 28;
constexpr std::uint64_t kDeviceControl = 8;
constexpr std::uint32_t kFunctionLevelReset = 1 << 15;
constexpr std::uint32_t kResetInUpperByte = 1 << 7;
constexpr std::uint32_t kMsiXCapability = 0x11;
constexpr std::uint32_t kMsiXEnable = 0x8000;
constexpr std::uint64_t kEntryBytes = 16;

}  // namespace

PciFunction::PciFunction(RegisterAccess& registers, Place place) : registers_(registers), place_(std::move(place)) {
  place_.sizes.resize(kBars);
  is_port_ = (get(kHeaderType, 1) & 0x7fU) == 1;
  // Ignore what only bridges have.
  if (is_port_) place_.sizes.assign(kBars, 0);
  find_bars();
  find_capabilities();
  if (!is_port_) program_messages();
}

std::uint32_t PciFunction::get(std::uint64_t offset, unsigned bytes) {
  return static_cast<std::uint32_t>(registers_.read(place_.configuration + offset, bytes) &
                                    (~std::uint64_t{0} >> (64 - 8 * bytes)));
}

void PciFunction::put(std::uint64_t offset, unsigned bytes, std::uint32_t value) {
  registers_.write(place_.configuration + offset, bytes, value);
}

void PciFunction::find_bars() {
  for (unsigned i = 0; i < kBars; ++i) {
    assigned_.at(i) = get(kFirstBar + 4 * i, 4);
    // Keep the kind of memory; the virtual machine sets the address.
    shown_.at(i) = place_.sizes[i] != 0 ? assigned_.at(i) & 0xfU : 0;
  }
  for (unsigned i = 0; i < kBars; ++i) {
    if (place_.sizes[i] == 0) continue;
    base_.at(i) = assigned_.at(i) & ~0xfU;
    if ((assigned_.at(i) & 6U) == 4 && i + 1 < kBars) base_.at(i) |= std::uint64_t{assigned_.at(i + 1)} << 32;
  }
}

void PciFunction::find_capabilities() {
  constexpr unsigned kMostCapabilities = 48;
  unsigned at = get(kCapabilities, 1) & 0xfcU;
  for (unsigned i = 0; at != 0 && i < kMostCapabilities; ++i, at = get(at + 1, 1) & 0xfcU) {
    const std::uint32_t id = get(at, 1);
    if (id == kExpressCapability) express_ = at;
    if (id != kMsiXCapability || is_port_) continue;
    const std::uint32_t table = get(at + 4, 4);
    if ((table & 7U) >= kBars || base_.at(table & 7U) == 0) continue;
    msi_x_ = at;
    vectors_ = (get(at + 2, 2) & 0x7ffU) + 1;
    table_ = base_.at(table & 7U) + (table & ~7U);
  }
}

/// Lets every vector send to the simulator. The virtual machine keeps its own table.
void PciFunction::program_messages() {
  put(kCommandRegister, 2, get(kCommandRegister, 2) | kDecodeAndMaster);
  for (unsigned vector = 0; vector < vectors_; ++vector) {
    const std::uint64_t entry = table_ + vector * kEntryBytes;
    registers_.write(entry, 4, place_.doorbell & 0xffff'ffffU);
    registers_.write(entry + 4, 4, place_.doorbell >> 32);
    registers_.write(entry + 8, 4, place_.first_message + vector);
    registers_.write(entry + 12, 4, 0);
  }
  if (vectors_ > 0) put(msi_x_ + 2, 2, kMsiXEnable);
}

bool PciFunction::message(std::uint32_t data) {
  if (data < place_.first_message || data - place_.first_message >= vectors_) return false;
  if (client_ != nullptr) client_->interrupt(vfio_user::kMsiX, data - place_.first_message);
  return true;
}

std::uint64_t PciFunction::region_size(unsigned index) const {
  if (index < kBars) return place_.sizes[index];
  return index == vfio_user::kConfigRegion ? kSpace : 0;
}

unsigned PciFunction::interrupts(unsigned kind) const { return kind == vfio_user::kMsiX ? vectors_ : 0; }

bool PciFunction::read(unsigned region, std::uint64_t offset, std::span<std::uint8_t> data) {
  if (region != vfio_user::kConfigRegion) {
    if (!is_one_access(data.size()) || offset % data.size() != 0) return false;
    to_bytes(registers_.read(base_.at(region) + offset, static_cast<unsigned>(data.size())), data);
    return true;
  }
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = shown_byte(offset + i);
  return true;
}

/// Hides the header of a bridge, except for the fields that all functions have.
bool PciFunction::is_hidden(std::uint64_t offset) const {
  return is_port_ && offset >= kFirstBar && offset < kHeaderEnd && offset != kCapabilities;
}

std::uint8_t PciFunction::shown_byte(std::uint64_t offset) {
  if (is_hidden(offset)) return 0;
  if (is_port_ && offset > kClassRegister && offset < kClassRegister + 4)
    return kSystemPeripheral.at(offset - kClassRegister - 1);
  if (is_port_ && offset == kHeaderType) return 0;
  if (!is_port_ && offset >= kFirstBar && offset < kBarsEnd)
    return static_cast<std::uint8_t>(shown_.at((offset - kFirstBar) / 4) >> 8 * (offset % 4));
  auto value = static_cast<std::uint8_t>(get(offset, 1));
  // Show MSI-X as disabled: the virtual machine keeps the real state itself.
  if (msi_x_ != 0 && offset == msi_x_ + 3) value &= 0x7fU;
  // Device/Port Type: endpoint.
  if (is_port_ && express_ != 0 && offset == express_ + 2) value &= 0x0fU;
  return value;
}

bool PciFunction::write(unsigned region, std::uint64_t offset, std::span<const std::uint8_t> data) {
  if (region != vfio_user::kConfigRegion) {
    if (!is_one_access(data.size()) || offset % data.size() != 0) return false;
    registers_.write(base_.at(region) + offset, static_cast<unsigned>(data.size()), to_number(data));
    return true;
  }
  for (std::size_t done = 0; done < data.size();) {
    const std::uint64_t at = offset + done;
    const unsigned bytes = next_piece(at, data.size() - done);
    auto value = static_cast<std::uint32_t>(to_number(data.subspan(done, bytes)));
    done += bytes;
    if (is_port_) continue;
    if (at >= kFirstBar && at < kBarsEnd) {
      const unsigned bar = static_cast<unsigned>(at - kFirstBar) / 4;
      if (bytes == 4 && place_.sizes[bar] != 0) {
        shown_.at(bar) = (value & ~static_cast<std::uint32_t>(place_.sizes[bar] - 1)) | (assigned_.at(bar) & 0xfU);
      } else if (bytes == 4 && bar > 0 && place_.sizes[bar - 1] != 0 && (assigned_.at(bar - 1) & 6U) == 4) {
        shown_.at(bar) = value & static_cast<std::uint32_t>(~(place_.sizes[bar - 1] - 1) >> 32);
      }
      continue;
    }
    if (msi_x_ != 0 && at / 4 * 4 == msi_x_) continue;
    if (at == kCommandRegister) value |= kDecodeAndMaster;
    put(at, bytes, value);
    const bool resets =
        express_ != 0 && at <= express_ + kDeviceControl + 1 && at + bytes > express_ + kDeviceControl + 1;
    if (resets && (value >> 8 * (express_ + kDeviceControl + 1 - at) & kResetInUpperByte) != 0) restore();
  }
  return true;
}

/// Resets configuration space and registers, as a function level reset does.
void PciFunction::reset() {
  if (is_port_) return;
  if (express_ != 0 && (get(express_ + 4, 4) & kHasFunctionLevelReset) != 0)
    put(express_ + kDeviceControl, 2, get(express_ + kDeviceControl, 2) | kFunctionLevelReset);
  restore();
}

/// Restores what a function level reset has cleared.
void PciFunction::restore() {
  for (unsigned i = 0; i < kBars; ++i) {
    put(kFirstBar + 4 * i, 4, assigned_.at(i));
    shown_.at(i) = place_.sizes[i] != 0 ? assigned_.at(i) & 0xfU : 0;
  }
  program_messages();
}

}  // namespace pmufab::guest
