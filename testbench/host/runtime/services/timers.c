// SPDX-License-Identifier: BSD-2-Clause
/* Timers: callbacks at exact times, as interrupt handlers of the CPU on which they were started. */
#include <linux/hrtimer.h>

#include "../runtime.h"

static LIST_HEAD(started); /* the earliest first; of one time, in the order of starting */

static const struct hrtimer* running; /* its callback is being carried out; callbacks do not nest */

static void tell_host(void) {
  const struct hrtimer* first = list_first_entry_or_null(&started, struct hrtimer, node);
  pmufab_host->set_timer(pmufab_host->context,
                         first && first->expires <= U64_MAX / 1000 ? first->expires * 1000 : PMUFAB_NO_TIMER);
}

static void enqueue(struct hrtimer* timer) {
  struct hrtimer* other;
  list_for_each_entry_reverse(other, &started, node) if (other->expires <= timer->expires) break;
  list_add(&timer->node, &other->node);
  tell_host();
}

static bool dequeue(struct hrtimer* timer) {
  if (!timer->node.next || list_empty(&timer->node)) return false;
  list_del_init(&timer->node);
  tell_host();
  return true;
}

void hrtimer_setup(struct hrtimer* timer, enum hrtimer_restart (*function)(struct hrtimer* timer), int clock,
                   enum hrtimer_mode mode) {
  (void)clock, (void)mode;
  *timer = (struct hrtimer){.function = function};
  INIT_LIST_HEAD(&timer->node);
}

void hrtimer_init(struct hrtimer* timer, int clock, enum hrtimer_mode mode) { hrtimer_setup(timer, NULL, clock, mode); }

static void start(struct hrtimer* timer, u64 expires, const void* place) {
  if (WARN(!timer->function || !timer->node.next, "a timer is started that was not set up\n")) return;
  dequeue(timer);
  timer->expires = expires;
  timer->cpu = smp_processor_id();
  timer->place = place;
  enqueue(timer);
}

void hrtimer_start(struct hrtimer* timer, ktime_t time, enum hrtimer_mode mode) {
  const ktime_t from = mode & HRTIMER_MODE_REL ? ktime_get() : 0;
  const ktime_t until = time > S64_MAX - from ? S64_MAX : from + time;
  start(timer, until < 0 ? 0 : (u64)until, PLACE);
}

void hrtimer_restart(struct hrtimer* timer) { start(timer, timer->expires, PLACE); }

int hrtimer_try_to_cancel(struct hrtimer* timer) { return running == timer ? -1 : dequeue(timer); }

int hrtimer_cancel(struct hrtimer* timer) {
  if (running == timer) panic("deadlock: a timer's callback waits for its own end");
  return dequeue(timer);
}

bool hrtimer_callback_running(const struct hrtimer* timer) { return running == timer; }
bool hrtimer_active(const struct hrtimer* timer) { return running == timer || hrtimer_is_queued(timer); }

u64 hrtimer_forward(struct hrtimer* timer, ktime_t now, ktime_t interval) {
  const ktime_t late = now - (ktime_t)timer->expires;
  if (late < 0) return 0;
  if (WARN(hrtimer_is_queued(timer), "a started timer is put forward\n")) return 0;
  if (interval < 1) interval = 1;
  const u64 count = (u64)(late / interval) + 1;
  timer->expires += count * (u64)interval;
  return count;
}

static enum hrtimer_restart tick(struct hrtimer* timer);

/* The driver's function that a timer calls. */
static const void* function_of(const struct hrtimer* timer) {
  if (timer->function != tick) return (const void*)timer->function;
  return (const void*)container_of(timer, struct timer_list, timer)->function;
}

static void expire(struct hrtimer* timer) {
  const void* const function = function_of(timer);
  const unsigned int cpu = cpu_online(timer->cpu) ? timer->cpu : cpumask_first(cpu_online_mask);
  const unsigned int previous = pmufab_enter_cpu(cpu);
  enum hrtimer_restart again = HRTIMER_NORESTART;
  dequeue(timer);
  running = timer;
  pmufab_irq_enter();
  PMUFAB_CALL(again = timer->function(timer));
  pmufab_irq_leave();
  running = NULL;
  pmufab_leave_cpu(previous);
  /* If it does not come again, its callback may have freed it. */
  if (again == HRTIMER_RESTART && list_empty(&timer->node)) enqueue(timer);
  pmufab_host->timer_called(pmufab_host->context, function, timer);
}

void pmufab_timers_run(void) {
  for (;;) {
    struct hrtimer* first = list_first_entry_or_null(&started, struct hrtimer, node);
    if (!first || first->expires > ktime_get_ns()) break;
    expire(first);
  }
}

void pmufab_timers_forget(const void* from, size_t size) {
  struct hrtimer *timer, *next;
  list_for_each_entry_safe(timer, next, &started, node) {
    if ((const char*)timer < (const char*)from || (const char*)timer >= (const char*)from + size) continue;
    pmufab_rule(timer->place, "memory is freed in which a timer is started; it was started");
    dequeue(timer);
  }
}

void pmufab_timers_exit(void) {
  struct hrtimer *timer, *next;
  list_for_each_entry_safe(timer, next, &started, node) {
    pmufab_rule(timer->place, "a timer is still started after its driver has left; it was started");
    dequeue(timer);
  }
}

static enum hrtimer_restart tick(struct hrtimer* timer) {
  struct timer_list* list = container_of(timer, struct timer_list, timer);
  list->function(list);
  return HRTIMER_NORESTART;
}

void pmufab_timer_setup(struct timer_list* timer, void (*function)(struct timer_list* timer)) {
  timer->function = function;
  hrtimer_setup(&timer->timer, tick, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
}

static int start_ticks(struct timer_list* timer, unsigned long expires, const void* place) {
  const int was = hrtimer_is_queued(&timer->timer);
  timer->expires = expires;
  start(&timer->timer, expires * (NSEC_PER_SEC / HZ), place);
  return was;
}

int mod_timer(struct timer_list* timer, unsigned long expires) { return start_ticks(timer, expires, PLACE); }

void add_timer(struct timer_list* timer) {
  if (WARN(hrtimer_is_queued(&timer->timer), "a timer is added that is started\n")) return;
  start_ticks(timer, timer->expires, PLACE);
}

int timer_delete(struct timer_list* timer) { return dequeue(&timer->timer); }
int timer_delete_sync(struct timer_list* timer) { return hrtimer_cancel(&timer->timer); }
