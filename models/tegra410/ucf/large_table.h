// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace pmufab::tegra410 {

/// Allocator for tables with random accesses. It aligns to a cache line of the host, and uses large pages where the
/// host offers them, because otherwise most look-ups miss the TLB.
template <typename T>
struct LargeTableAllocator {
  using value_type = T;

  LargeTableAllocator() = default;
  template <typename U>
  LargeTableAllocator(const LargeTableAllocator<U>&) noexcept {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    void* const memory = ::operator new(bytes, alignment(bytes));
    if (bytes >= kLargePage) (void)madvise(memory, bytes, MADV_HUGEPAGE);  // only a hint: failure does no harm
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) noexcept { ::operator delete(memory, alignment(count * sizeof(T))); }

  bool operator==(const LargeTableAllocator&) const = default;

 private:
  static constexpr std::size_t kLargePage = std::size_t{2} << 20;
  static constexpr std::align_val_t alignment(std::size_t bytes) noexcept {
    return std::align_val_t{bytes >= kLargePage ? kLargePage : 64};
  }
};

}  // namespace pmufab::tegra410
