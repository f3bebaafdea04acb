// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_XARRAY_H
#define PMUFAB_LINUX_XARRAY_H

#include <linux/err.h>
#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/limits.h>
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

#endif
