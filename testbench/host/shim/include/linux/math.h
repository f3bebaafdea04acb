// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/types.h>

#define DIV_ROUND_UP(value, divisor) (((value) + (divisor)-1) / (divisor))
#define DIV_ROUND_UP_ULL DIV_ROUND_UP
#define DIV_ROUND_CLOSEST(value, divisor) (((value) + (divisor) / 2) / (divisor))
#define DIV_ROUND_CLOSEST_ULL DIV_ROUND_CLOSEST
#define roundup(value, multiple) ((((value) + (multiple)-1) / (multiple)) * (multiple))
#define rounddown(value, multiple) ((value) - (value) % (multiple))
#define round_up(value, power) ((((value)-1) | ((__typeof__(value))((power)-1))) + 1)
#define round_down(value, power) ((value) & ~((__typeof__(value))((power)-1)))
#define abs(value) ((value) < 0 ? -(value) : (value))
#define mult_frac(value, numerator, denominator) ((value) * (numerator) / (denominator))
#define do_div(value, divisor)                         \
  ({                                                   \
    u32 __remainder = (u32)((value) % (u32)(divisor)); \
    (value) /= (u32)(divisor);                         \
    __remainder;                                       \
  })
static inline u64 div_u64(u64 value, u32 divisor) { return value / divisor; }
static inline u64 div_u64_rem(u64 value, u32 divisor, u32* remainder) {
  *remainder = (u32)(value % divisor);
  return value / divisor;
}
static inline u64 div64_u64(u64 value, u64 divisor) { return value / divisor; }
static inline u64 mul_u64_u32_shr(u64 value, u32 factor, unsigned int shift) {
  return (u64)(((unsigned __int128)value * factor) >> shift);
}

#define __pmufab_pick(left, right, better)    \
  ({                                          \
    __auto_type __left = (left);              \
    __auto_type __right = (right);            \
    __left better __right ? __left : __right; \
  })
#define min(left, right) __pmufab_pick(left, right, <)
#define max(left, right) __pmufab_pick(left, right, >)
#define min_t(type, left, right) min((type)(left), (type)(right))
#define max_t(type, left, right) max((type)(left), (type)(right))
#define umin(left, right) min((unsigned long long)(left), (unsigned long long)(right))
#define umax(left, right) max((unsigned long long)(left), (unsigned long long)(right))
#define min3(one, two, three) min(min(one, two), three)
#define max3(one, two, three) max(max(one, two), three)
#define MIN(left, right) ((left) < (right) ? (left) : (right))
#define MAX(left, right) ((left) > (right) ? (left) : (right))
#define clamp(value, low, high) min(max(value, low), high)
#define clamp_t(type, value, low, high) min_t(type, max_t(type, value, low), high)
#define clamp_val(value, low, high) clamp_t(__typeof__(value), value, low, high)
#define swap(left, right)                \
  do {                                   \
    __typeof__(left) __swapped = (left); \
    (left) = (right);                    \
    (right) = __swapped;                 \
  } while (0)

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
