// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_OVERFLOW_H
#define PMUFAB_LINUX_OVERFLOW_H

#include <linux/limits.h>
#include <linux/types.h>

#define check_add_overflow(left, right, result) __builtin_add_overflow(left, right, result)
#define check_sub_overflow(left, right, result) __builtin_sub_overflow(left, right, result)
#define check_mul_overflow(left, right, result) __builtin_mul_overflow(left, right, result)

/* Sizes saturate, and the allocator refuses SIZE_MAX. */
static inline size_t size_mul(size_t left, size_t right) {
  size_t product;
  return check_mul_overflow(left, right, &product) ? SIZE_MAX : product;
}
static inline size_t size_add(size_t left, size_t right) {
  size_t sum;
  return check_add_overflow(left, right, &sum) ? SIZE_MAX : sum;
}
#define array_size(count, size) size_mul((count), (size))
#define struct_size(object, member, count) size_add(sizeof(*(object)), size_mul((count), sizeof((object)->member[0])))
#define struct_size_t(type, member, count) size_add(sizeof(type), size_mul((count), sizeof(((type*)0)->member[0])))

#endif
