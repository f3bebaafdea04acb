// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cxl/client/cpmu_client.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace pmufab::cxl_client {
namespace {

// Register block (CXL 3.1, 8.2.7). Written here from the specification: sharing the model's tables would hide its
// mistakes.
constexpr std::uint64_t kCapability = 0x000;
constexpr std::uint64_t kOverflowStatus = 0x010;
constexpr std::uint64_t kFreeze = 0x018;
constexpr std::uint64_t event_capability(unsigned index) { return 0x100 + 8 * index; }
constexpr std::uint64_t configuration(unsigned counter) { return 0x200 + 8 * counter; }
constexpr std::uint64_t filter(unsigned counter, unsigned id) { return 0x400 + 4 * (id + 8 * counter); }
constexpr std::uint64_t data(unsigned counter) { return 0xc00 + 8 * counter; }

constexpr unsigned kFreeRunning = 0;
constexpr unsigned kFixed = 1;
constexpr unsigned kConfigurable = 2;
constexpr std::uint64_t kEnable = 1U << 8;
constexpr std::uint64_t kInterrupt = 1U << 9;
constexpr std::uint64_t kGlobalFreeze = 1U << 10;

constexpr std::uint64_t bits(std::uint64_t value, unsigned high, unsigned low) {
  return value >> low & ((std::uint64_t{2} << (high - low)) - 1);
}

/// Edge, invert, threshold and events in their fields.
std::uint64_t program(const CpmuRequest& request) {
  return std::uint64_t{request.edge} << 11 | std::uint64_t{request.invert} << 12 |
         std::uint64_t{request.threshold} << 16 | std::uint64_t{request.events} << 24;
}
constexpr std::uint64_t kProgramBits =
    std::uint64_t{3} << 11 | std::uint64_t{0xff} << 16 | std::uint64_t{0xffff'ffff} << 24;

}  // namespace

CpmuClient::CpmuClient(RegisterAccess access, std::uint64_t base) : access_(std::move(access)), base_(base) {
  read_capabilities();
}

void CpmuClient::read_capabilities() {
  const std::uint64_t capability = read(kCapability);
  if (bits(capability, 63, 60) != 1) throw std::runtime_error("no CPMU of version 1 here");
  width_ = static_cast<unsigned>(bits(capability, 15, 8));
  filters_ = bits(capability, 39, 32);
  can_freeze_ = bits(capability, 49, 49) != 0;
  for (unsigned index = 0; index <= bits(capability, 24, 20); ++index) {
    const std::uint64_t events = read(event_capability(index));
    groups_.push_back({.vendor = static_cast<std::uint16_t>(events >> 48),
                       .group = static_cast<std::uint16_t>(events >> 32),
                       .supported = static_cast<std::uint32_t>(events),
                       .taken = false});
  }
  for (unsigned counter = 0; counter <= bits(capability, 5, 0); ++counter) {
    const std::uint64_t value = read(configuration(counter));
    Slot& slot = slots_.emplace_back();
    slot.type = static_cast<unsigned>(bits(value, 1, 0));
    slot.configuration = value;
    if (slot.type != kFreeRunning) freezable_ |= std::uint64_t{1} << counter;
    const std::uint64_t group = bits(value, 63, 59);
    if ((slot.type == kFreeRunning || slot.type == kFixed) && group < groups_.size()) groups_[group].taken = true;
  }
}

std::optional<unsigned> CpmuClient::open(const CpmuRequest& request) {
  if (!can_filter(request)) return std::nullopt;
  if (const auto fixed = find_fixed(request, slots_)) {
    start(*fixed, slots_[*fixed].configuration & (kProgramBits | std::uint64_t{0x1f} << 59), request);
    return fixed;
  }
  const auto group = find_group(request);
  const auto counter = find_configurable(slots_);
  if (!group || !counter) return std::nullopt;
  start(*counter, program(request) | std::uint64_t{*group} << 59, request);
  return counter;
}

bool CpmuClient::can_filter(const CpmuRequest& request) const {
  return (request.hdm_decoders == kAny || (filters_ & 1U) != 0) &&
         (request.ddr_location == kAny || (filters_ & 2U) != 0);
}

bool CpmuClient::has_counters_for(std::span<const CpmuRequest> requests) const {
  std::vector<Slot> slots = slots_;
  for (Slot& slot : slots) slot.open = false;
  return std::all_of(requests.begin(), requests.end(), [&](const CpmuRequest& request) {
    if (!can_filter(request)) return false;
    auto counter = find_fixed(request, slots);
    if (!counter && find_group(request)) counter = find_configurable(slots);
    if (counter) slots[*counter].open = true;
    return counter.has_value();
  });
}

std::optional<unsigned> CpmuClient::find_fixed(const CpmuRequest& request, const std::vector<Slot>& slots) const {
  for (unsigned counter = 0; counter < slots.size(); ++counter) {
    const Slot& slot = slots[counter];
    const std::uint64_t index = bits(slot.configuration, 63, 59);
    if (slot.type != kFixed || slot.open || index >= groups_.size()) continue;
    if (groups_[index].vendor != request.vendor || groups_[index].group != request.group) continue;
    if ((slot.configuration & kProgramBits) == program(request)) return counter;
  }
  return std::nullopt;
}

std::optional<unsigned> CpmuClient::find_configurable(const std::vector<Slot>& slots) {
  for (unsigned counter = 0; counter < slots.size(); ++counter) {
    if (slots[counter].type == kConfigurable && !slots[counter].open) return counter;
  }
  return std::nullopt;
}

std::optional<unsigned> CpmuClient::find_group(const CpmuRequest& request) const {
  for (unsigned index = 0; index < groups_.size(); ++index) {
    const Group& group = groups_[index];
    // The register of a fixed or free-running counter must not be written: undefined (8.2.7.2.1).
    if (group.taken || group.vendor != request.vendor || group.group != request.group) continue;
    if ((request.events & ~group.supported) == 0) return index;
  }
  return std::nullopt;
}

void CpmuClient::start(unsigned counter, std::uint64_t configuration_value, const CpmuRequest& request) {
  Slot& slot = slots_[counter];
  slot.open = true;
  slot.last = slot.count = 0;
  // Everything that is undefined while enabled is written before enabling. A disabled counter's data can always be
  // written.
  if ((filters_ & 1U) != 0) access_.write32(base_ + filter(counter, 0), request.hdm_decoders);
  if ((filters_ & 2U) != 0) access_.write32(base_ + filter(counter, 1), request.ddr_location);
  write(data(counter), 0);
  write(kOverflowStatus, std::uint64_t{1} << counter);
  write(configuration(counter), configuration_value | kEnable | (request.interrupt ? kInterrupt : 0) |
                                    (request.global_freeze ? kGlobalFreeze : 0));
}

void CpmuClient::close(unsigned counter) {
  collect();
  write(configuration(counter), read(configuration(counter)) & ~(kEnable | kInterrupt | kGlobalFreeze));
  // Events between the two accesses are in the counter, and perhaps in the status.
  account(counter, read(data(counter)), (read(kOverflowStatus) >> counter & 1U) != 0);
  write(kOverflowStatus, std::uint64_t{1} << counter);
  // The next user may only add bits to what is there.
  if (slots_[counter].type == kConfigurable) write(configuration(counter), 0);
  if ((filters_ & 1U) != 0) access_.write32(base_ + filter(counter, 0), kAny);
  if ((filters_ & 2U) != 0) access_.write32(base_ + filter(counter, 1), kAny);
  slots_[counter].open = false;
}

void CpmuClient::freeze() {
  frozen_ = true;
  if (can_freeze_) write(kFreeze, freezable_);
}

void CpmuClient::unfreeze() {
  frozen_ = false;
  if (can_freeze_) write(kFreeze, 0);
}

std::uint64_t CpmuClient::count(unsigned counter) {
  if (slots_[counter].open) collect();
  return slots_[counter].count;
}

std::uint64_t CpmuClient::handle_overflow() { return collect(); }

std::uint64_t CpmuClient::collect() {
  // Values and status must belong together. While frozen they do; otherwise an unchanged status shows it.
  if (can_freeze_ && !frozen_) write(kFreeze, freezable_);
  std::vector<std::uint64_t> values(slots_.size());
  std::uint64_t status = read(kOverflowStatus);
  for (;;) {
    for (unsigned counter = 0; counter < slots_.size(); ++counter) {
      if (slots_[counter].open) values[counter] = read(data(counter));
    }
    const std::uint64_t before = std::exchange(status, read(kOverflowStatus));
    if (status == before) break;
  }
  for (unsigned counter = 0; counter < slots_.size(); ++counter) {
    if (slots_[counter].open) account(counter, values[counter], (status >> counter & 1U) != 0);
  }
  if (status != 0) write(kOverflowStatus, status);
  if (can_freeze_ && !frozen_) write(kFreeze, 0);
  return status;
}

void CpmuClient::account(unsigned counter, std::uint64_t value, bool overflowed) {
  Slot& slot = slots_[counter];
  slot.count += value - slot.last;  // modulo 2^64
  if (overflowed && width_ < 64) slot.count += std::uint64_t{1} << width_;
  slot.last = value;
}

}  // namespace pmufab::cxl_client
