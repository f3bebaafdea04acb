// SPDX-License-Identifier: BSD-2-Clause
/* The heap. As in a kernel with SLUB's debugging, freed memory holds a pattern that is no valid pointer, and stays out of
 * use for a while. What was written to it, or beyond an object, is noticed. So is what is freed wrongly or never. In a
 * sanitized module AddressSanitizer does that. */
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/slab.h>

#include "runtime.h"

/* The kernel's KMALLOC_MAX_SIZE with pages of 4 KiB, and what a managed object has in front of it there. */
enum { kLargest = 4 << 20, kManagedHeader = 128 };

/* Of a driver's object: a kernel warns, unless it was asked not to, and there is no memory. */
static bool is_too_large(size_t size, gfp_t flags, size_t largest, const void* place) {
  if (size <= largest || !pmufab_is_driver(place)) return false;
  if (!(flags & __GFP_NOWARN))
    pmufab_rule(place, "an object of %zu bytes cannot be had from %s: the largest has %zu bytes; it was asked for",
                size, largest == kLargest ? "kmalloc()" : "kvmalloc()", largest);
  return true;
}

#ifdef PMUFAB_SANITIZED

static void* take(size_t size, gfp_t flags, bool managed, const void* place) {
  pmufab_check_allocation(place, flags);
  if (pmufab_call_fails("kmalloc", place)) return NULL;
  (void)managed;
  void* object = pmufab_libc_alloc(size);
  if (object && (flags & __GFP_ZERO)) memset(object, 0, size);
  return object;
}

void* krealloc(const void* old, size_t size, gfp_t flags) {
  pmufab_check_allocation(PLACE, flags);
  if (PMUFAB_CALL_FAILS() || is_too_large(size, flags, kLargest, PLACE)) return NULL;
  return pmufab_libc_realloc((void*)old, size);
}

void kfree(const void* object) { pmufab_libc_free((void*)object); }
void pmufab_managed_free(void* object) { pmufab_libc_free(object); }
void pmufab_heap_exit(void) {}

#else

enum {
  kNew = 0x5a,
  kFreed = 0x6b,
  kBeyond = 0xcc,
  kBeyondSize = 16,
  kWaiting = 4 << 20,
  kStep = 1 << 20,
  kSpare = 16 << 20
};
/* A block's mark goes with its address, so that a copy of one is none. */
enum mark { kInUse = 0x55534544, kManaged = 0x44455652, kGone = 0x474f4e45 };

struct block {
  struct list_head node; /* of those in use, or of those that wait */
  size_t size;
  const void *allocated, *freed; /* where */
  u64 mark;
  unsigned char data[] __aligned(16);
};

static LIST_HEAD(in_use);
static LIST_HEAD(waiting); /* freed; the oldest first */
static size_t waiting_size;

static u64 mark_of(const struct block* block, enum mark mark) { return (unsigned long)block ^ (u64)mark << 32; }

static bool is_all(const unsigned char* from, unsigned char value, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (from[i] != value) return false;
  return true;
}

/* Drivers leave some memory to the simulator and to the runtime, which go on when a driver has taken all it gets. This
 * looks whenever another kStep has been taken. */
static bool is_room_for(size_t size, const void* place) {
  static size_t taken;
  if (size <= kStep - taken) {
    taken += size;
    return true;
  }
  if (!pmufab_is_driver(place)) return true;
  if (!pmufab_libc_is_there(size_add(size, kSpare))) return false;
  taken = 0;
  return true;
}

static void* take(size_t size, gfp_t flags, bool managed, const void* place) {
  pmufab_check_allocation(place, flags);
  if (pmufab_call_fails("kmalloc", place)) return NULL;
  const size_t whole = size_add(size_add(size, sizeof(struct block)), kBeyondSize);
  struct block* block = is_room_for(whole, place) ? pmufab_libc_alloc(whole) : NULL;
  if (!block) return NULL;
  block->size = size;
  block->allocated = place;
  block->freed = NULL;
  block->mark = mark_of(block, managed ? kManaged : kInUse);
  list_add_tail(&block->node, &in_use);
  memset(block->data, flags & __GFP_ZERO ? 0 : kNew, size);
  memset(block->data + size, kBeyond, kBeyondSize);
  return block->data;
}

static void check_beyond(const struct block* block) {
  if (!is_all(block->data + block->size, kBeyond, kBeyondSize))
    pmufab_rule(block->allocated, "memory was written beyond the end of an object of %zu bytes; it was allocated",
                block->size);
}

/* Give the oldest block back to the C library. */
static void let_go(void) {
  struct block* block = list_first_entry(&waiting, struct block, node);
  if (!is_all(block->data, kFreed, block->size))
    pmufab_rule(block->allocated, "an object of %zu bytes was written to after it had been freed; it was allocated",
                block->size);
  list_del(&block->node);
  waiting_size -= block->size;
  pmufab_libc_free(block);
}

