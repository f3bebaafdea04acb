#pragma once

#include <cstddef>
#include <vector>

namespace pmufab::cmn {

/// First in, first out. Allocates only to become larger than ever before.
template <typename T>
class Fifo {
 public:
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const T& front() const noexcept { return ring_[first_]; }
  void push(const T& value) {
    if (size_ == ring_.size()) grow();
    ring_[(first_ + size_++) & (ring_.size() - 1)] = value;
  }
  T pop() noexcept {
    const T value = ring_[first_];
    first_ = (first_ + 1) & (ring_.size() - 1);
    --size_;
    return value;
  }

 private:
  void grow() {
    std::vector<T> larger(ring_.empty() ? 8 : 2 * ring_.size());
    for (std::size_t i = 0; i < size_; ++i) larger[i] = ring_[(first_ + i) & (ring_.size() - 1)];
    ring_.swap(larger);
    first_ = 0;
  }

  std::vector<T> ring_;  // its size is a power of two
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace pmufab::cmn
