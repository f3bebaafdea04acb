// SPDX-License-Identifier: Apache-2.0
// Preloaded into GCC by tools/test. GCC asks the kernel for its memory in pieces of 2 MiB, wherever they come to lie. Here
// they are cut from blocks that begin where a large page does, because a fault for each page of 4 KiB takes long on a
// virtual machine.

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { large_page = 2 << 20, block_size = 256 << 20 };

static void* map(void* address, size_t size, int protection, int flags, int file, off_t offset) {
  return (void*)syscall(SYS_mmap, address, size, protection, flags, file, offset);
}

// Each thread has a block of its own.
static void* piece(size_t size, int protection, int flags) {
  static _Thread_local uintptr_t next, end;
  if (end - next < size) {
    void* block = map(NULL, block_size + large_page, protection, flags | MAP_NORESERVE, -1, 0);
    if (block == MAP_FAILED) return map(NULL, size, protection, flags, -1, 0);
    next = ((uintptr_t)block + large_page - 1) / large_page * large_page;
    end = next + block_size;
    madvise((void*)next, block_size, MADV_HUGEPAGE);
  }
  next += size;
  return (void*)(next - size);
}

void* mmap(void* address, size_t size, int protection, int flags, int file, off_t offset) {
  const int memory =
      address == NULL && protection == (PROT_READ | PROT_WRITE) && flags == (MAP_PRIVATE | MAP_ANONYMOUS);
  if (memory && size > 0 && size % large_page == 0 && size <= block_size) return piece(size, protection, flags);
  return map(address, size, protection, flags, file, offset);
}
