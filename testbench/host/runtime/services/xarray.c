// SPDX-License-Identifier: BSD-2-Clause
/* Arrays of pointers with holes. */
#include <linux/xarray.h>

#include "../runtime.h"

/* The place of the first entry at `index` or after it. */
static size_t place_of(const struct xarray* array, unsigned long index) {
  size_t low = 0, high = array->count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (array->entries[middle].index < index)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void xa_destroy(struct xarray* array) {
  kfree(array->entries);
  xa_init_flags(array, array->flags);
}

void* xa_load(const struct xarray* array, unsigned long index) {
  const size_t at = place_of(array, index);
  return at < array->count && array->entries[at].index == index ? array->entries[at].pointer : NULL;
}

void* xa_erase(struct xarray* array, unsigned long index) {
  const size_t at = place_of(array, index);
  if (at == array->count || array->entries[at].index != index) return NULL;
  void* old = array->entries[at].pointer;
  memmove(&array->entries[at], &array->entries[at + 1], (--array->count - at) * sizeof(*array->entries));
  if (array->count == 0) xa_destroy(array); /* an empty one holds no memory, as in the kernel */
  return old;
}

static void* store(struct xarray* array, unsigned long index, void* pointer, gfp_t flags, const void* place) {
  if (!pointer) return xa_erase(array, index);
  const size_t at = place_of(array, index);
  if (at < array->count && array->entries[at].index == index) {
    void* old = array->entries[at].pointer;
    array->entries[at].pointer = pointer;
    return old;
  }
  if (array->count == array->capacity) {
    const size_t capacity = array->capacity ? array->capacity * 2 : 8;
    struct pmufab_xa_entry* grown = pmufab_alloc(capacity * sizeof(*grown), flags, place);
    if (!grown) return ERR_PTR(-ENOMEM);
    memcpy(grown, array->entries, array->count * sizeof(*grown));
    kfree(array->entries);
    array->entries = grown;
    array->capacity = capacity;
  }
  memmove(&array->entries[at + 1], &array->entries[at], (array->count++ - at) * sizeof(*array->entries));
  array->entries[at] = (struct pmufab_xa_entry){.index = index, .pointer = pointer};
  return NULL;
}

void* xa_store(struct xarray* array, unsigned long index, void* pointer, gfp_t flags) {
  return store(array, index, pointer, flags, PLACE);
}

int xa_insert(struct xarray* array, unsigned long index, void* pointer, gfp_t flags) {
  if (xa_load(array, index)) return -EBUSY;
  return xa_err(store(array, index, pointer, flags, PLACE));
}

int xa_alloc(struct xarray* array, u32* index, void* pointer, struct xa_limit limit, gfp_t flags) {
  unsigned long free = limit.min;
  if (free == 0 && array->flags & XA_FLAGS_ALLOC1) free = 1;
  for (size_t at = place_of(array, free); at < array->count && array->entries[at].index == free; at++) free++;
  if (free > limit.max) return -EBUSY;
  *index = (u32)free;
  return xa_err(store(array, free, pointer, flags, PLACE));
}

void* xa_find(struct xarray* array, unsigned long* index, unsigned long last) {
  const size_t at = place_of(array, *index);
  if (at == array->count || array->entries[at].index > last) return NULL;
  *index = array->entries[at].index;
  return array->entries[at].pointer;
}
