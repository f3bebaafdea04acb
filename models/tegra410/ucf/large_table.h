// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace pmufab::tegra410 {

/// Allocator for tables that are hit at random: aligned to a cache line of the host, and on large pages where the host
/// offers them, because otherwise most look-ups miss its TLB.
template <typename T>
struct LargeTableAllocator {
  using value_type = T;

  LargeTableAllocator() = default;
  template <typename U>
  LargeTableAllocator(const LargeTableAllocator<U>&) noexcept {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    void* const memory = ::operator new(bytes, alignment(bytes));
#ifdef __linux__
    if (bytes >= kLargePage) (void)madvise(memory, bytes, MADV_HUGEPAGE);  // a wish: refusal does no harm
#endif
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
