// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "testbench/host/register_access/register_access.h"

namespace pmufab::coresight_client {

/// Where a PMU is.
struct PmuPlace {
  std::uint64_t page0 = 0;    ///< control registers
  std::uint64_t page1 = 0;    ///< counters and overflow status; the same as page0 if there is one page
  bool atomic_64bit = false;  ///< counters of more than 32 bits take accesses of 64 bits
};

/// What a counter is to count.
struct CounterRequest {
  bool cycles = false;  ///< with the cycle counter
  std::uint32_t event = 0;
  std::optional<std::uint32_t> filter{};   ///< PMEVFILTR, or PMCCFILTR; nothing: it is left alone
  std::optional<std::uint32_t> filter2{};  ///< PMEVFILT2R, likewise
};

/// Software that programs a CoreSight PMU as the architecture (Arm IHI 0091) says, and knows how wide its counters are.
/// It owns the PMU.
///
/// Counts are 64 bits wide whatever the width of the counters, as long as handle_overflow() is called before a counter
/// wraps a second time. Counters run on while overflows are handled.
class CoreSightClient {
 public:
  /// Reads the configuration. Nothing is written.
  CoreSightClient(RegisterAccess access, PmuPlace place);

  [[nodiscard]] unsigned width() const noexcept { return width_; }
  /// @return true if counters could be opened for all of these at a time, if none were open.
  [[nodiscard]] bool has_counters_for(std::span<const CounterRequest> requests) const;

  /// Let counters count, or none of them. Initially none counts.
  void run();
  void stop();

  /// Program a free counter and enable it.
  /// @return the counter; empty if none is free
  std::optional<unsigned> open(const CounterRequest& request);
  /// Disable the counter. Its count can be read until it is opened again.
  void close(unsigned counter);

  /// @return events counted since open()
  std::uint64_t count(unsigned counter);
  /// Call it for each interrupt of the PMU. @return false: the interrupt was not from this PMU
  bool handle_overflow();

 private:
  static constexpr unsigned kCycleCounter = 31;
  struct Slot {
    bool exists = false;
    bool open = false;
    std::uint64_t turns = 0;
    std::uint64_t count = 0;  // when it was closed
  };

  [[nodiscard]] std::uint32_t read(std::uint64_t offset) const { return access_.read32(place_.page0 + offset); }
  void write(std::uint64_t offset, std::uint32_t value) const { access_.write32(place_.page0 + offset, value); }
  [[nodiscard]] std::uint64_t address_of(unsigned counter) const noexcept;
  [[nodiscard]] std::uint64_t status_address(unsigned counter) const noexcept;
  [[nodiscard]] bool has_overflowed(unsigned counter) const;
  [[nodiscard]] std::uint64_t read_counter(unsigned counter) const;
  void write_zero(unsigned counter) const;
  [[nodiscard]] std::optional<unsigned> free_counter(const CounterRequest& request) const;

  RegisterAccess access_;
  PmuPlace place_;
  unsigned width_ = 0;
  bool has_cycles_ = false;
  std::vector<Slot> slots_;  // by number
};

}  // namespace pmufab::coresight_client
