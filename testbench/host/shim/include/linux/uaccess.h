// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_UACCESS_H
#define PMUFAB_LINUX_UACCESS_H
#include <linux/slab.h>
/* User space and the kernel share one address space here, and these copies are never called. */
static inline unsigned long copy_to_user(void __user* to, const void* from, unsigned long size) {
  memcpy(to, from, size);
  return 0;
}
static inline unsigned long copy_from_user(void* to, const void __user* from, unsigned long size) {
  memcpy(to, from, size);
  return 0;
}
#define get_user(value, pointer) ((value) = *(pointer), 0)
#define put_user(value, pointer) (*(pointer) = (value), 0)
#define vmemdup_user(from, size) kmemdup((from), (size), GFP_KERNEL)
#endif
