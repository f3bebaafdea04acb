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
static inline ktime_t us_to_ktime(u64 value) { return (ktime_t)(value * NSEC_PER_USEC); }
static inline ktime_t ktime_set(s64 seconds, unsigned long nanoseconds) {
  return seconds * NSEC_PER_SEC + (s64)nanoseconds;
}
static inline s64 ktime_to_us(ktime_t value) { return value / NSEC_PER_USEC; }
static inline s64 ktime_to_ms(ktime_t value) { return value / NSEC_PER_MSEC; }
static inline ktime_t ktime_add(ktime_t left, ktime_t right) { return left + right; }
static inline ktime_t ktime_sub(ktime_t left, ktime_t right) { return left - right; }
static inline ktime_t ktime_add_ns(ktime_t time, u64 more) { return time + (s64)more; }
static inline ktime_t ktime_add_us(ktime_t time, u64 more) { return time + (s64)more * NSEC_PER_USEC; }
static inline int ktime_compare(ktime_t left, ktime_t right) { return left < right ? -1 : left > right; }
static inline bool ktime_after(ktime_t left, ktime_t right) { return left > right; }
static inline bool ktime_before(ktime_t left, ktime_t right) { return left < right; }
#define local_clock() ktime_get_ns()
#define sched_clock() ktime_get_ns()
#endif
