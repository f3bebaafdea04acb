// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_ATOMIC_H
#define PMUFAB_LINUX_ATOMIC_H

#include <linux/compiler.h>
#include <linux/types.h>

/* One thread that can be interrupted only inside a register access: plain operations are atomic. */
#define ATOMIC_INIT(value) \
  { (value) }
#define ATOMIC64_INIT(value) \
  { (value) }

#define __PMUFAB_ATOMIC(prefix, type, number)                                                               \
  static inline number prefix##_read(const type* object) { return READ_ONCE(object->counter); }             \
  static inline void prefix##_set(type* object, number value) { WRITE_ONCE(object->counter, value); }       \
  static inline number prefix##_add_return(number value, type* object) { return object->counter += value; } \
  static inline number prefix##_sub_return(number value, type* object) { return object->counter -= value; } \
  static inline void prefix##_add(number value, type* object) { object->counter += value; }                 \
  static inline void prefix##_sub(number value, type* object) { object->counter -= value; }                 \
  static inline void prefix##_inc(type* object) { object->counter++; }                                      \
  static inline void prefix##_dec(type* object) { object->counter--; }                                      \
  static inline number prefix##_inc_return(type* object) { return ++object->counter; }                      \
  static inline number prefix##_dec_return(type* object) { return --object->counter; }                      \
  static inline number prefix##_fetch_inc(type* object) { return object->counter++; }                       \
  static inline number prefix##_fetch_dec(type* object) { return object->counter--; }                       \
  static inline number prefix##_fetch_add(number value, type* object) {                                     \
    number old = object->counter;                                                                           \
    object->counter += value;                                                                               \
    return old;                                                                                             \
  }                                                                                                         \
  static inline bool prefix##_dec_and_test(type* object) { return --object->counter == 0; }                 \
  static inline bool prefix##_inc_and_test(type* object) { return ++object->counter == 0; }                 \
  static inline bool prefix##_add_unless(type* object, number value, number except) {                       \
    if (object->counter == except) return false;                                                            \
    object->counter += value;                                                                               \
    return true;                                                                                            \
  }                                                                                                         \
  static inline bool prefix##_inc_not_zero(type* object) { return prefix##_add_unless(object, 1, 0); }      \
  static inline number prefix##_xchg(type* object, number value) {                                          \
    number old = object->counter;                                                                           \
    object->counter = value;                                                                                \
    return old;                                                                                             \
  }                                                                                                         \
  static inline number prefix##_cmpxchg(type* object, number expected, number value) {                      \
    number old = object->counter;                                                                           \
    if (old == expected) object->counter = value;                                                           \
    return old;                                                                                             \
  }                                                                                                         \
  static inline bool prefix##_try_cmpxchg(type* object, number* expected, number value) {                   \
    number old = prefix##_cmpxchg(object, *expected, value);                                                \
    bool same = old == *expected;                                                                           \
    *expected = old;                                                                                        \
    return same;                                                                                            \
  }

__PMUFAB_ATOMIC(atomic, atomic_t, int)
__PMUFAB_ATOMIC(atomic64, atomic64_t, s64)
__PMUFAB_ATOMIC(atomic_long, atomic_long_t, s64)

#define xchg(pointer, value)                   \
  ({                                           \
    __typeof__(*(pointer)) __old = *(pointer); \
    *(pointer) = (value);                      \
    __old;                                     \
  })
#define cmpxchg(pointer, expected, value)          \
  ({                                               \
    __typeof__(*(pointer)) __old = *(pointer);     \
    if (__old == (expected)) *(pointer) = (value); \
    __old;                                         \
  })

#endif
