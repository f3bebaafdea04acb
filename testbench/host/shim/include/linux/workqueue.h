// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/printk.h>
#include <linux/types.h>

/* Work runs in a process, one after the other, in the order of queueing: when the present call into the drivers has
 * returned, at once if there is none, and while a driver waits for something. */
struct work_struct;
struct workqueue_struct;
typedef void (*work_func_t)(struct work_struct* work);
struct work_struct {
  work_func_t func;
  /* Our members. */
  struct list_head entry;         /* in the list of queued work; linked to itself or zero: not queued */
  struct workqueue_struct* queue; /* the last one it was put into */
};
struct delayed_work {
  struct work_struct work;
  struct timer_list timer;
};
extern struct workqueue_struct* system_wq;
#define system_percpu_wq system_wq
#define system_unbound_wq system_wq
#define system_dfl_wq system_wq
#define system_long_wq system_wq
#define system_highpri_wq system_wq
#define __WORK_INITIALIZER(name, function) \
  { .func = (function), .entry = LIST_HEAD_INIT((name).entry) }
#define DECLARE_WORK(name, function) struct work_struct name __maybe_unused = __WORK_INITIALIZER(name, function)
#define INIT_WORK(object, function) (INIT_LIST_HEAD(&(object)->entry), (object)->func = (function))
void pmufab_delayed_work_init(struct delayed_work* work, work_func_t function);
#define INIT_DELAYED_WORK(object, function) pmufab_delayed_work_init((object), (function))
#define to_delayed_work(object) container_of((object), struct delayed_work, work)
struct workqueue_struct* alloc_workqueue(const char* format, unsigned int flags, int max_active, ...);
#define alloc_ordered_workqueue(format, flags, arguments...) alloc_workqueue((format), (flags), 1, ##arguments)
#define create_singlethread_workqueue(name) alloc_workqueue("%s", 0, 1, name)
#define WQ_UNBOUND 2
#define WQ_HIGHPRI 16
#define WQ_MEM_RECLAIM 8
#define WQ_PERCPU 256
void destroy_workqueue(struct workqueue_struct* queue);
/* false: it is queued already. */
bool queue_work(struct workqueue_struct* queue, struct work_struct* work);
bool queue_delayed_work(struct workqueue_struct* queue, struct delayed_work* work, unsigned long delay);
bool mod_delayed_work(struct workqueue_struct* queue, struct delayed_work* work, unsigned long delay);
#define queue_work_on(cpu, queue, work) ((void)(cpu), queue_work((queue), (work)))
#define schedule_work(work) queue_work(system_wq, (work))
#define schedule_delayed_work(work, delay) queue_delayed_work(system_wq, (work), (delay))
/* true: it was queued. */
bool cancel_work_sync(struct work_struct* work);
bool cancel_delayed_work(struct delayed_work* work);
bool cancel_delayed_work_sync(struct delayed_work* work);
bool flush_work(struct work_struct* work);
bool flush_delayed_work(struct delayed_work* work);
void flush_workqueue(struct workqueue_struct* queue);
#define drain_workqueue(queue) flush_workqueue(queue)
static inline bool work_pending(const struct work_struct* work) {
  return work->entry.next && !list_empty(&work->entry);
}
static inline bool delayed_work_pending(const struct delayed_work* work) {
  return work_pending(&work->work) || timer_pending(&work->timer);
}
