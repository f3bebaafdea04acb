// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/types.h>

/* Pointers by index. */
struct pmufab_xa_entry {
  unsigned long index;
  void* pointer; /* not null */
};
struct xarray {
  struct pmufab_xa_entry* entries; /* sorted by index */
  size_t count, capacity;
  unsigned long flags;
};
struct xa_limit {
  u32 max, min;
};
#define XA_FLAGS_ALLOC 1
#define XA_FLAGS_ALLOC1 2
#define XA_LIMIT(low, high) ((struct xa_limit){.min = (low), .max = (high)})
#define xa_limit_32b XA_LIMIT(0, UINT_MAX)
#define xa_limit_31b XA_LIMIT(0, INT_MAX)
#define XARRAY_INIT(name, bits) \
  { .flags = (bits) }
#define DEFINE_XARRAY_FLAGS(name, bits) struct xarray name = XARRAY_INIT(name, bits)
#define DEFINE_XARRAY(name) DEFINE_XARRAY_FLAGS(name, 0)
#define DEFINE_XARRAY_ALLOC(name) DEFINE_XARRAY_FLAGS(name, XA_FLAGS_ALLOC)
static inline void xa_init_flags(struct xarray* array, unsigned long flags) {
  *array = (struct xarray){.flags = flags};
}
static inline void xa_init(struct xarray* array) { xa_init_flags(array, 0); }
static inline bool xa_empty(const struct xarray* array) { return array->count == 0; }
void xa_destroy(struct xarray* array);
void* xa_load(const struct xarray* array, unsigned long index);
/* The former pointer, or an error as a pointer. A null pointer erases. */
void* xa_store(struct xarray* array, unsigned long index, void* pointer, gfp_t flags);
void* xa_erase(struct xarray* array, unsigned long index);
int xa_insert(struct xarray* array, unsigned long index, void* pointer, gfp_t flags); /* -EBUSY: it is taken */
int xa_alloc(struct xarray* array, u32* index, void* pointer, struct xa_limit limit, gfp_t flags); /* the lowest */
/* The first at `index` or after it, whose index is given back. */
void* xa_find(struct xarray* array, unsigned long* index, unsigned long last);
static inline bool xa_is_err(const void* pointer) { return IS_ERR(pointer); }
static inline int xa_err(const void* pointer) { return IS_ERR(pointer) ? (int)PTR_ERR(pointer) : 0; }
#define xa_for_each(array, index, entry) \
  for ((index) = 0; ((entry) = (__typeof__(entry))xa_find((array), &(index), ULONG_MAX)) != 0; (index)++)

/* Small numbers, allocated lowest first. */
struct ida {
  DECLARE_BITMAP(used, 1024);
};
#define IDA_INIT(name) \
  {                    \
    { 0 }              \
  }
#define DEFINE_IDA(name) struct ida name = IDA_INIT(name)
static inline void ida_init(struct ida* ida) { bitmap_zero(ida->used, 1024); }
static inline void ida_destroy(struct ida* ida) { bitmap_zero(ida->used, 1024); }
static inline int ida_alloc(struct ida* ida, gfp_t flags) {
  const unsigned long id = find_first_zero_bit(ida->used, 1024);
  (void)flags;
  if (id >= 1024) return -ENOSPC;
  set_bit(id, ida->used);
  return (int)id;
}
static inline int ida_alloc_max(struct ida* ida, unsigned int last, gfp_t flags) {
  const int id = ida_alloc(ida, flags);
  if (id < 0 || (unsigned int)id <= last) return id;
  clear_bit((unsigned long)id, ida->used);
  return -ENOSPC;
}
static inline void ida_free(struct ida* ida, unsigned int id) { clear_bit(id, ida->used); }

/* Pointers by number. */
struct idr {
  struct xarray entries;
};
#define IDR_INIT(name) \
  {                    \
    .entries = { 0 }   \
  }
#define DEFINE_IDR(name) struct idr name = IDR_INIT(name)
static inline void idr_init(struct idr* idr) { xa_init(&idr->entries); }
static inline void idr_destroy(struct idr* idr) { xa_destroy(&idr->entries); }
static inline void* idr_find(const struct idr* idr, unsigned long id) { return xa_load(&idr->entries, id); }
static inline void* idr_remove(struct idr* idr, unsigned long id) { return xa_erase(&idr->entries, id); }
static inline void* idr_replace(struct idr* idr, void* pointer, unsigned long id) {
  return xa_load(&idr->entries, id) ? xa_store(&idr->entries, id, pointer, GFP_ATOMIC) : ERR_PTR(-ENOENT);
}
/* The lowest free number from `start` on and below `end` (0: no limit). */
static inline int idr_alloc(struct idr* idr, void* pointer, int start, int end, gfp_t flags) {
  u32 id = 0;
  const struct xa_limit limit = XA_LIMIT((u32)start, end > 0 ? (u32)end - 1 : INT_MAX);
  const int error = xa_alloc(&idr->entries, &id, pointer, limit, flags);
  return error == -EBUSY ? -ENOSPC : error ? error : (int)id;
}
static inline bool idr_is_empty(const struct idr* idr) { return xa_empty(&idr->entries); }
#define idr_for_each_entry(idr, entry, id)                                                                     \
  for (unsigned long __at = 0; ((entry) = (__typeof__(entry))xa_find(&(idr)->entries, &__at, INT_MAX)) != 0 && \
                               ((id) = (__typeof__(id))__at, true);                                            \
       __at++)
