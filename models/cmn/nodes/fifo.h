// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <vector>

namespace pmufab::cmn {

/// A queue that keeps its memory. It allocates only when it grows beyond its largest size so far.
template <typename T>
class Fifo {
 public:
  explicit Fifo(std::size_t room = 4) : ring_(std::bit_ceil(room)) {}

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] T& front() noexcept {
    assert(size_ > 0);
    return ring_[first_];
  }
  [[nodiscard]] const T& front() const noexcept {
    assert(size_ > 0);
    return ring_[first_];
  }
  T pop() noexcept {
    assert(size_ > 0);
    const T value = ring_[first_];
    first_ = (first_ + 1) & (ring_.size() - 1);
    --size_;
    return value;
  }
  void push(const T& value) {
    if (size_ == ring_.size()) grow();
    ring_[(first_ + size_++) & (ring_.size() - 1)] = value;
  }

 private:
  void grow() {
    std::vector<T> larger(2 * ring_.size());
    for (std::size_t i = 0; i < size_; ++i) larger[i] = ring_[(first_ + i) & (ring_.size() - 1)];
    ring_.swap(larger);
    first_ = 0;
  }

  std::vector<T> ring_;  // its size is a power of two
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace pmufab::cmn
