// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/register_server/register_bus.h"

#include <cstring>
#include <utility>

namespace pmufab::register_server {
namespace {

constexpr unsigned kWidest = 8;

bool is_one_access(std::uint64_t address, std::size_t size) {
  return (size == 1 || size == 2 || size == 4 || size == kWidest) && address % size == 0;
}

}  // namespace

RegisterBus::RegisterBus(Access access, IsWide is_wide) : access_(std::move(access)), is_wide_(std::move(is_wide)) {}

unsigned RegisterBus::part(std::uint64_t address, std::size_t left) const {
  if (address % kWidest == 0 && left >= kWidest && is_wide_(address)) return kWidest;
  unsigned length = 4;
  while (address % length != 0 || length > left) length /= 2;
  return length;
}

template <typename Part>
std::size_t RegisterBus::for_parts(std::uint64_t address, std::size_t size, Part part_of) const {
  if (is_one_access(address, size)) return part_of(address, std::size_t{0}, static_cast<unsigned>(size)) ? size : 0;
  std::size_t done = 0;
  while (done < size) {
    const std::uint64_t at = address + done;
    if (at < address) break;  // past the end of the address space
    const unsigned length = part(at, size - done);
    if (!part_of(at, done, length)) break;
    done += length;
  }
  return done;
}

std::size_t RegisterBus::read(std::uint64_t address, std::span<std::uint8_t> bytes) const {
  return for_parts(address, bytes.size(), [&](std::uint64_t at, std::size_t place, unsigned length) {
    std::uint64_t value = 0;
    if (!access_(at, length, false, value)) return false;
    std::memcpy(bytes.data() + place, &value, length);
    return true;
  });
}

std::size_t RegisterBus::write(std::uint64_t address, std::span<const std::uint8_t> bytes) const {
  return for_parts(address, bytes.size(), [&](std::uint64_t at, std::size_t place, unsigned length) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + place, length);
    return access_(at, length, true, value);
  });
}

}  // namespace pmufab::register_server
