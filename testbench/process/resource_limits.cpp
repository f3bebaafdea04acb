// SPDX-License-Identifier: Apache-2.0
#include "testbench/process/resource_limits.h"

#include <dlfcn.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>

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

constexpr int kSmallStep = 128 << 10;             // the C library's own
constexpr std::uint64_t kMuchMemory = 1U << 30U;  // so much that the heap's last step hardly matters

bool is_limited(int resource) {
  rlimit limit{};
  return getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

/// Its shadow of all memory would not fit. Drivers may bring it along, too.
bool has_address_sanitizer() { return dlsym(RTLD_DEFAULT, "__asan_init") != nullptr; }

}  // namespace

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

void use_large_pages() {
  if (has_address_sanitizer() || is_limited(RLIMIT_DATA) || is_limited(RLIMIT_AS)) return;
  constexpr int kStep = 64 << 20;     // bytes by which the heap grows
  constexpr int kLargest = 32 << 20;  // the largest threshold that the C library accepts
  mallopt(M_MMAP_THRESHOLD, kLargest);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_TOP_PAD, kStep);
  // The heap grows for a block that does not fit into its first 132 KiB. Volatile, or the compiler leaves both calls out.
  char* const before = static_cast<char*>(sbrk(0));
  void* volatile block = std::malloc(std::size_t{1} << 20U);
  std::free(block);
  char* const end = static_cast<char*>(sbrk(0));
  if (end > before) {
    madvise(before, static_cast<std::size_t>(end - before), MADV_HUGEPAGE);
  } else {
    mallopt(M_TOP_PAD, kSmallStep);  // there is no room for such steps
  }
}

}  // namespace pmufab::process
