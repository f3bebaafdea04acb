// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_DELAY_H
#define PMUFAB_LINUX_DELAY_H

#include <linux/types.h>

/* Short waits in which a CPU spins take no time: on the platform time passes in register accesses. */
#define udelay(time) ((void)(time))
#define ndelay(time) ((void)(time))
#define mdelay(time) ((void)(time))
#define usleep_range(low, high) ((void)(low), (void)(high))

/* Sleeping takes simulated time, in which interrupts are taken; until `woken`, if it is given, is set. */
void pmufab_sleep(u64 nanoseconds, const bool* woken);
#define msleep(time) pmufab_sleep((time)*1000000ULL, 0)
/* Nobody sends signals. */
static inline unsigned long msleep_interruptible(unsigned int time) {
  msleep(time);
  return 0;
}
/* A turn of a loop that waits for a device: ten microseconds, so that waiting for seconds is not millions of reads. */
#define cpu_relax() pmufab_sleep(10000, 0)
#define fsleep(time) pmufab_sleep((time)*1000ULL, 0)
#define ssleep(time) msleep((time)*1000ULL)

#endif
