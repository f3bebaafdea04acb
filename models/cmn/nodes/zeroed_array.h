// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace pmufab::cmn {

/// Fixed storage, initially zero. It begins at a pair of cache lines of the host, which fetches them together. Pages
/// that are never used take no memory.
template <typename T>
class ZeroedArray {
  static_assert(std::is_trivial_v<T>);

 public:
  explicit ZeroedArray(std::size_t size) : memory_(std::calloc(size * sizeof(T) + kHostLines, 1)) {
    if (memory_ == nullptr) throw std::bad_alloc();
    void* begin = memory_.get();
    std::size_t room = size * sizeof(T) + kHostLines;
    data_ = static_cast<T*>(std::align(kHostLines, size * sizeof(T), begin, room));
  }
  [[nodiscard]] T* data() const noexcept { return data_; }
  T& operator[](std::size_t index) const noexcept { return data_[index]; }

 private:
  static constexpr std::size_t kHostLines = 128;
  struct Free {
    void operator()(void* memory) const noexcept { std::free(memory); }
  };
  std::unique_ptr<void, Free> memory_;
  T* data_;
};

}  // namespace pmufab::cmn
