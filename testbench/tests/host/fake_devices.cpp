// SPDX-License-Identifier: Apache-2.0
#include "testbench/tests/host/fake_devices.h"

#include <cstring>

namespace pmufab::driver_host::testing {

FakeBus::FakeBus(const sc_core::sc_module_name& name) : sc_core::sc_module(name), socket("socket") {
  socket.register_b_transport(this, &FakeBus::b_transport);
}

void FakeBus::map(std::uint64_t base, std::uint64_t size, FakeDevice& device) {
  windows_.push_back({base, size, &device});
}

std::vector<FakeBus::Access> FakeBus::accesses(std::uint64_t base, std::uint64_t size) const {
  std::vector<Access> found;
  for (const Access& access : log_) {
    if (access.address >= base && access.address < base + size) found.push_back(access);
  }
  return found;
}

void FakeBus::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
  Access access{.address = payload.get_address(),
                .size = payload.get_data_length(),
                .is_write = payload.is_write(),
                .value = 0,
                .when = sc_core::sc_time_stamp().value()};
  if (access.is_write) std::memcpy(&access.value, payload.get_data_ptr(), access.size);
  if (before) before(access);
  payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  for (const Window& window : windows_) {
    if (access.address < window.base || access.address + access.size > window.base + window.size) continue;
    if (access.is_write) {
      window.device->write(access.address - window.base, access.size, access.value);
    } else {
      access.value = window.device->read(access.address - window.base, access.size);
      std::memcpy(payload.get_data_ptr(), &access.value, access.size);
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  log_.push_back(access);
}

std::uint64_t FakeCoresightPmu::read(std::uint64_t offset, unsigned size) {
  if (offset < 0x100) {
    const unsigned stride = counter_bits_ > 32 ? 8 : 4;
    const std::uint64_t counter = counters_[offset / stride];
    return size == 4 && offset % stride == 4 ? counter >> 32 : counter;
  }
  switch (offset) {
    case 0xc00:
    case 0xc20:
      return enables_;
    case 0xc40:
    case 0xc60:
      return interrupt_enables_;
    case 0xc80:
      return overflow_;
    case 0xe00:
      return kCounters | (counter_bits_ - 1) << 8 | 1U << 14;
    case 0xe04:
      return enabled_ ? 1 : 0;
    case 0xe08:
      return pmiidr_;
    default:
      return 0;
  }
}

void FakeCoresightPmu::write(std::uint64_t offset, unsigned size, std::uint64_t value) {
  const auto word = static_cast<std::uint32_t>(value);
  if (offset < 0x100) {
    const unsigned stride = counter_bits_ > 32 ? 8 : 4;
    std::uint64_t& counter = counters_[offset / stride];
    if (size == 8 || stride == 4) {
      counter = value;
    } else if (offset % 8 == 4) {
      counter = (counter & 0xffffffffU) | value << 32;
    } else {
      counter = (counter & ~std::uint64_t{0xffffffff}) | word;
    }
    counter &= mask();
  } else if (offset >= 0x400 && offset < 0x480) {
    types_[(offset - 0x400) / 4] = word;
  } else if (offset >= 0xa00 && offset < 0xa80) {
    filters_[(offset - 0xa00) / 4] = word;
  } else if (offset == 0xc00) {
    enables_ |= word;
  } else if (offset == 0xc20) {
    enables_ &= ~word;
  } else if (offset == 0xc40) {
    interrupt_enables_ |= word;
  } else if (offset == 0xc60) {
    interrupt_enables_ &= ~word;
  } else if (offset == 0xc80) {
    if (!stuck) overflow_ &= ~word;
  } else if (offset == 0xe04) {
    enabled_ = (word & 1U) != 0;
    if ((word & 2U) != 0) std::fill(counters_.begin(), counters_.end() - 1, 0);
    if ((word & 4U) != 0) counters_[kCycles] = 0;
  }
  update_line();
}

void FakeCoresightPmu::count(unsigned counter, std::uint64_t amount) {
  if (!runs(counter)) return;
  const std::uint64_t before = counters_[counter];
  counters_[counter] = (before + amount) & mask();
  if (amount > mask() - before) raise(1U << counter);
}

void FakeCoresightPmu::raise(std::uint32_t overflow) {
  overflow_ |= overflow;
  update_line();
}

void FakeCoresightPmu::update_line() {
  if (line_ != nullptr) line_->drive((overflow_ & interrupt_enables_) != 0);
}

FakeCmem::FakeCmem() {
  for (unsigned i = 0; i < kInstances; ++i) instances_.emplace_back(this);
}

void FakeCmem::count(std::uint64_t cycles, std::uint64_t requests, std::uint64_t outstanding) {
  if (!runs()) return;
  cycles_ += cycles;
  requests_ += requests;
  outstanding_ += outstanding;
}

std::uint64_t FakeCmem::Instance::read(std::uint64_t offset, unsigned) {
  switch (offset) {
    case 0x810:
      return pmu->status;
    case 0x818:
      return pmu->cycles_;
    case 0x820:
    case 0x838:
    case 0x850:
      return pmu->requests_;
    case 0x830:
    case 0x848:
    case 0x860:
      return pmu->outstanding_;
    default:
      return 0;
  }
}

void FakeCmem::Broadcast::write(std::uint64_t offset, unsigned, std::uint64_t value) {
  if (offset == 0x800) pmu->clock_ = value != 0;
  if (offset != 0x808) return;
  pmu->control_ = value;
  if (value == 2) pmu->cycles_ = pmu->requests_ = pmu->outstanding_ = pmu->status = 0;
}

}  // namespace pmufab::driver_host::testing
