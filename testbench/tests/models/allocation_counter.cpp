// SPDX-License-Identifier: Apache-2.0
#include "testbench/tests/models/allocation_counter.h"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {
std::uint64_t allocation_count = 0;
std::uint64_t byte_count = 0;
}  // namespace

#if !defined(PMUFAB_SANITIZED)
void* operator new(std::size_t size) {
  ++allocation_count;
  byte_count += size;
  if (void* const memory = std::malloc(size != 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  ++allocation_count;
  byte_count += size;
  const auto step = static_cast<std::size_t>(alignment);
  if (void* const memory = std::aligned_alloc(step, (size + step - 1) / step * step)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
#endif

namespace pmufab::testing {

bool counts_allocations() noexcept {
#if defined(PMUFAB_SANITIZED)
  return false;
#else
  return true;
#endif
}
std::uint64_t allocations() noexcept { return allocation_count; }
std::uint64_t allocated_bytes() noexcept { return byte_count; }

}  // namespace pmufab::testing
