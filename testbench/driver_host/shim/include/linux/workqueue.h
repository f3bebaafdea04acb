// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_WORKQUEUE_H
#define PMUFAB_LINUX_WORKQUEUE_H

#include <linux/bug.h>
#include <linux/list.h>
#include <linux/types.h>

/* There are no work queues. Drivers may declare work; queueing it is an error. */
struct work_struct;
typedef void (*work_func_t)(struct work_struct* work);
struct work_struct {
  work_func_t func;
};
struct delayed_work {
  struct work_struct work;
};
struct workqueue_struct;
#define system_wq ((struct workqueue_struct*)0)
#define system_percpu_wq ((struct workqueue_struct*)0)
#define DECLARE_WORK(name, function) struct work_struct name __maybe_unused = {.func = (function)}
#define INIT_WORK(object, function) ((object)->func = (function))
#define INIT_DELAYED_WORK(object, function) INIT_WORK(&(object)->work, function)
static inline bool queue_work(struct workqueue_struct* queue, struct work_struct* work) {
  (void)queue, (void)work;
  WARN(1, "work is queued, which the driver host cannot run\n");
  return false;
}
#define schedule_work(object) queue_work(system_wq, object)
#define schedule_delayed_work(object, delay) queue_work(system_wq, &(object)->work)
#define mod_delayed_work(queue, object, delay) queue_work((queue), &(object)->work)
static inline bool cancel_work_sync(struct work_struct* work) { return !work; }
static inline bool cancel_delayed_work_sync(struct delayed_work* work) { return !work; }

#endif
