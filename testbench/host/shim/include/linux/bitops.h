// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_BITOPS_H
#define PMUFAB_LINUX_BITOPS_H

#include <linux/bits.h>
#include <linux/find.h>
#include <linux/types.h>

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

#endif
