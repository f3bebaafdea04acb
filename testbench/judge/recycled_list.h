// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <iterator>
#include <type_traits>
#include <utility>

namespace pmufab::scoreboard {

/// A list that keeps the memory of what was removed for what is added next. So it allocates only while it grows beyond
/// its greatest length. Iterators and references stay valid until their own element is removed.
template <typename Value>
class RecycledList {
  struct Node {
    Value value{};
    Node* next = nullptr;
    Node* before = nullptr;
  };

  template <typename Element>
  class Iterator {
   public:
    // NOLINTNEXTLINE(readability-identifier-naming): the name that algorithms look for
    using iterator_category = std::forward_iterator_tag;
    using value_type = Value;
    using difference_type = std::ptrdiff_t;
    using pointer = Element*;
    using reference = Element&;

    Iterator() = default;
    explicit Iterator(Node* node) noexcept : node_(node) {}
    [[nodiscard]] reference operator*() const noexcept { return node_->value; }
    [[nodiscard]] pointer operator->() const noexcept { return &node_->value; }
    Iterator& operator++() noexcept {
      node_ = node_->next;
      return *this;
    }
    Iterator operator++(int) noexcept { return Iterator(std::exchange(node_, node_->next)); }
    [[nodiscard]] bool operator==(const Iterator& other) const noexcept = default;

   private:
    friend class RecycledList;
    Node* node_ = nullptr;
  };

 public:
  using iterator = Iterator<Value>;
  using const_iterator = Iterator<const Value>;

  RecycledList() = default;
  RecycledList& operator=(RecycledList&&) = delete;
  ~RecycledList() = default;

  [[nodiscard]] iterator begin() noexcept { return iterator(first_); }
  [[nodiscard]] iterator end() noexcept { return iterator(nullptr); }
  [[nodiscard]] const_iterator begin() const noexcept { return const_iterator(first_); }
  [[nodiscard]] const_iterator end() const noexcept { return const_iterator(nullptr); }
  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }

  /// @return the new last element
  iterator push_back(Value value) {
    Node* node = spare_;
    if (node == nullptr) {
      node = &nodes_.emplace_back();
    } else {
      spare_ = node->next;
    }
    node->value = std::move(value);
    node->next = nullptr;
    node->before = last_;
    (last_ == nullptr ? first_ : last_->next) = node;
    last_ = node;
    return iterator(node);
  }
  /// Remove an element. What it owns is freed at once.
  void erase(iterator element) {
    Node* const node = element.node_;
    (node->before == nullptr ? first_ : node->before->next) = node->next;
    (node->next == nullptr ? last_ : node->next->before) = node->before;
    if constexpr (!std::is_trivially_copyable_v<Value>) node->value = Value{};
    node->next = spare_;
    spare_ = node;
  }

 private:
  std::deque<Node> nodes_;  // all that were ever needed
  Node* first_ = nullptr;
  Node* last_ = nullptr;
  Node* spare_ = nullptr;  // those without an element, by `next`
};

}  // namespace pmufab::scoreboard
