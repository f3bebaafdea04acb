/* The one unit of a driver module that is compiled with the C library's headers instead of the shim's. */
#include "libc.h"

#include <stdlib.h>
#include <sys/mman.h>

static const size_t kLargest = (size_t)1 << 40;

void* pmufab_libc_alloc(size_t size) { return size > kLargest ? NULL : malloc(size ? size : 1); }

void* pmufab_libc_alloc_page(size_t size) {
  void* object = NULL;
  return posix_memalign(&object, 4096, size) == 0 ? object : NULL;
}

void* pmufab_libc_realloc(void* old, size_t size) { return size > kLargest ? NULL : realloc(old, size ? size : 1); }

void pmufab_libc_free(void* object) { free(object); }

void* pmufab_libc_reserve(size_t size) {
  void* start = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return start == MAP_FAILED ? NULL : start;
}

void pmufab_libc_unreserve(void* start, size_t size) { munmap(start, size); }
