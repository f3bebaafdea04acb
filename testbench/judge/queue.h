// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include <boost/circular_buffer.hpp>

namespace pmufab::scoreboard {

/// First in, first out, in one piece of memory that only grows.
template <typename Value>
class Queue {
 public:
  [[nodiscard]] bool empty() const noexcept { return values_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
  /// The one that has waited longest. @pre there is one
  [[nodiscard]] const Value& front() const noexcept { return values_.front(); }
  [[nodiscard]] auto begin() const noexcept { return values_.begin(); }
  [[nodiscard]] auto end() const noexcept { return values_.end(); }
  void push_back(const Value& value) {
    constexpr std::size_t kFirstRoom = 16;
    if (values_.full()) values_.set_capacity(std::max(kFirstRoom, 2 * values_.capacity()));
    values_.push_back(value);
  }
  void pop_front() { values_.pop_front(); }

 private:
  boost::circular_buffer<Value> values_;
};

}  // namespace pmufab::scoreboard
