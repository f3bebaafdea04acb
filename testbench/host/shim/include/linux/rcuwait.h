// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_RCUWAIT_H
#define PMUFAB_LINUX_RCUWAIT_H
#include <linux/jiffies.h>
struct rcuwait {
  bool woken;
};
#define TASK_UNINTERRUPTIBLE 2
static inline void rcuwait_init(struct rcuwait* wait) { wait->woken = false; }
static inline int rcuwait_wake_up(struct rcuwait* wait) { return wait->woken = true; }
/* Wait until the condition holds or the time is over. It is checked every millisecond, and when the waiter is woken.
 * Returns 0 if it does not hold in time. */
#define rcuwait_wait_event_timeout(wait, condition, state, timeout)              \
  ({                                                                             \
    const unsigned long __end = jiffies + (unsigned long)(timeout);              \
    long __left;                                                                 \
    while ((__left = (condition) ? 1 : 0) == 0 && !time_after(jiffies, __end)) { \
      (wait)->woken = false;                                                     \
      pmufab_sleep(1000000, &(wait)->woken);                                     \
    }                                                                            \
    __left;                                                                      \
  })
#endif
