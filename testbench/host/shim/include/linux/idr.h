// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_IDR_H
#define PMUFAB_LINUX_IDR_H

#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/xarray.h>

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

#endif
