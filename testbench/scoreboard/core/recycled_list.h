// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iterator>
#include <list>
#include <utility>

namespace pmufab::scoreboard {

/// A list that keeps the memory of what was removed for what is added next. So it allocates only while it grows beyond
/// its greatest length. Iterators and references stay valid until their own element is removed.
template <typename Value>
class RecycledList {
 public:
  using iterator = typename std::list<Value>::iterator;
  using const_iterator = typename std::list<Value>::const_iterator;

  [[nodiscard]] iterator begin() noexcept { return used_.begin(); }
  [[nodiscard]] iterator end() noexcept { return used_.end(); }
  [[nodiscard]] const_iterator begin() const noexcept { return used_.begin(); }
  [[nodiscard]] const_iterator end() const noexcept { return used_.end(); }
  [[nodiscard]] bool empty() const noexcept { return used_.empty(); }

  /// @return the new last element
  iterator push_back(Value value) {
    if (spare_.empty()) return used_.insert(used_.end(), std::move(value));
    used_.splice(used_.end(), spare_, spare_.begin());
    const iterator added = std::prev(used_.end());
    *added = std::move(value);
    return added;
  }
  /// Remove an element. What it owns is freed at once.
  void erase(iterator element) {
    *element = Value{};
    spare_.splice(spare_.begin(), used_, element);
  }

 private:
  std::list<Value> used_;
  std::list<Value> spare_;
};

}  // namespace pmufab::scoreboard
