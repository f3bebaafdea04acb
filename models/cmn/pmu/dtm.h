// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cassert>
#include <cstdint>

#include "models/cmn/description/product.h"
#include "models/pmu/carry_path.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab {
class Counter;
}

namespace pmufab::cmn {

/// The counters of a debug/trace monitor: four small ones, each of which may carry into a global counter of the DTC.
///
/// pmu_config in arm-cmn.c is CMN_DTM_PMU_CONFIG. Combined counters (never used by the driver): the lower one wraps
/// into the upper. The upper's own input and the lower's pairing then have no effect (inferred: the overflow wire
/// leaves the last counter of a chain).
class alignas(64) Dtm {
 public:
  /// @param width  bits of a local counter, 8 to 16
  Dtm(unsigned width, CarryPath& path) noexcept
      : maximum_((1U << width) - 1), width_(static_cast<std::uint8_t>(width)), path_(&path) {}

  /// Add events to counter n through its input.
  void add(unsigned n, std::uint64_t amount, Picoseconds when) {
    const std::uint64_t sum = values_[n] + amount;
    values_[n] = static_cast<std::uint32_t>(sum & maximum_);
    if (sum > maximum_) [[unlikely]]
      wrap(n, sum >> width_, when);
  }

  /// @return the events that counter n takes before it wraps.
  [[nodiscard]] std::uint32_t room(unsigned n) const noexcept { return maximum_ - values_[n]; }
  /// Add events to counter n. @param amount  not more than room()
  void add_without_wrap(unsigned n, std::uint64_t amount) noexcept {
    assert(amount <= room(n));
    values_[n] += static_cast<std::uint32_t>(amount);
  }

  /// Take a new value of pmu_config.
  void configure(std::uint64_t pmu_config) noexcept { config_ = pmu_config; }
  [[nodiscard]] std::uint64_t config() const noexcept { return config_; }
  [[nodiscard]] bool is_enabled() const noexcept { return (config_ & 1U) != 0; }
  [[nodiscard]] bool is_paired(unsigned n) const noexcept { return (config_ >> (4 + n) & 1U) != 0; }
  /// @return the global counter that counter n carries into.
  [[nodiscard]] unsigned global_number(unsigned n) const noexcept { return config_ >> (16 + 4 * n) & 7U; }
  [[nodiscard]] unsigned input(unsigned n) const noexcept { return config_ >> (32 + 8 * n) & 0xffU; }
  /// @return true if counter n counts wraps of n - 1 instead of its input.
  [[nodiscard]] bool is_upper(unsigned n) const noexcept {
    return n != 0 && ((config_ & 8U) != 0 || (n == 1 && (config_ & 2U) != 0) || (n == 3 && (config_ & 4U) != 0));
  }

  /// Set where wraps of counter n go; with nullptr they are lost.
  void carry_into(unsigned n, Counter* target) noexcept { targets_[n] = target; }

  /// @return pmevcnt: 16 bits per counter.
  [[nodiscard]] std::uint64_t values() const noexcept;
  void set_values(std::uint64_t values, std::uint64_t mask) noexcept;

  /// Copy the counters to the shadows, and clear them if pmu_config says so.
  void snapshot() noexcept;
  [[nodiscard]] std::uint64_t shadows() const noexcept { return shadows_; }

  void reset() noexcept;

 private:
  void wrap(unsigned n, std::uint64_t wraps, Picoseconds when);

  std::array<std::uint32_t, kLocalCounters> values_{};
  std::uint32_t maximum_;
  std::uint8_t width_;
  std::array<Counter*, kLocalCounters> targets_{};
  CarryPath* path_;
  std::uint64_t config_ = 0;
  std::uint64_t shadows_ = 0;
};

}  // namespace pmufab::cmn
