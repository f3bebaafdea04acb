// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/irqflags.h>
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

/* Short busy waits take no time: on the platform, time passes in register accesses. How long they would be is counted,
 * because there is a bound to it while interrupts are off. */
void pmufab_delay(u64 nanoseconds);
void __bad_udelay(void)
    __attribute__((__error__("udelay() of more than 20000 us: the kernel refuses it (__bad_udelay)")));
void __bad_ndelay(void)
    __attribute__((__error__("ndelay() of more than 20000 ns: the kernel refuses it (__bad_ndelay)")));
#define __pmufab_delay(time, unit, refuse) \
  (__builtin_constant_p(time) && (time) > 20000 ? refuse() : pmufab_delay((u64)(time) * (unit)))
#define udelay(time) __pmufab_delay((time), 1000, __bad_udelay)
#define ndelay(time) __pmufab_delay((time), 1, __bad_ndelay)
#define mdelay(time) pmufab_delay((u64)(time)*1000000)
#define usleep_range(low, high) (pmufab_might_sleep("usleep_range()"), (void)(low), (void)(high))

/* Sleeping takes simulated time, in which interrupts are taken. It ends early when `woken`, if given, is set. */
void pmufab_sleep(u64 nanoseconds, const bool* woken);
/* As above, but busy: it is allowed where nobody may sleep. */
void pmufab_wait(u64 nanoseconds, const bool* woken);
#define msleep(time) pmufab_sleep((time)*1000000ULL, 0)
/* There are no signals. */
static inline unsigned long msleep_interruptible(unsigned int time) {
  msleep(time);
  return 0;
}
/* One turn of a polling loop: ten microseconds, so that a wait of seconds is not millions of reads. */
#define cpu_relax() pmufab_wait(10000, 0)
#define fsleep(time) pmufab_sleep((time)*1000ULL, 0)
#define ssleep(time) msleep((time)*1000ULL)

/* Simulated time in ticks. */
#define HZ 250
#define jiffies ((unsigned long)(ktime_get_ns() / (NSEC_PER_SEC / HZ)))
#define time_after(left, right) ((long)((right) - (left)) < 0)
#define time_before(left, right) time_after((right), (left))
#define time_after_eq(left, right) (!time_before((left), (right)))
static inline unsigned int jiffies_to_msecs(unsigned long ticks) { return (unsigned int)(ticks * (1000 / HZ)); }
static inline unsigned long msecs_to_jiffies(unsigned int time) { return (time + 1000 / HZ - 1) / (1000 / HZ); }
