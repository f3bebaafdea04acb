// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_IDR_H
#define PMUFAB_LINUX_IDR_H

#include <linux/bitmap.h>
#include <linux/errno.h>

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

#endif
