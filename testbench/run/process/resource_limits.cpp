// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/process/resource_limits.h"

#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <span>
#include <thread>

#ifdef PMUFAB_SANITIZED
#include <sanitizer/asan_interface.h>

// NOLINTBEGIN(readability-identifier-naming): the names are the linker's and the sanitizer's own
extern "C" {
void __asan_init();
void __sanitizer_malloc_hook(const volatile void* block, std::size_t size);
}
// NOLINTEND(readability-identifier-naming)
#endif

namespace pmufab::process {
namespace {

void lower(int resource, std::uint64_t soft, std::uint64_t hard) {
  rlimit limit{};
  // The type of `resource` is an enumeration in C++ only.
  const auto which = static_cast<__rlimit_resource>(resource);
  if (getrlimit(which, &limit) != 0) return;
  limit.rlim_max = std::min<rlim_t>(limit.rlim_max, hard);
  limit.rlim_cur = std::min({limit.rlim_cur, limit.rlim_max, static_cast<rlim_t>(soft)});
  setrlimit(which, &limit);
}

constexpr int kSmallStep = 128 << 10;  // the C library's own

/// Its shadow of all memory would not fit. Drivers may bring it along, too.
bool has_address_sanitizer() { return dlsym(RTLD_DEFAULT, "__asan_init") != nullptr; }

#ifdef PMUFAB_SANITIZED

/// The kernel makes the pages of a range at once, as if each were written: large ones where they fit. Old kernels do not, and
/// nothing is lost.
void take(std::uintptr_t begin, std::uintptr_t end) {
  const int error = errno;
  const auto page = static_cast<std::uintptr_t>(getpagesize());
  begin &= ~(page - 1);
  end = (end + page - 1) & ~(page - 1);
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_POPULATE_WRITE);
  errno = error;
}

/// The program's data, constant ones too, have shadow.
int take_data(dl_phdr_info* program, std::size_t /*size*/, void* /*nothing*/) {
  std::size_t scale = 0;
  std::size_t offset = 0;
  __asan_get_shadow_mapping(&scale, &offset);
  const std::span segments(program->dlpi_phdr, program->dlpi_phnum);
  std::uintptr_t constant_end = 0;  // of data that the loader has filled in, and made constant
  for (const auto& segment : segments)
    if (segment.p_type == PT_GNU_RELRO) constant_end = program->dlpi_addr + segment.p_vaddr + segment.p_memsz;
  for (const auto& segment : segments) {
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) != 0) continue;
    const std::uintptr_t begin = program->dlpi_addr + segment.p_vaddr;
    const std::uintptr_t end = begin + segment.p_memsz;
    take((begin >> scale) + offset, (end >> scale) + offset);
    if ((segment.p_flags & PF_W) != 0 && end > constant_end) take(std::max(begin, constant_end), end);
  }
  return 1;  // the first is the program itself
}

#else

constexpr std::uintptr_t kLargePage = 2 << 20;
bool heap_has_large_pages = false;

bool is_limited(int resource) {
  rlimit limit{};
  return getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

void use_large_pages() {
  if (has_address_sanitizer() || is_limited(RLIMIT_DATA) || is_limited(RLIMIT_AS)) return;
  constexpr int kStep = 64 << 20;     // bytes by which the heap grows
  constexpr int kLargest = 32 << 20;  // the largest threshold that the C library accepts
  mallopt(M_MMAP_THRESHOLD, kLargest);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_TOP_PAD, kStep);
  // The heap grows for a block that does not fit into its first 132 KiB. This block stays, and nothing is in it: the heap
  // goes on shortly before a large page. Volatile, or the compiler leaves the call out.
  char* const before = static_cast<char*>(sbrk(0));
  void* volatile const block =
      std::malloc(kLargePage + kLargePage - reinterpret_cast<std::uintptr_t>(before) % kLargePage);
  char* const end = static_cast<char*>(sbrk(0));
  if (block != nullptr && end > before) {
    heap_has_large_pages = madvise(before, static_cast<std::size_t>(end - before), MADV_HUGEPAGE) == 0;
  } else {
    mallopt(M_TOP_PAD, kSmallStep);  // there is no room for such steps
  }
}

#endif

}  // namespace

unsigned processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  // It does not know more processors than the set has room for.
  if (sched_getaffinity(0, sizeof set, &set) != 0) return std::max(1U, std::thread::hardware_concurrency());
  return static_cast<unsigned>(CPU_COUNT(&set));
}

void limit_resources(const ResourceLimits& limits) {
  constexpr std::uint64_t kPatience = 5;
  if (limits.memory > 0 && !has_address_sanitizer()) {
    if (limits.memory < kMuchMemory) {
      // What the heap has in store would count, too.
      mallopt(M_TOP_PAD, kSmallStep);
      malloc_trim(0);
    }
    lower(RLIMIT_DATA, limits.memory, limits.memory);
  }
  if (limits.files > 0) lower(RLIMIT_NOFILE, limits.files, limits.files);
  if (limits.processor_seconds > 0) lower(RLIMIT_CPU, limits.processor_seconds, limits.processor_seconds + kPatience);
  std::ofstream("/proc/self/oom_score_adj") << 1000;
}

void leave_parents_page() {
#ifndef PMUFAB_SANITIZED
  if (!heap_has_large_pages) return;
  const std::uintptr_t unused = reinterpret_cast<std::uintptr_t>(sbrk(0)) - mallinfo2().keepcost;
  // A block that stays, and nothing is in it. If it fits between the parent's, it has not moved the heap's end, so there is
  // another one. Volatile, or the compiler leaves the call out.
  for (int attempts = 0; attempts < 4; ++attempts) {
    void* volatile const block = std::malloc(kLargePage - unused % kLargePage);
    if (reinterpret_cast<std::uintptr_t>(block) >= unused) break;
  }
#endif
}

void take_memory_early() {
#ifdef PMUFAB_SANITIZED
  __asan_init();
  dl_iterate_phdr(take_data, nullptr);
#else
  use_large_pages();
#endif
}

}  // namespace pmufab::process

#ifdef PMUFAB_SANITIZED
// NOLINTNEXTLINE(readability-identifier-naming): the sanitizers call it after each allocation
extern "C" void __sanitizer_malloc_hook(const volatile void* block, std::size_t size) {
  constexpr std::size_t kLarge = 1 << 20;
  constexpr std::size_t kHuge = 4 << 20;  // what is larger often stays empty
  const auto begin = reinterpret_cast<std::uintptr_t>(block);
  if (size >= kLarge && size <= kHuge) pmufab::process::take(begin, begin + size);
}
#endif
