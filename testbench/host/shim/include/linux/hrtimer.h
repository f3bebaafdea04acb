// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/types.h>

/* Timers of simulated time. A callback is an interrupt handler: it runs on the CPU on which the timer was started, with
 * interrupts off, at the exact time if interrupts are on then, otherwise when they come on. All clocks are the same. */
enum hrtimer_restart { HRTIMER_NORESTART, HRTIMER_RESTART };
enum hrtimer_mode {
  HRTIMER_MODE_ABS = 0,
  HRTIMER_MODE_REL = 1,
  HRTIMER_MODE_PINNED = 2,
  HRTIMER_MODE_SOFT = 4,
  HRTIMER_MODE_HARD = 8,
  HRTIMER_MODE_ABS_PINNED = HRTIMER_MODE_ABS | HRTIMER_MODE_PINNED,
  HRTIMER_MODE_REL_PINNED = HRTIMER_MODE_REL | HRTIMER_MODE_PINNED,
  HRTIMER_MODE_ABS_SOFT = HRTIMER_MODE_ABS | HRTIMER_MODE_SOFT,
  HRTIMER_MODE_REL_SOFT = HRTIMER_MODE_REL | HRTIMER_MODE_SOFT,
  HRTIMER_MODE_ABS_HARD = HRTIMER_MODE_ABS | HRTIMER_MODE_HARD,
  HRTIMER_MODE_REL_HARD = HRTIMER_MODE_REL | HRTIMER_MODE_HARD,
  HRTIMER_MODE_ABS_PINNED_HARD = HRTIMER_MODE_ABS_PINNED | HRTIMER_MODE_HARD,
  HRTIMER_MODE_REL_PINNED_HARD = HRTIMER_MODE_REL_PINNED | HRTIMER_MODE_HARD
};
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define CLOCK_BOOTTIME 7

struct hrtimer {
  enum hrtimer_restart (*function)(struct hrtimer* timer);
  /* Our members. */
  struct list_head node; /* in the list of started timers, by time; linked to itself: not started */
  u64 expires;           /* nanoseconds */
  unsigned int cpu;
  const void* place; /* where it was started */
};

/* Before 6.13, drivers set the function themselves. */
void hrtimer_init(struct hrtimer* timer, int clock, enum hrtimer_mode mode);
void hrtimer_setup(struct hrtimer* timer, enum hrtimer_restart (*function)(struct hrtimer* timer), int clock,
                   enum hrtimer_mode mode);
void hrtimer_start(struct hrtimer* timer, ktime_t time, enum hrtimer_mode mode);
#define hrtimer_start_range_ns(timer, time, range, mode) ((void)(range), hrtimer_start((timer), (time), (mode)))
void hrtimer_restart(struct hrtimer* timer);
/* 1: it was started; 0: it was not. try_to_cancel: -1 in its own callback, where cancel is a deadlock. */
int hrtimer_cancel(struct hrtimer* timer);
int hrtimer_try_to_cancel(struct hrtimer* timer);
/* Put the expiry forward by intervals until it is after now. Returns their number. */
u64 hrtimer_forward(struct hrtimer* timer, ktime_t now, ktime_t interval);
static inline u64 hrtimer_forward_now(struct hrtimer* timer, ktime_t interval) {
  return hrtimer_forward(timer, ktime_get(), interval);
}
bool hrtimer_active(const struct hrtimer* timer);
static inline bool hrtimer_is_queued(const struct hrtimer* timer) { return !list_empty(&timer->node); }
bool hrtimer_callback_running(const struct hrtimer* timer);
static inline ktime_t hrtimer_get_expires(const struct hrtimer* timer) { return (ktime_t)timer->expires; }
static inline void hrtimer_set_expires(struct hrtimer* timer, ktime_t time) { timer->expires = (u64)time; }
static inline ktime_t hrtimer_get_remaining(const struct hrtimer* timer) {
  return (ktime_t)timer->expires - ktime_get();
}
static inline ktime_t hrtimer_cb_get_time(const struct hrtimer* timer) {
  (void)timer;
  return ktime_get();
}

/* Timers in ticks: the callback runs at the beginning of the tick, as that of an hrtimer does. */
struct timer_list {
  unsigned long expires;
  void (*function)(struct timer_list* timer);
  struct hrtimer timer; /* ours */
};
void pmufab_timer_setup(struct timer_list* timer, void (*function)(struct timer_list* timer));
#define timer_setup(timer, function, flags) ((void)(flags), pmufab_timer_setup((timer), (function)))
#define timer_container_of(variable, timer, member) container_of((timer), __typeof__(*(variable)), member)
#define from_timer(variable, timer, member) timer_container_of(variable, timer, member)
int mod_timer(struct timer_list* timer, unsigned long expires);
void add_timer(struct timer_list* timer);
/* 1: it was started. In the timer's own callback, _sync is a deadlock. */
int timer_delete(struct timer_list* timer);
int timer_delete_sync(struct timer_list* timer);
#define del_timer(timer) timer_delete(timer)
#define del_timer_sync(timer) timer_delete_sync(timer)
#define timer_shutdown_sync(timer) timer_delete_sync(timer)
static inline int timer_pending(const struct timer_list* timer) { return hrtimer_is_queued(&timer->timer); }
