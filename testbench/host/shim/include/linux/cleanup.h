// SPDX-License-Identifier: BSD-2-Clause
/* Scope-bound release of locks and memory, through the compiler's cleanup attribute. */
#pragma once

#include <linux/compiler_types.h>
#include <linux/errno.h>

#define DEFINE_FREE(name, type, statement)                               \
  static inline __maybe_unused void __pmufab_free_##name(void* object) { \
    type _T = *(type*)object;                                            \
    statement;                                                           \
  }
#define __free(name) __cleanup(__pmufab_free_##name)
#define no_free_ptr(pointer)                \
  ({                                        \
    __typeof__(pointer) __kept = (pointer); \
    (pointer) = 0;                          \
    __kept;                                 \
  })
#define return_ptr(pointer) return no_free_ptr(pointer)
#define retain_and_null_ptr(pointer) ((void)no_free_ptr(pointer))

#define DEFINE_GUARD(name, type, take, drop)                                 \
  static inline __maybe_unused type __pmufab_guard_take_##name(type _T) {    \
    take;                                                                    \
    return _T;                                                               \
  }                                                                          \
  static inline __maybe_unused void __pmufab_guard_drop_##name(type* lock) { \
    type _T = *lock;                                                         \
    if (_T) {                                                                \
      drop;                                                                  \
    }                                                                        \
  }                                                                          \
  typedef type __pmufab_guard_type_##name
#define guard(name) __pmufab_guard_of_##name
#define __PMUFAB_GUARD(name, lock)                                                                     \
  __pmufab_guard_type_##name __UNIQUE_ID(guard) __cleanup(__pmufab_guard_drop_##name) __maybe_unused = \
      __pmufab_guard_take_##name(lock)
#define scoped_guard(name, lock)                                                                                    \
  for (__pmufab_guard_type_##name __scope __cleanup(__pmufab_guard_drop_##name) = __pmufab_guard_take_##name(lock), \
                                          *__pmufab_once = (void*)1;                                                \
       __pmufab_once; __pmufab_once = 0)

/* A lock that may fail to be taken. Here that never happens. */
#define ACQUIRE(name, variable) \
  __pmufab_acquire_type_##name variable __cleanup(__pmufab_acquire_drop_##name) __maybe_unused = __pmufab_acquire_##name
#define ACQUIRE_ERR(name, variable) ((void)(variable), 0)
