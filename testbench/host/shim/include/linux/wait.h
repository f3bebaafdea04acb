// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/ktime.h>
#include <linux/spinlock.h>
#include <linux/types.h>

/* Waiting takes simulated time, in which interrupts, timers, interrupt threads and queued work are carried out. A waiter
 * looks at its condition after each. */
typedef struct wait_queue_head {
  unsigned long woken; /* how often */
} wait_queue_head_t;
#define __WAIT_QUEUE_HEAD_INITIALIZER(name) \
  { 0 }
#define DECLARE_WAIT_QUEUE_HEAD(name) wait_queue_head_t name = __WAIT_QUEUE_HEAD_INITIALIZER(name)
#define init_waitqueue_head(queue) ((queue)->woken = 0)
static inline void wake_up(wait_queue_head_t* queue) { queue->woken++; }
#define wake_up_all wake_up
#define wake_up_interruptible wake_up
#define wake_up_interruptible_all wake_up

#define PMUFAB_NO_TIME_LIMIT (~0ULL)
/* Let something happen, until the time `until` at most. Returns false if it is past. Without a limit, a wait of two
 * minutes is a panic: the kernel reports such a task as hung. */
bool pmufab_wait_step(u64 began, u64 until, const char* what);
#define __pmufab_wait(condition, until, what)                                    \
  ({                                                                             \
    const u64 __began = ktime_get_ns();                                          \
    const u64 __until = (until);                                                 \
    bool __met;                                                                  \
    pmufab_might_sleep(what);                                                    \
    while (!(__met = (condition)) && pmufab_wait_step(__began, __until, what)) { \
    }                                                                            \
    __met;                                                                       \
  })
#define wait_event(queue, condition) \
  ((void)(queue), (void)__pmufab_wait((condition), PMUFAB_NO_TIME_LIMIT, "wait_event()"))
/* The rest of the time, at least 1; or 0 if the condition does not hold in time. */
#define wait_event_timeout(queue, condition, timeout)                                           \
  ({                                                                                            \
    const u64 __end = ktime_get_ns() + pmufab_ticks_to_ns((unsigned long)(timeout));            \
    (void)(queue);                                                                              \
    __pmufab_wait((condition), __end, "wait_event_timeout()") ? pmufab_ticks_until(__end) : 0L; \
  })
/* There are no signals. */
#define wait_event_interruptible(queue, condition) (wait_event((queue), (condition)), 0)
#define wait_event_killable(queue, condition) (wait_event((queue), (condition)), 0)
#define wait_event_interruptible_timeout wait_event_timeout
static inline u64 pmufab_ticks_to_ns(unsigned long ticks) {
  return ticks >= LONG_MAX / (NSEC_PER_SEC / HZ) ? (u64)LONG_MAX : ticks * (NSEC_PER_SEC / HZ);
}
static inline long pmufab_ticks_until(u64 end) {
  const u64 now = ktime_get_ns();
  return now >= end ? 1L : (long)((end - now) / (NSEC_PER_SEC / HZ)) + 1L;
}

struct completion {
  unsigned int done; /* UINT_MAX: for all */
};
#define COMPLETION_INITIALIZER(name) \
  { 0 }
#define DECLARE_COMPLETION(name) struct completion name = COMPLETION_INITIALIZER(name)
#define DECLARE_COMPLETION_ONSTACK(name) DECLARE_COMPLETION(name)
static inline void init_completion(struct completion* completion) { completion->done = 0; }
static inline void reinit_completion(struct completion* completion) { completion->done = 0; }
void complete(struct completion* completion);
void complete_all(struct completion* completion);
void wait_for_completion(struct completion* completion);
/* The rest of the time in ticks, at least 1; or 0 if it is not completed in time. */
unsigned long wait_for_completion_timeout(struct completion* completion, unsigned long timeout);
bool try_wait_for_completion(struct completion* completion);
static inline bool completion_done(const struct completion* completion) { return completion->done != 0; }
/* There are no signals. */
static inline int wait_for_completion_interruptible(struct completion* completion) {
  wait_for_completion(completion);
  return 0;
}
static inline int wait_for_completion_killable(struct completion* completion) {
  wait_for_completion(completion);
  return 0;
}
static inline long wait_for_completion_interruptible_timeout(struct completion* completion, unsigned long timeout) {
  return (long)wait_for_completion_timeout(completion, timeout);
}

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
