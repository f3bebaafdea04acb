// SPDX-License-Identifier: BSD-2-Clause
/* The only unit of a driver module that is compiled with the C library's headers instead of the shim's. */
#include "libc.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef PMUFAB_SANITIZED
#include <sanitizer/asan_interface.h>
#endif

static const size_t kLargest = (size_t)1 << 40;

#ifdef PMUFAB_SANITIZED
/* The kernel allocates objects of fixed sizes, and its debugging allocator fills the unused rest with this byte
 * (SLUB_RED_ACTIVE). A driver that reads beyond its object reads the same here, and continues as it would there. */
static const int kRedZone = 0xcc;

/* The size of the kernel's object for a request: powers of two, 96 and 192. */
static size_t object_size(size_t size) {
  if (size > 64 && size <= 96) return 96;
  if (size > 128 && size <= 192) return 192;
  size_t object = 8;
  while (object < size) object *= 2;
  return object;
}

static void* allocate(size_t size) {
  const size_t whole = object_size(size);
  char* object = malloc(whole);
  if (object && whole > size) {
    memset(object + size, kRedZone, whole - size);
    ASAN_POISON_MEMORY_REGION(object + size, whole - size);
  }
  return object;
}
#else
static void* allocate(size_t size) { return malloc(size); }
#endif

void* pmufab_libc_alloc(size_t size) { return size > kLargest ? NULL : allocate(size ? size : 1); }

void* pmufab_libc_alloc_page(size_t size) {
  void* object = NULL;
  return posix_memalign(&object, 4096, size) == 0 ? object : NULL;
}

void* pmufab_libc_realloc(void* old, size_t size) { return size > kLargest ? NULL : realloc(old, size ? size : 1); }

void pmufab_libc_free(void* object) { free(object); }

int pmufab_libc_is_there(size_t size) {
  void* start = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return start != MAP_FAILED && munmap(start, size) == 0;
}

void* pmufab_libc_reserve(size_t size) {
  void* start = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return start == MAP_FAILED ? NULL : start;
}

void pmufab_libc_unreserve(void* start, size_t size) { munmap(start, size); }
