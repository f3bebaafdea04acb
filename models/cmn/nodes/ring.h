#pragma once

#include <cassert>
#include <cstddef>
#include <vector>

namespace pmufab::cmn {

/// First in, first out. Allocates only when it has to hold more than ever before.
template <typename T>
class Ring {
 public:
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const T& front() const noexcept {
    assert(size_ != 0);
    return values_[first_];
  }
  void push(const T& value) {
    if (size_ == values_.size()) grow();
    values_[(first_ + size_++) & (values_.size() - 1)] = value;
  }
  T pop() noexcept {
    assert(size_ != 0);
    const T value = values_[first_];
    first_ = (first_ + 1) & (values_.size() - 1);
    --size_;
    return value;
  }

 private:
  void grow() {
    std::vector<T> larger(values_.empty() ? 4 : 2 * values_.size());
    for (std::size_t i = 0; i < size_; ++i) larger[i] = values_[(first_ + i) & (values_.size() - 1)];
    values_.swap(larger);
    first_ = 0;
  }

  std::vector<T> values_;  // its size is a power of two
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace pmufab::cmn
