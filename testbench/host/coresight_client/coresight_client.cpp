// SPDX-License-Identifier: Apache-2.0
#include "testbench/host/coresight_client/coresight_client.h"

#include <algorithm>
#include <utility>

namespace pmufab::coresight_client {
namespace {

// Arm IHI 0091: registers by their offset; arrays of masks have a bit for each counter.
constexpr std::uint64_t kTypes = 0x400;
constexpr std::uint64_t kCycleFilter = 0x47c;
constexpr std::uint64_t kFilters2 = 0x800;
constexpr std::uint64_t kFilters = 0xa00;
constexpr std::uint64_t kEnableSet = 0xc00;
constexpr std::uint64_t kEnableClear = 0xc20;
constexpr std::uint64_t kInterruptSet = 0xc40;
constexpr std::uint64_t kInterruptClear = 0xc60;
constexpr std::uint64_t kOverflowClear = 0xc80;  // page 1
constexpr std::uint64_t kConfiguration = 0xe00;
constexpr std::uint64_t kControl = 0xe04;
constexpr std::uint32_t kControlEnable = 1;

constexpr unsigned kWord = 4;       // bytes
constexpr unsigned kWordBits = 32;  // bits, and counters of a mask
constexpr std::uint32_t kHasCycleCounter = 1U << 14;

std::uint64_t word_of(unsigned counter) { return std::uint64_t{kWord} * (counter / kWordBits); }
std::uint32_t bit_of(unsigned counter) { return std::uint32_t{1} << counter % kWordBits; }

}  // namespace

CoreSightClient::CoreSightClient(RegisterAccess access, PmuPlace place) : access_(std::move(access)), place_(place) {
  const std::uint32_t configuration = read(kConfiguration);
  width_ = (configuration >> 8 & 0x3f) + 1;
  const unsigned counters = (configuration & 0xff) + 1;  // the cycle counter included
  has_cycles_ = (configuration & kHasCycleCounter) != 0;
  // The cycle counter is number 31. The others have the numbers before it and after it.
  const unsigned events = has_cycles_ ? counters - 1 : counters;
  const unsigned end = has_cycles_ && events > kCycleCounter ? events + 1 : events;
  slots_.resize(has_cycles_ ? std::max(end, kCycleCounter + 1) : end);
  for (unsigned counter = 0; counter < end; ++counter) slots_[counter].exists = true;
  if (has_cycles_) slots_[kCycleCounter].exists = true;
}

std::uint64_t CoreSightClient::address_of(unsigned counter) const noexcept {
  return place_.page1 + std::uint64_t{width_ > kWordBits ? 2 * kWord : kWord} * counter;
}

std::uint64_t CoreSightClient::status_address(unsigned counter) const noexcept {
  return place_.page1 + kOverflowClear + word_of(counter);
}

bool CoreSightClient::has_counters_for(std::span<const CounterRequest> requests) const {
  std::size_t cycles = 0;
  std::size_t events = 0;
  for (const CounterRequest& request : requests) ++(request.cycles ? cycles : events);
  const auto counters = static_cast<std::size_t>(
      std::count_if(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.exists; }));
  const std::size_t for_cycles = has_cycles_ ? 1 : 0;
  return cycles <= for_cycles && events <= counters - for_cycles;
}

void CoreSightClient::run() { write(kControl, kControlEnable); }

void CoreSightClient::stop() { write(kControl, 0); }

std::optional<unsigned> CoreSightClient::free_counter(const CounterRequest& request) const {
  for (unsigned counter = 0; counter < slots_.size(); ++counter) {
    const bool is_for_cycles = has_cycles_ && counter == kCycleCounter;
    if (slots_[counter].exists && !slots_[counter].open && is_for_cycles == request.cycles) return counter;
  }
  return std::nullopt;
}

std::optional<unsigned> CoreSightClient::open(const CounterRequest& request) {
  const std::optional<unsigned> counter = free_counter(request);
  if (!counter) return std::nullopt;
  slots_[*counter] = {.exists = true, .open = true};
  if (request.cycles) {
    if (request.filter) write(kCycleFilter, *request.filter);
  } else {
    write(kTypes + std::uint64_t{kWord} * *counter, request.event);
    if (request.filter) write(kFilters + std::uint64_t{kWord} * *counter, *request.filter);
    if (request.filter2) write(kFilters2 + std::uint64_t{kWord} * *counter, *request.filter2);
  }
  write_zero(*counter);
  access_.write32(status_address(*counter), bit_of(*counter));
  write(kInterruptSet + word_of(*counter), bit_of(*counter));
  write(kEnableSet + word_of(*counter), bit_of(*counter));
  return counter;
}

void CoreSightClient::close(unsigned counter) {
  write(kEnableClear + word_of(counter), bit_of(counter));
  slots_[counter].count = count(counter);
  slots_[counter].open = false;
  write(kInterruptClear + word_of(counter), bit_of(counter));
  access_.write32(status_address(counter), bit_of(counter));
}

bool CoreSightClient::has_overflowed(unsigned counter) const {
  return (access_.read32(status_address(counter)) & bit_of(counter)) != 0;
}

std::uint64_t CoreSightClient::read_counter(unsigned counter) const {
  const std::uint64_t address = address_of(counter);
  if (width_ <= kWordBits) return access_.read32(address);
  if (place_.atomic_64bit) return access_.read64(address);
  while (true) {
    const std::uint32_t high = access_.read32(address + kWord);
    const std::uint32_t low = access_.read32(address);
    if (access_.read32(address + kWord) == high) return std::uint64_t{high} << kWordBits | low;
  }
}

void CoreSightClient::write_zero(unsigned counter) const {
  const std::uint64_t address = address_of(counter);
  if (width_ > kWordBits && place_.atomic_64bit) {
    access_.write64(address, 0);
    return;
  }
  access_.write32(address, 0);
  if (width_ > kWordBits) access_.write32(address + kWord, 0);
}

std::uint64_t CoreSightClient::count(unsigned counter) {
  const Slot& slot = slots_[counter];
  if (!slot.open) return slot.count;
  bool overflowed = has_overflowed(counter);
  while (true) {
    const std::uint64_t value = read_counter(counter);
    const bool again = has_overflowed(counter);
    if (again == overflowed) {
      const std::uint64_t turns = slot.turns + (overflowed ? 1 : 0);
      return value + (width_ == 64 ? 0 : turns << width_);
    }
    overflowed = again;
  }
}

bool CoreSightClient::handle_overflow() {
  bool is_ours = false;
  for (unsigned first = 0; first < slots_.size(); first += kWordBits) {
    const std::uint32_t status = access_.read32(status_address(first));
    if (status == 0) continue;
    is_ours = true;
    access_.write32(status_address(first), status);
    for (unsigned counter = first; counter < slots_.size() && counter < first + kWordBits; ++counter) {
      if ((status & bit_of(counter)) != 0 && slots_[counter].open) ++slots_[counter].turns;
    }
  }
  return is_ours;
}

}  // namespace pmufab::coresight_client
