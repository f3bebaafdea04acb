// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/bitops.h>
#include <linux/string.h>

#define BITMAP_FROM_U64(value) ((unsigned long)(value))
#define BITMAP_LAST_WORD_MASK(bits) (~0UL >> (-(bits) & (BITS_PER_LONG - 1)))
#define BITMAP_FIRST_WORD_MASK(start) (~0UL << ((start) & (BITS_PER_LONG - 1)))

static inline void bitmap_zero(unsigned long* to, unsigned int bits) {
  memset(to, 0, BITS_TO_LONGS(bits) * sizeof(long));
}
static inline void bitmap_fill(unsigned long* to, unsigned int bits) {
  memset(to, 0xff, BITS_TO_LONGS(bits) * sizeof(long));
}
static inline void bitmap_copy(unsigned long* to, const unsigned long* from, unsigned int bits) {
  memcpy(to, from, BITS_TO_LONGS(bits) * sizeof(long));
}
static inline bool bitmap_empty(const unsigned long* words, unsigned int bits) {
  return find_first_bit(words, bits) >= bits;
}
static inline bool bitmap_full(const unsigned long* words, unsigned int bits) {
  return find_first_zero_bit(words, bits) >= bits;
}
unsigned int bitmap_weight(const unsigned long* words, unsigned int bits);
bool bitmap_equal(const unsigned long* left, const unsigned long* right, unsigned int bits);
bool bitmap_intersects(const unsigned long* left, const unsigned long* right, unsigned int bits);
bool bitmap_subset(const unsigned long* left, const unsigned long* right, unsigned int bits);
/* bitmap_and and bitmap_andnot return true if any bit is left. */
bool bitmap_and(unsigned long* to, const unsigned long* left, const unsigned long* right, unsigned int bits);
bool bitmap_andnot(unsigned long* to, const unsigned long* left, const unsigned long* right, unsigned int bits);
void bitmap_or(unsigned long* to, const unsigned long* left, const unsigned long* right, unsigned int bits);
void bitmap_xor(unsigned long* to, const unsigned long* left, const unsigned long* right, unsigned int bits);
void bitmap_set(unsigned long* words, unsigned int start, unsigned int count);
void bitmap_clear(unsigned long* words, unsigned int start, unsigned int count);
void bitmap_from_arr32(unsigned long* to, const u32* from, unsigned int bits);
void bitmap_to_arr32(u32* to, const unsigned long* from, unsigned int bits);
void bitmap_from_arr64(unsigned long* to, const u64* from, unsigned int bits);
void bitmap_to_arr64(u64* to, const unsigned long* from, unsigned int bits);
int bitmap_find_free_region(unsigned long* words, unsigned int bits, int order);
void bitmap_release_region(unsigned long* words, unsigned int start, int order);
int bitmap_allocate_region(unsigned long* words, unsigned int start, int order);
unsigned long* bitmap_zalloc(unsigned int bits, gfp_t flags);
#define bitmap_alloc(bits, flags) bitmap_zalloc((bits), (flags))
struct device;
unsigned long* devm_bitmap_zalloc(struct device* dev, unsigned int bits, gfp_t flags);
void bitmap_free(const unsigned long* words);
static inline void bitmap_from_u64(unsigned long* to, u64 value) { to[0] = value; }
int bitmap_print_to_pagebuf(bool list, char* buffer, const unsigned long* words, int bits);
