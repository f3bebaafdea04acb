// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <cerrno>
#include <new>
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

}  // namespace pmufab::process
