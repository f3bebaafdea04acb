// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_XARRAY_H
#define PMUFAB_LINUX_XARRAY_H
#include <linux/types.h>
/* Always empty: no code here fills one. */
struct xarray {
  int unused;
};
static inline void xa_init(struct xarray* array) { (void)array; }
static inline void* xa_load(const struct xarray* array, unsigned long index) {
  (void)array, (void)index;
  return 0;
}
#define xa_for_each(array, index, entry) for ((void)(array), (index) = 0, (entry) = 0; (entry);)
#endif