static void release(struct block* block, const void* place) {
  check_beyond(block);
  pmufab_timers_forget(block->data, block->size);
  pmufab_work_forget(block->data, block->size);
  list_del(&block->node);
  block->mark = mark_of(block, kGone);
  block->freed = place;
  memset(block->data, kFreed, block->size);
  list_add_tail(&block->node, &waiting);
  waiting_size += block->size;
  while (waiting_size > kWaiting) let_go();
}

/* The block of an object that is about to be freed; null, and a rule is broken: there is nothing to free. */
static struct block* block_of(const void* object, enum mark mark, const void* place) {
  struct block* block = (struct block*)((unsigned long)object - sizeof(struct block));
  if ((unsigned long)object % 16 != 0)
    pmufab_rule(place, "memory is freed that was not allocated");
  else if (block->mark == mark_of(block, mark))
    return block;
  else if (block->mark == mark_of(block, kGone))
    pmufab_rule(place, "memory is freed twice");
  else if (block->mark == mark_of(block, kManaged))
    pmufab_rule(place, "memory of a device (devm) is freed with kfree(): it is freed again when the driver leaves");
  else
    pmufab_rule(place, "memory is freed that was not allocated");
  return NULL;
}

void kfree(const void* object) {
  if (!object) return;
  struct block* block = block_of(object, kInUse, PLACE);
  if (block) release(block, PLACE);
}

void pmufab_managed_free(void* object) {
  struct block* block = block_of(object, kManaged, PLACE);
  if (block) release(block, PLACE);
}

void* krealloc(const void* old, size_t size, gfp_t flags) {
  struct block* block = old ? block_of(old, kInUse, PLACE) : NULL;
  if (old && !block) return NULL;
  void* grown = is_too_large(size, flags, kLargest, PLACE) ? NULL : take(size, flags, false, PLACE);
  if (!grown || !block) return grown;
  memcpy(grown, old, min(block->size, size));
  release(block, PLACE);
  return grown;
}

/* The runtime's own objects may stay to the end. */
void pmufab_heap_exit(void) {
  struct block *block, *next;
  list_for_each_entry_safe(block, next, &in_use, node) {
    check_beyond(block);
    if (pmufab_is_driver(block->allocated))
      pmufab_rule(block->allocated, "an object of %zu bytes is never freed; it was allocated", block->size);
    list_del(&block->node);
    pmufab_libc_free(block);
  }
  while (!list_empty(&waiting)) let_go();
}

#endif

static void* allocate(size_t size, gfp_t flags, bool managed, const void* place) {
  const size_t whole = managed ? size_add(size, kManagedHeader) : size;
  return is_too_large(whole, flags, kLargest, place) ? NULL : take(size, flags, managed, place);
}

void* pmufab_alloc_large(size_t size, gfp_t flags, const void* place) {
  return is_too_large(size, flags, INT_MAX, place) ? NULL : take(size, flags, false, place);
}

void* kvmalloc(size_t size, gfp_t flags) { return pmufab_alloc_large(size, flags, PLACE); }
void* kmalloc(size_t size, gfp_t flags) { return allocate(size, flags, false, PLACE); }
void* pmufab_alloc(size_t size, gfp_t flags, const void* place) { return allocate(size, flags, false, place); }
void* pmufab_managed_alloc(size_t size, gfp_t flags, const void* place) { return allocate(size, flags, true, place); }

void* kmemdup(const void* from, size_t size, gfp_t flags) {
  void* copy = allocate(size, flags, false, PLACE);
  if (copy) memcpy(copy, from, size);
  return copy;
}

static char* duplicate(const char* text, size_t length, gfp_t flags, const void* place) {
  char* copy = allocate(length + 1, flags, false, place);
  if (!copy) return NULL;
  memcpy(copy, text, length);
  copy[length] = 0;
  return copy;
}

char* kstrndup(const char* text, size_t limit, gfp_t flags) {
  return text ? duplicate(text, strnlen(text, limit), flags, PLACE) : NULL;
}

char* kstrdup(const char* text, gfp_t flags) { return text ? duplicate(text, strlen(text), flags, PLACE) : NULL; }

static char* print(gfp_t flags, const char* format, va_list arguments, const void* place) {
  va_list again;
  va_copy(again, arguments);
  const int length = pmufab_vsnprintf(NULL, 0, format, again);
  va_end(again);
  char* text = allocate((size_t)length + 1, flags, false, place);
  if (text) pmufab_vsnprintf(text, (size_t)length + 1, format, arguments);
  return text;
}

char* kvasprintf(gfp_t flags, const char* format, va_list arguments) { return print(flags, format, arguments, PLACE); }

char* kasprintf(gfp_t flags, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char* text = print(flags, format, arguments, PLACE);
  va_end(arguments);
  return text;
}
