// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "models/cmn/wire/types.h"

namespace pmufab::traffic {

/// The cycles in which waiting flits were asked for, in order. At a port that takes less than is asked for, millions
/// wait. Nearly each takes one byte: how long after the one before it was asked for.
class DueQueue {
 public:
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] cmn::Cycle front() const noexcept { return front_; }

  /// @param due  not before that of the last
  /// @throws std::bad_alloc
  void push(cmn::Cycle due) {
    if (size_++ == 0) {
      front_ = due;
    } else if (const cmn::Cycle gap = due - back_; gap < kLong) {
      put(static_cast<std::uint8_t>(gap));
    } else {
      put(kLong);
      for (unsigned byte = 0; byte < sizeof gap; ++byte) put(static_cast<std::uint8_t>(gap >> 8 * byte));
    }
    back_ = due;
  }
  /// Not if it is empty.
  void pop() noexcept {
    if (--size_ == 0) return;
    const std::uint8_t gap = get();
    if (gap < kLong) {
      front_ += gap;
    } else {
      for (unsigned byte = 0; byte < sizeof front_; ++byte) front_ += cmn::Cycle{get()} << 8 * byte;
    }
  }
  void clear() noexcept { size_ = used_ = 0; }

 private:
  static constexpr std::uint8_t kLong = 0xff;  ///< before a gap of eight bytes
  static constexpr std::uint32_t kAtFirst = 8;
  static constexpr std::uint32_t kMost = std::uint32_t{1} << 31;

  void put(std::uint8_t byte) {
    if (used_ == room_) grow();
    bytes_[(first_ + used_) & (room_ - 1)] = byte;
    ++used_;
  }
  std::uint8_t get() noexcept {
    const std::uint8_t byte = bytes_[first_];
    first_ = (first_ + 1) & (room_ - 1);
    --used_;
    return byte;
  }
  void grow() {
    if (room_ == kMost) throw std::bad_alloc();
    const std::uint32_t room = room_ == 0 ? kAtFirst : 2 * room_;
    auto larger = std::make_unique<std::uint8_t[]>(room);
    for (std::uint32_t i = 0; i < used_; ++i) larger[i] = bytes_[(first_ + i) & (room_ - 1)];
    bytes_ = std::move(larger);
    room_ = room;
    first_ = 0;
  }

  cmn::Cycle front_ = 0;
  cmn::Cycle back_ = 0;
  std::unique_ptr<std::uint8_t[]> bytes_;  ///< a ring: the gaps after the first
  std::uint32_t room_ = 0;                 ///< in bytes: a power of two
  std::uint32_t first_ = 0;
  std::uint32_t used_ = 0;
  std::uint32_t size_ = 0;  ///< in flits
};

}  // namespace pmufab::traffic
