// SPDX-License-Identifier: BSD-2-Clause
/* Bit sets of any length. */
#include <linux/bitmap.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/slab.h>

#include "runtime.h"

unsigned long pmufab_find_bit(const unsigned long* left, const unsigned long* right, unsigned long invert_right,
                              unsigned long invert, unsigned long size, unsigned long offset) {
  while (offset < size) {
    const unsigned long index = BIT_WORD(offset);
    unsigned long word = left[index];
    if (right) word &= right[index] ^ invert_right;
    word = (word ^ invert) & (~0UL << (offset % BITS_PER_LONG));
    if (word) {
      const unsigned long bit = index * BITS_PER_LONG + __ffs(word);
      return bit < size ? bit : size;
    }
    offset = (index + 1) * BITS_PER_LONG;
  }
  return size;
}

unsigned long find_last_bit(const unsigned long* words, unsigned long size) {
  for (unsigned long bit = size; bit-- > 0;)
    if (test_bit(bit, words)) return bit;
  return size;
}

/* Word `index` of a set of `bits` bits, without the bits beyond its end. */
static unsigned long word_of(const unsigned long* words, unsigned int index, unsigned int bits) {
  return index == (bits - 1) / BITS_PER_LONG ? words[index] & BITMAP_LAST_WORD_MASK(bits) : words[index];
}

unsigned int bitmap_weight(const unsigned long* words, unsigned int bits) {
  unsigned int weight = 0;
  for (unsigned int i = 0; i < BITS_TO_LONGS(bits); i++) weight += hweight_long(word_of(words, i, bits));
  return weight;
}

bool bitmap_equal(const unsigned long* left, const unsigned long* right, unsigned int bits) {
  for (unsigned int i = 0; i < BITS_TO_LONGS(bits); i++)
    if (word_of(left, i, bits) != word_of(right, i, bits)) return false;
  return true;
}

bool bitmap_intersects(const unsigned long* left, const unsigned long* right, unsigned int bits) {
  for (unsigned int i = 0; i < BITS_TO_LONGS(bits); i++)
    if (word_of(left, i, bits) & right[i]) return true;
  return false;
}

bool bitmap_subset(const unsigned long* left, const unsigned long* right, unsigned int bits) {
  for (unsigned int i = 0; i < BITS_TO_LONGS(bits); i++)
    if (word_of(left, i, bits) & ~right[i]) return false;
  return true;
}

bool bitmap_and(unsigned long* to, const unsigned long* left, const unsigned long* right, unsigned int bits) {
  unsigned long any = 0;
  for (unsigned int i = 0; i < BITS_TO_LONGS(bits); i++) any |= to[i] = word_of(left, i, bits) & right[i];
  return any != 0;
}

bool bitmap_andnot(unsigned long* to, const unsigned long* left, const unsigned long* right, unsigned int bits) {
  unsigned long any = 0;
  for (unsigned int i = 0; i < BITS_TO_LONGS(bits); i++) any |= to[i] = word_of(left, i, bits) & ~right[i];
  return any != 0;
}

void bitmap_or(unsigned long* to, const unsigned long* left, const unsigned long* right, unsigned int bits) {
  for (unsigned int i = 0; i < BITS_TO_LONGS(bits); i++) to[i] = left[i] | right[i];
}

void bitmap_xor(unsigned long* to, const unsigned long* left, const unsigned long* right, unsigned int bits) {
  for (unsigned int i = 0; i < BITS_TO_LONGS(bits); i++) to[i] = left[i] ^ right[i];
}

void bitmap_set(unsigned long* words, unsigned int start, unsigned int count) {
  for (; count > 0; count--) set_bit(start++, words);
}

void bitmap_clear(unsigned long* words, unsigned int start, unsigned int count) {
  for (; count > 0; count--) clear_bit(start++, words);
}

void bitmap_from_arr32(unsigned long* to, const u32* from, unsigned int bits) {
  bitmap_zero(to, bits);
  for (unsigned int i = 0; i < (bits + 31) / 32; i++) to[i / 2] |= (unsigned long)from[i] << (i % 2 * 32);
  if (bits % BITS_PER_LONG) to[bits / BITS_PER_LONG] &= BITMAP_LAST_WORD_MASK(bits);
}

void bitmap_to_arr32(u32* to, const unsigned long* from, unsigned int bits) {
  for (unsigned int i = 0; i < (bits + 31) / 32; i++) to[i] = (u32)(word_of(from, i / 2, bits) >> (i % 2 * 32));
}

void bitmap_from_arr64(unsigned long* to, const u64* from, unsigned int bits) {
  for (unsigned int i = 0; i < BITS_TO_LONGS(bits); i++) to[i] = (unsigned long)from[i];
  if (bits % BITS_PER_LONG) to[bits / BITS_PER_LONG] &= BITMAP_LAST_WORD_MASK(bits);
}

void bitmap_to_arr64(u64* to, const unsigned long* from, unsigned int bits) {
  for (unsigned int i = 0; i < BITS_TO_LONGS(bits); i++) to[i] = word_of(from, i, bits);
}

int bitmap_allocate_region(unsigned long* words, unsigned int start, int order) {
  const unsigned int count = 1U << order;
  if (find_next_bit(words, start + count, start) < start + count) return -EBUSY;
  bitmap_set(words, start, count);
  return 0;
}

int bitmap_find_free_region(unsigned long* words, unsigned int bits, int order) {
  for (unsigned int start = 0; start + (1U << order) <= bits; start += 1U << order)
    if (bitmap_allocate_region(words, start, order) == 0) return (int)start;
  return -ENOMEM;
}

void bitmap_release_region(unsigned long* words, unsigned int start, int order) {
  bitmap_clear(words, start, 1U << order);
}

unsigned long* bitmap_zalloc(unsigned int bits, gfp_t flags) {
  return pmufab_alloc(BITS_TO_LONGS(bits) * sizeof(unsigned long), flags | __GFP_ZERO, PLACE);
}

void bitmap_free(const unsigned long* words) { kfree(words); }
