// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/compiler_types.h>
#include <linux/types.h>

#define BIT(number) (1UL << (number))
#define BIT_ULL(number) (1ULL << (number))
#define BIT_U8(number) ((u8)(1U << (number)))
#define BIT_U16(number) ((u16)(1U << (number)))
#define BIT_U32(number) ((u32)(1U << (number)))
#define BIT_U64(number) ((u64)1 << (number))
#define BIT_MASK(number) (1UL << ((number) % BITS_PER_LONG))
#define BIT_WORD(number) ((number) / BITS_PER_LONG)

#define __PMUFAB_GENMASK(type, high, low) \
  ((type)((((type) ~(type)0) << (low)) & (((type) ~(type)0) >> (sizeof(type) * 8 - 1 - (high)))))
#define GENMASK(high, low) __PMUFAB_GENMASK(unsigned long, high, low)
#define GENMASK_ULL(high, low) __PMUFAB_GENMASK(unsigned long long, high, low)
#define GENMASK_U8(high, low) ((u8)GENMASK_ULL(high, low))
#define GENMASK_U16(high, low) ((u16)GENMASK_ULL(high, low))
#define GENMASK_U32(high, low) ((u32)GENMASK_ULL(high, low))
#define GENMASK_U64(high, low) GENMASK_ULL(high, low)

/* First bit at or after `offset` that is set in (left & right) xor invert; `size` if there is none. */
unsigned long pmufab_find_bit(const unsigned long* left, const unsigned long* right, unsigned long invert_right,
                              unsigned long invert, unsigned long size, unsigned long offset);

static inline unsigned long find_next_bit(const unsigned long* words, unsigned long size, unsigned long offset) {
  return pmufab_find_bit(words, 0, 0, 0, size, offset);
}
static inline unsigned long find_first_bit(const unsigned long* words, unsigned long size) {
  return pmufab_find_bit(words, 0, 0, 0, size, 0);
}
static inline unsigned long find_next_zero_bit(const unsigned long* words, unsigned long size, unsigned long offset) {
  return pmufab_find_bit(words, 0, 0, ~0UL, size, offset);
}
static inline unsigned long find_first_zero_bit(const unsigned long* words, unsigned long size) {
  return pmufab_find_bit(words, 0, 0, ~0UL, size, 0);
}
static inline unsigned long find_next_and_bit(const unsigned long* left, const unsigned long* right, unsigned long size,
                                              unsigned long offset) {
  return pmufab_find_bit(left, right, 0, 0, size, offset);
}
static inline unsigned long find_first_and_bit(const unsigned long* left, const unsigned long* right,
                                               unsigned long size) {
  return pmufab_find_bit(left, right, 0, 0, size, 0);
}
static inline unsigned long find_next_andnot_bit(const unsigned long* left, const unsigned long* right,
                                                 unsigned long size, unsigned long offset) {
  return pmufab_find_bit(left, right, ~0UL, 0, size, offset);
}
unsigned long find_last_bit(const unsigned long* words, unsigned long size);

#define for_each_set_bit(bit, words, size) \
  for ((bit) = 0; (bit) = find_next_bit((words), (size), (bit)), (bit) < (size); (bit)++)
#define for_each_set_bit_from(bit, words, size) \
  for (; (bit) = find_next_bit((words), (size), (bit)), (bit) < (size); (bit)++)
#define for_each_clear_bit(bit, words, size) \
  for ((bit) = 0; (bit) = find_next_zero_bit((words), (size), (bit)), (bit) < (size); (bit)++)
#define for_each_and_bit(bit, left, right, size) \
  for ((bit) = 0; (bit) = find_next_and_bit((left), (right), (size), (bit)), (bit) < (size); (bit)++)

static inline bool test_bit(unsigned long bit, const volatile unsigned long* words) {
  return (words[BIT_WORD(bit)] >> (bit % BITS_PER_LONG)) & 1;
}
static inline void set_bit(unsigned long bit, volatile unsigned long* words) { words[BIT_WORD(bit)] |= BIT_MASK(bit); }
static inline void clear_bit(unsigned long bit, volatile unsigned long* words) {
  words[BIT_WORD(bit)] &= ~BIT_MASK(bit);
}
static inline void change_bit(unsigned long bit, volatile unsigned long* words) {
  words[BIT_WORD(bit)] ^= BIT_MASK(bit);
}
static inline bool test_and_set_bit(unsigned long bit, volatile unsigned long* words) {
  bool was = test_bit(bit, words);
  set_bit(bit, words);
  return was;
}
static inline bool test_and_clear_bit(unsigned long bit, volatile unsigned long* words) {
  bool was = test_bit(bit, words);
  clear_bit(bit, words);
  return was;
}
static inline void assign_bit(unsigned long bit, volatile unsigned long* words, bool value) {
  if (value)
    set_bit(bit, words);
  else
    clear_bit(bit, words);
}
#define __set_bit set_bit
#define __clear_bit clear_bit
#define __change_bit change_bit
#define __test_and_set_bit test_and_set_bit
#define __test_and_clear_bit test_and_clear_bit
#define __assign_bit assign_bit

static inline unsigned int hweight64(u64 word) { return (unsigned int)__builtin_popcountll(word); }
static inline unsigned int hweight32(u32 word) { return (unsigned int)__builtin_popcount(word); }
static inline unsigned int hweight16(u16 word) { return (unsigned int)__builtin_popcount(word); }
static inline unsigned int hweight8(u8 word) { return (unsigned int)__builtin_popcount(word); }
static inline unsigned int hweight_long(unsigned long word) { return hweight64(word); }

/* ffs and fls number bits from 1; __ffs and __fls from 0 and need a bit set. */
static inline int fls(unsigned int word) { return word ? 32 - __builtin_clz(word) : 0; }
static inline int fls64(u64 word) { return word ? 64 - __builtin_clzll(word) : 0; }
static inline unsigned long __ffs(unsigned long word) { return (unsigned long)__builtin_ctzl(word); }
static inline unsigned long __fls(unsigned long word) { return 63UL - (unsigned long)__builtin_clzl(word); }
static inline unsigned long ffz(unsigned long word) { return __ffs(~word); }
static inline unsigned int __ffs64(u64 word) { return (unsigned int)__builtin_ctzll(word); }
#define ffs(word) __builtin_ffs(word)

static inline u32 rol32(u32 word, unsigned int shift) { return (word << (shift & 31)) | (word >> (-shift & 31)); }
static inline u32 ror32(u32 word, unsigned int shift) { return (word >> (shift & 31)) | (word << (-shift & 31)); }
static inline s64 sign_extend64(u64 value, int bit) {
  int shift = 63 - bit;
  return (s64)(value << shift) >> shift;
}
static inline s32 sign_extend32(u32 value, int bit) {
  int shift = 31 - bit;
  return (s32)(value << shift) >> shift;
}

#define ilog2(value) (63 - __builtin_clzll(value))
static inline bool is_power_of_2(unsigned long value) { return value && !(value & (value - 1)); }
static inline unsigned long roundup_pow_of_two(unsigned long value) { return value <= 1 ? 1 : 1UL << fls64(value - 1); }
static inline unsigned long rounddown_pow_of_two(unsigned long value) { return 1UL << __fls(value); }
#define order_base_2(value) ((value) <= 1 ? 0 : ilog2((value)-1) + 1)
