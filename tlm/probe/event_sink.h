// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/clock/clock_domain.h"

namespace pmufab {

/// Adds up watched events: the value part of a counter of 1 to 64 bits.
///
/// Adding is an addition and a compare. Only a wrap leaves the fast path, through one function pointer.
class EventSink {
 public:
  /// Called when the value passed its maximum, after the value has wrapped. `wraps` is the number of wraps.
  using OnWrap = void (*)(void* context, std::uint64_t wraps, Picoseconds when);

  /// @param width  1 ... 64 bits
  explicit EventSink(unsigned width = 64) noexcept
      : maximum_(width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1) {}

  /// Set the function that a wrap calls; nullptr removes it.
  void on_wrap(OnWrap function, void* context) noexcept {
    on_wrap_ = function;
    context_ = context;
  }

  /// Add `amount` events that happened at `when`.
  void add(std::uint64_t amount, Picoseconds when) noexcept(false) {
    const bool carry = __builtin_add_overflow(value_, amount, &value_);
    if (carry || value_ > maximum_) [[unlikely]]
      wrap(carry, when);
  }

  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }
  /// Set the value. Bits beyond the width are dropped; no wrap is reported.
  void set_value(std::uint64_t value) noexcept { value_ = value & maximum_; }
  [[nodiscard]] std::uint64_t maximum() const noexcept { return maximum_; }

 private:
  void wrap(bool carry, Picoseconds when);

  std::uint64_t value_ = 0;
  std::uint64_t maximum_;
  OnWrap on_wrap_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace pmufab
