// SPDX-License-Identifier: Apache-2.0
#include "models/pcie/configuration_space.h"

#include <utility>

#include <fmt/format.h>

#include "tlm/spec/spec_error.h"

namespace pmufab::pcie {

namespace {

constexpr unsigned kStatus = 0x06;  // bit 4: there is a capability list
constexpr unsigned kCapabilityPointer = 0x34;
constexpr unsigned kCapabilitiesLimit = 0x100;
constexpr std::uint16_t kDvsecId = 0x0023;

constexpr unsigned round_up(unsigned bytes) { return (bytes + 3) & ~3U; }

}  // namespace

void ConfigurationSpace::place(Bytes& bytes, unsigned offset, unsigned length, std::uint32_t value) noexcept {
  for (unsigned i = 0; i < length; ++i) bytes[offset + i] = static_cast<std::uint8_t>(value >> (8 * i));
}

void ConfigurationSpace::define(unsigned offset, unsigned bytes, const ConfigurationBits& bits) {
  if (bytes == 0 || bytes > 4 || offset > kSize - bytes) {
    throw SpecError(name_, fmt::format("{} bytes at {:#x} are not within configuration space", bytes, offset));
  }
  if ((bits.writable & bits.write_one_to_clear) != 0) {
    throw SpecError(name_,
                    fmt::format("bits {:#x} at {:#x} of configuration space are both writable and cleared by one",
                                bits.writable & bits.write_one_to_clear, offset));
  }
  place(value_, offset, bytes, bits.value);
  place(reset_, offset, bytes, bits.value);
  place(writable_, offset, bytes, bits.writable);
  place(clears_, offset, bytes, bits.write_one_to_clear);
  place(sticky_, offset, bytes, bits.sticky);
  place(function_kept_, offset, bytes, bits.function_kept);
}

unsigned ConfigurationSpace::add_capability(std::uint8_t id, unsigned bytes) {
  const unsigned offset = capabilities_end_;
  if (bytes < 2 || round_up(bytes) > kCapabilitiesLimit - offset) {
    throw SpecError(name_, fmt::format("a capability {:#x} of {} bytes does not fit at {:#x}", id, bytes, offset),
                    "there are 192 bytes for capabilities; leave one out");
  }
  capabilities_end_ += round_up(bytes);
  define(offset, 2, {.value = id});
  if (last_capability_ == 0) {
    define(kCapabilityPointer, 1, {.value = offset});
    value_[kStatus] |= 0x10;
    reset_[kStatus] |= 0x10;
  } else {
    define(last_capability_ + 1, 1, {.value = offset});
  }
  last_capability_ = offset;
  return offset;
}

unsigned ConfigurationSpace::add_extended_capability(std::uint16_t id, std::uint8_t version, unsigned bytes) {
  const unsigned offset = extended_end_;
  if (bytes < 4 || round_up(bytes) > kSize - offset) {
    throw SpecError(name_,
                    fmt::format("an extended capability {:#x} of {} bytes does not fit at {:#x}", id, bytes, offset),
                    "there are 3840 bytes for extended capabilities; leave one out");
  }
  extended_end_ += round_up(bytes);
  define(offset, 4, {.value = id | std::uint32_t{version & 0xfU} << 16});
  if (last_extended_ != 0) {
    define(last_extended_, 4, {.value = (read(last_extended_, 4) & 0xf'ffff) | offset << 20});
  }
  last_extended_ = offset;
  return offset;
}

unsigned ConfigurationSpace::add_dvsec(std::uint16_t vendor, std::uint16_t id, std::uint8_t revision, unsigned bytes) {
  if (bytes < 10 || bytes > 0xfff) {
    throw SpecError(name_, fmt::format("a designated vendor-specific capability cannot have {} bytes", bytes),
                    "10 ... 4095");
  }
  const unsigned offset = add_extended_capability(kDvsecId, 1, bytes);
  define(offset + 4, 4, {.value = vendor | std::uint32_t{revision & 0xfU} << 16 | bytes << 20});
  define(offset + 8, 2, {.value = id});
  return offset;
}

unsigned ConfigurationSpace::find_capability(std::uint8_t id) const noexcept {
  if (last_capability_ == 0) return 0;
  for (unsigned at = value_[kCapabilityPointer]; at != 0; at = value_[at + 1]) {
    if (value_[at] == id) return at;
  }
  return 0;
}

unsigned ConfigurationSpace::find_dvsec(std::uint16_t vendor, std::uint16_t id) const noexcept {
  if (last_extended_ == 0) return 0;
  for (unsigned at = 0x100; at != 0; at = read(at, 4) >> 20) {
    if (read(at, 2) == kDvsecId && read(at + 4, 2) == vendor && read(at + 8, 2) == id) return at;
  }
  return 0;
}

void ConfigurationSpace::on_write(unsigned offset, unsigned bytes, WriteHook hook) {
  write_hooks_.push_back({offset, bytes, std::move(hook)});
}

void ConfigurationSpace::on_read(unsigned offset, unsigned bytes, ReadHook hook) {
  read_hooks_.push_back({offset, bytes, std::move(hook)});
}

std::uint32_t ConfigurationSpace::fetch(unsigned offset, unsigned bytes, Picoseconds when) const {
  for (const auto& hook : read_hooks_) {
    if (hook.is_touched(offset, bytes)) hook.call(when);
  }
  return read(offset, bytes);
}

std::uint32_t ConfigurationSpace::read(unsigned offset, unsigned bytes) const noexcept {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < bytes; ++i) value |= std::uint32_t{value_[offset + i]} << (8 * i);
  return value;
}

void ConfigurationSpace::write(unsigned offset, unsigned bytes, std::uint32_t value, Picoseconds when) {
  for (unsigned i = 0; i < bytes; ++i) {
    const unsigned at = offset + i;
    const auto written = static_cast<std::uint8_t>(value >> (8 * i));
    const auto plain = static_cast<std::uint8_t>((value_[at] & ~writable_[at]) | (written & writable_[at]));
    value_[at] = static_cast<std::uint8_t>(plain & ~(written & clears_[at]));
  }
  const ConfigurationWrite write{offset, bytes, value, when};
  for (const auto& hook : write_hooks_) {
    if (hook.is_touched(offset, bytes)) hook.call(write);
  }
}

void ConfigurationSpace::set(unsigned offset, unsigned bytes, std::uint32_t value) noexcept {
  place(value_, offset, bytes, value);
}

void ConfigurationSpace::reset(ResetKind kind) noexcept {
  for (unsigned at = 0; at < kSize; ++at) {
    unsigned keep = kind == ResetKind::cold ? 0 : sticky_[at];
    if (kind == ResetKind::function_level) keep |= function_kept_[at];
    value_[at] = static_cast<std::uint8_t>((value_[at] & keep) | (reset_[at] & ~keep));
  }
}

}  // namespace pmufab::pcie
