// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_KTIME_H
#define PMUFAB_LINUX_KTIME_H
#include <linux/types.h>
#define NSEC_PER_USEC 1000L
#define NSEC_PER_MSEC 1000000L
#define NSEC_PER_SEC 1000000000L
#define USEC_PER_MSEC 1000L
#define USEC_PER_SEC 1000000L
#define MSEC_PER_SEC 1000L
/* Simulated time since the start of the simulation. */
u64 ktime_get_ns(void);
#define ktime_get_real_ns() ktime_get_ns()
static inline ktime_t ktime_get(void) { return (ktime_t)ktime_get_ns(); }
static inline ktime_t ns_to_ktime(u64 value) { return (ktime_t)value; }
static inline s64 ktime_to_ns(ktime_t value) { return value; }
static inline ktime_t ms_to_ktime(u64 value) { return (ktime_t)(value * NSEC_PER_MSEC); }
#define local_clock() ktime_get_ns()
#define sched_clock() ktime_get_ns()
#endif
