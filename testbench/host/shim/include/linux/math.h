// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_MATH_H
#define PMUFAB_LINUX_MATH_H
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
#endif
