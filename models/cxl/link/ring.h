// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

namespace pmufab::cxl {

/// A queue that grows by doubling. It allocates nothing once it has reached its largest length.
template <typename Value>
class Ring {
 public:
  Ring() : Ring(64) {}
  explicit Ring(std::size_t capacity) : values_(capacity) { assert((capacity & (capacity - 1)) == 0); }

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] Value& front() noexcept { return values_[first_]; }
  [[nodiscard]] const Value& front() const noexcept { return values_[first_]; }
  [[nodiscard]] Value& at(std::size_t index) noexcept { return values_[(first_ + index) & (values_.size() - 1)]; }

  void push(const Value& value) {
    if (size_ == values_.size()) [[unlikely]]
      grow();
    values_[(first_ + size_) & (values_.size() - 1)] = value;
    ++size_;
  }
  Value pop() noexcept {
    Value value = values_[first_];
    first_ = (first_ + 1) & (values_.size() - 1);
    --size_;
    return value;
  }
  /// Insert `value` behind the last element that is not after it. For queues that are nearly in order.
  template <typename IsAfter>
  void insert(const Value& value, IsAfter is_after) {
    push(value);
    std::size_t place = size_ - 1;
    for (; place > 0 && is_after(at(place - 1), value); --place) at(place) = at(place - 1);
    at(place) = value;
  }
  /// Remove the element at `index`; those behind it move up.
  void erase(std::size_t index) noexcept {
    for (std::size_t i = index; i + 1 < size_; ++i) at(i) = at(i + 1);
    --size_;
  }

 private:
  void grow() {
    std::vector<Value> larger(values_.size() * 2);
    for (std::size_t i = 0; i < size_; ++i) larger[i] = std::move(at(i));
    values_ = std::move(larger);
    first_ = 0;
  }

  std::vector<Value> values_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace pmufab::cxl
