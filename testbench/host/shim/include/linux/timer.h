// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_TIMER_H
#define PMUFAB_LINUX_TIMER_H

#include <linux/hrtimer.h>
#include <linux/jiffies.h>

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

#endif
