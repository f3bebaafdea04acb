// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_JIFFIES_H
#define PMUFAB_LINUX_JIFFIES_H

#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/types.h>

/* Simulated time in ticks. */
#define HZ 250
#define jiffies ((unsigned long)(ktime_get_ns() / (NSEC_PER_SEC / HZ)))
#define time_after(left, right) ((long)((right) - (left)) < 0)
#define time_before(left, right) time_after((right), (left))
#define time_after_eq(left, right) (!time_before((left), (right)))
static inline unsigned int jiffies_to_msecs(unsigned long ticks) { return (unsigned int)(ticks * (1000 / HZ)); }
static inline unsigned long msecs_to_jiffies(unsigned int time) { return (time + 1000 / HZ - 1) / (1000 / HZ); }

#endif
