// SPDX-License-Identifier: BSD-2-Clause
/* Fields of a register, named by a mask of consecutive bits. */
#pragma once

#include <linux/bitops.h>

#define __bf_shf(mask) (__builtin_ffsll(mask) - 1)
#define FIELD_MAX(mask) ((__typeof__(mask))((mask) >> __bf_shf(mask)))
#define FIELD_FIT(mask, value) (!(((u64)(value) << __bf_shf(mask)) & ~(u64)(mask)))
#define FIELD_PREP(mask, value) (((__typeof__(mask))(value) << __bf_shf(mask)) & (mask))
#define FIELD_PREP_CONST(mask, value) FIELD_PREP(mask, value)
#define FIELD_GET(mask, word) ((__typeof__(mask))(((word) & (mask)) >> __bf_shf(mask)))
#define FIELD_MODIFY(mask, word, value) (*(word) = (*(word) & ~(mask)) | FIELD_PREP(mask, value))
#define field_get(mask, word) FIELD_GET(mask, word)
#define field_prep(mask, value) FIELD_PREP(mask, value)

#define __PMUFAB_FIELD_FUNCTIONS(bits)                                                                             \
  static inline u##bits u##bits##_get_bits(u##bits word, u##bits mask) { return (word & mask) >> __bf_shf(mask); } \
  static inline u##bits u##bits##_encode_bits(u##bits value, u##bits mask) {                                       \
    return (u##bits)(value << __bf_shf(mask)) & mask;                                                              \
  }                                                                                                                \
  static inline u##bits u##bits##_replace_bits(u##bits word, u##bits value, u##bits mask) {                        \
    return (word & ~mask) | u##bits##_encode_bits(value, mask);                                                    \
  }                                                                                                                \
  static inline void u##bits##p_replace_bits(u##bits* word, u##bits value, u##bits mask) {                         \
    *word = u##bits##_replace_bits(*word, value, mask);                                                            \
  }
__PMUFAB_FIELD_FUNCTIONS(8)
__PMUFAB_FIELD_FUNCTIONS(16)
__PMUFAB_FIELD_FUNCTIONS(32)
__PMUFAB_FIELD_FUNCTIONS(64)
#undef __PMUFAB_FIELD_FUNCTIONS
