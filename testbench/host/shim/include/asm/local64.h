// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_ASM_LOCAL64_H
#define PMUFAB_ASM_LOCAL64_H
#include <linux/atomic.h>
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
#endif
