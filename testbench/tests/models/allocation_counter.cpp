#include "testbench/tests/models/allocation_counter.h"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {
std::uint64_t allocation_count = 0;
}  // namespace

#if !defined(__SANITIZE_ADDRESS__)
void* operator new(std::size_t size) {
  ++allocation_count;
  if (void* const memory = std::malloc(size != 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  ++allocation_count;
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
#if defined(__SANITIZE_ADDRESS__)
  return false;
#else
  return true;
#endif
}
std::uint64_t allocations() noexcept { return allocation_count; }

}  // namespace pmufab::testing
