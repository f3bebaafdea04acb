// SPDX-License-Identifier: Apache-2.0
#include "testbench/tests/host/fake_pci.h"

#include <cstring>

namespace pmufab::driver_host::testing {
namespace {

constexpr std::uint16_t kMsixEnable = 0x8000, kMsixMaskAll = 0x4000, kMsiEnable = 1;

}  // namespace

FakePciFunction::FakePciFunction(std::uint16_t vendor, std::uint16_t device, std::uint32_t class_code) {
  set(0x0, 2, vendor);
  set(0x2, 2, device);
  set(0x8, 4, class_code << 8);
  writable(kCommand, 0x407);
}

std::uint32_t FakePciFunction::get(std::uint64_t offset, unsigned size) const {
  std::uint32_t value = 0;
  std::memcpy(&value, &bytes_.at(offset), size);
  return value;
}

void FakePciFunction::set(std::uint64_t offset, unsigned size, std::uint32_t value) {
  std::memcpy(&bytes_.at(offset), &value, size);
}

void FakePciFunction::write(std::uint64_t offset, unsigned size, std::uint64_t value) {
  const std::uint64_t word = offset & ~std::uint64_t{3};
  const auto found = masks_.find(word);
  if (found == masks_.end()) return;
  const std::uint32_t old = get(word, 4);
  set(offset, size, static_cast<std::uint32_t>(value));
  set(word, 4, (old & ~found->second) | (get(word, 4) & found->second));
}

void FakePciFunction::add_bar(unsigned bar, std::uint64_t base, std::uint64_t size) {
  const std::uint64_t where = 0x10 + std::uint64_t{4} * bar;
  set(where, 4, static_cast<std::uint32_t>(base) | 0x4);
  set(where + 4, 4, static_cast<std::uint32_t>(base >> 32));
  const std::uint64_t mask = ~(size - 1);
  writable(where, static_cast<std::uint32_t>(mask));
  writable(where + 4, static_cast<std::uint32_t>(mask >> 32));
}

std::uint64_t FakePciFunction::add_capability(std::uint8_t id, std::uint64_t size) {
  const std::uint64_t at = next_capability_;
  next_capability_ += (size + 3) & ~std::uint64_t{3};
  set(last_capability_ == 0 ? 0x34 : last_capability_ + 1, 1, static_cast<std::uint32_t>(at));
  set(0x6, 2, 0x10);
  set(at, 1, id);
  last_capability_ = at;
  return at;
}

std::uint64_t FakePciFunction::add_extended_capability(std::uint16_t id, std::uint64_t size) {
  const std::uint64_t at = next_extended_;
  next_extended_ += (size + 3) & ~std::uint64_t{3};
  if (last_extended_ != 0) set(last_extended_, 4, get(last_extended_, 4) | static_cast<std::uint32_t>(at) << 20);
  set(at, 4, id | 1U << 16);
  last_extended_ = at;
  return at;
}

std::uint64_t FakePciFunction::add_dvsec(std::uint16_t id, std::uint64_t size) {
  const std::uint64_t at = add_extended_capability(0x23, size);
  set(at + 4, 4, 0x1e98 | static_cast<std::uint32_t>(size) << 20);
  set(at + 8, 2, id);
  return at;
}

void FakePciFunction::make_bridge(std::uint8_t primary, std::uint8_t secondary) {
  set(0xe, 1, 1);
  set(0x18, 1, primary);
  set(0x19, 1, secondary);
  set(0x1a, 1, secondary);
}

void FakePciFunction::add_pcie(std::uint8_t type) {
  const std::uint64_t at = add_capability(0x10, 0x3c);
  set(at + 2, 2, 2 | std::uint32_t{type} << 4);
}

std::uint64_t FakeEcam::read(std::uint64_t offset, unsigned size) {
  const auto found = functions_.find(offset & ~std::uint64_t{0xfff});
  return found == functions_.end() ? ~std::uint64_t{0} : found->second->read(offset & 0xfff, size);
}

void FakeEcam::write(std::uint64_t offset, unsigned size, std::uint64_t value) {
  const auto found = functions_.find(offset & ~std::uint64_t{0xfff});
  if (found != functions_.end()) found->second->write(offset & 0xfff, size, value);
}

void FakeMessages::add_msix(unsigned vectors) {
  table_.resize(vectors);
  msix_ = function_.add_capability(0x11, 12);
  function_.set(msix_ + 2, 2, vectors - 1);
  function_.writable(msix_, std::uint32_t{kMsixEnable | kMsixMaskAll} << 16);  // table in BAR 0 at offset 0
}

void FakeMessages::add_msi(unsigned order) {
  msi_ = function_.add_capability(0x05, 16);
  function_.set(msi_ + 2, 2, 0x80 | order << 1);
  function_.writable(msi_, 0x0071U << 16);
  for (std::uint64_t word = 4; word < 16; word += 4) function_.writable(msi_ + word, 0xffffffff);
}

std::uint16_t FakeMessages::msix_control() const { return static_cast<std::uint16_t>(function_.get(msix_ + 2, 2)); }

std::uint64_t FakeMessages::read(std::uint64_t offset, unsigned) {
  const Entry& entry = table_.at(offset / 16);
  switch (offset % 16) {
    case 0:
      return static_cast<std::uint32_t>(entry.address);
    case 4:
      return entry.address >> 32;
    case 8:
      return entry.data;
    default:
      return entry.control;
  }
}

void FakeMessages::write(std::uint64_t offset, unsigned, std::uint64_t value) {
  const auto vector = static_cast<unsigned>(offset / 16);
  Entry& entry = table_.at(vector);
  const std::uint64_t word = value & 0xffffffff;
  switch (offset % 16) {
    case 0:
      entry.address = (entry.address & ~std::uint64_t{0xffffffff}) | word;
      break;
    case 4:
      entry.address = (entry.address & 0xffffffff) | word << 32;
      break;
    case 8:
      entry.data = static_cast<std::uint32_t>(word);
      break;
    default:
      entry.control = static_cast<std::uint32_t>(word);
  }
  if ((entry.control & 1) != 0 || (pending_ >> vector & 1) == 0) return;
  pending_ &= ~(1U << vector);
  send(vector);
}

void FakeMessages::send(unsigned number) {
  if (msix_ != 0 && (msix_control() & kMsixEnable) != 0) {
    const Entry& entry = table_.at(number);
    if ((msix_control() & kMsixMaskAll) != 0 || (entry.control & 1) != 0) {
      pending_ |= 1U << number;
    } else {
      line_.send(entry.address, entry.data);
    }
  } else if (msi_ != 0 && (function_.get(msi_ + 2, 2) & kMsiEnable) != 0) {
    line_.send(function_.get(msi_ + 4, 4) | std::uint64_t{function_.get(msi_ + 8, 4)} << 32,
               function_.get(msi_ + 12, 2) | number);
  }
}

}  // namespace pmufab::driver_host::testing
