// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/compiler_types.h>
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

typedef atomic64_t local64_t;
#define LOCAL64_INIT(value) ATOMIC64_INIT(value)
#define local64_read(object) atomic64_read(object)
#define local64_set(object, value) atomic64_set((object), (s64)(value))
#define local64_add(value, object) atomic64_add((s64)(value), (object))
#define local64_sub(value, object) atomic64_sub((s64)(value), (object))
#define local64_inc(object) atomic64_inc(object)
#define local64_dec(object) atomic64_dec(object)
#define local64_add_return(value, object) atomic64_add_return((s64)(value), (object))
#define local64_sub_return(value, object) atomic64_sub_return((s64)(value), (object))
/* Drivers pass unsigned variables for the signed counters. */
#define local64_cmpxchg(object, expected, value) atomic64_cmpxchg((object), (s64)(expected), (s64)(value))
#define local64_xchg(object, value) atomic64_xchg((object), (s64)(value))
#define local64_try_cmpxchg(object, expected, value) atomic64_try_cmpxchg((object), (s64*)(expected), (s64)(value))
