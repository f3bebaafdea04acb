// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_DELAY_H
#define PMUFAB_LINUX_DELAY_H

#include <linux/irqflags.h>
#include <linux/types.h>

/* Short busy waits take no time: on the platform, time passes in register accesses. */
#define udelay(time) ((void)(time))
#define ndelay(time) ((void)(time))
#define mdelay(time) ((void)(time))
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
