// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

namespace pmufab::process {

/// An object that this process and the children it starts later have in common. Its members should be atomic.
template <typename Object>
class SharedMemory {
  static_assert(std::is_trivially_destructible_v<Object>);

 public:
  /// @throws std::system_error if there is no memory
  SharedMemory() : memory_(mmap(nullptr, sizeof(Object), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (memory_ == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
    object_ = new (memory_) Object();
  }
  SharedMemory(SharedMemory&& other) noexcept
      : memory_(std::exchange(other.memory_, MAP_FAILED)), object_(other.object_) {}
  SharedMemory& operator=(SharedMemory&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(object_, other.object_);
    return *this;
  }
  ~SharedMemory() {
    if (memory_ != MAP_FAILED) munmap(memory_, sizeof(Object));
  }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  [[nodiscard]] Object& operator*() const noexcept { return *object_; }
  [[nodiscard]] Object* operator->() const noexcept { return object_; }

 private:
  void* memory_;
  Object* object_ = nullptr;
};

/// A short text that a child tells its parent without writing, in SharedMemory. Other code in the child may write here,
/// too, by mistake: the text is there only if a flag is exactly 1.
class SharedText {
 public:
  static constexpr std::size_t kRoom = 200;  ///< bytes, with the zero at the end

  /// In the child. Does not allocate. @param text  its beginning is kept
  void tell(std::string_view text) noexcept {
    const std::size_t size = std::min(text.size(), letters_.size() - 1);
    for (std::size_t i = 0; i < size; ++i) letters_[i] = text[i];
    letters_[size] = 0;
    is_whole_ = 1;
  }
  [[nodiscard]] bool is_told() const noexcept { return is_whole_ == 1; }
  /// @return empty: none is told
  [[nodiscard]] std::string text() const {
    std::string text;
    for (std::size_t i = 0; i < letters_.size() && is_told() && letters_[i] != 0; ++i) text += letters_[i];
    return text;
  }

 private:
  std::array<std::atomic<char>, kRoom> letters_{};  // ends with a zero
  std::atomic<std::uint8_t> is_whole_{0};
};

}  // namespace pmufab::process
