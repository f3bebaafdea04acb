// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_FIND_H
#define PMUFAB_LINUX_FIND_H

#include <linux/types.h>

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

#endif
