// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_DELAY_H
#define PMUFAB_LINUX_DELAY_H

#include <linux/irqflags.h>
#include <linux/types.h>

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

#endif
