// SPDX-License-Identifier: BSD-2-Clause
/* What happens later, in a process: queued work, and RCU callbacks. Waiting until it has happened. */
#include <linux/rcupdate.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "../runtime.h"

enum { kHungSeconds = 120, kAtOnce = 100000 };

struct workqueue_struct {
  char* name;
  const void* place; /* where it was made */
  struct list_head node;
};
static struct workqueue_struct system_queue;
struct workqueue_struct* system_wq = &system_queue;

static LIST_HEAD(queues);
static LIST_HEAD(queued);
/* Work that is being carried out. It may wait, and other work is carried out meanwhile. */
struct running {
  const struct work_struct* work;
  const struct workqueue_struct* queue;
  const struct running* outer;
};
static const struct running* running;

static bool is_running(const struct work_struct* work) {
  for (const struct running* at = running; at; at = at->outer)
    if (at->work == work) return true;
  return false;
}

const void* pmufab_work_running(int number) {
  const struct running* at = running;
  for (int i = 0; at && i < number / 2; i++) at = at->outer;
  if (!at) return NULL;
  return number % 2 ? (const void*)at->queue : at->work;
}

bool queue_work(struct workqueue_struct* queue, struct work_struct* work) {
  if (WARN(!queue || !work->func, "work is queued that was not set up\n") || work_pending(work)) return false;
  work->queue = queue;
  list_add_tail(&work->entry, &queued);
  pmufab_work_wanted = true;
  return true;
}

static bool carry_out(struct work_struct* work) {
  const struct running frame = {.work = work, .queue = work->queue, .outer = running};
  list_del_init(&work->entry);
  running = &frame;
  PMUFAB_CALL(work->func(work)); /* may free it */
  running = frame.outer;
  return true;
}

/* Work that queues itself again takes a CPU of a kernel, and here the time stands still meanwhile. */
static void carry_out_all(void) {
  const u64 began = ktime_get_ns();
  for (int count = 0; !list_empty(&queued); count++) {
    struct work_struct* work = list_first_entry(&queued, struct work_struct, entry);
    if (count >= kAtOnce && ktime_get_ns() == began)
      panic("work is queued for ever: %d times at one instant, at last %s", kAtOnce,
            pmufab_host->function_at(pmufab_host->context, PMUFAB_PLACE_OF(work->func)));
    carry_out(work);
  }
}

static void expired(struct timer_list* timer) {
  queue_work(system_wq, &container_of(timer, struct delayed_work, timer)->work);
}

void pmufab_delayed_work_init(struct delayed_work* work, work_func_t function) {
  INIT_WORK(&work->work, function);
  pmufab_timer_setup(&work->timer, expired);
}

bool queue_delayed_work(struct workqueue_struct* queue, struct delayed_work* work, unsigned long delay) {
  if (delayed_work_pending(work)) return false;
  if (delay == 0) return queue_work(queue, &work->work);
  mod_timer(&work->timer, jiffies + delay);
  return true;
}

bool cancel_delayed_work(struct delayed_work* work) {
  const bool was = delayed_work_pending(work);
  timer_delete(&work->timer);
  if (work_pending(&work->work)) list_del_init(&work->work.entry);
  return was;
}

bool mod_delayed_work(struct workqueue_struct* queue, struct delayed_work* work, unsigned long delay) {
  const bool was = cancel_delayed_work(work);
  queue_delayed_work(queue, work, delay);
  return was;
}

/* Even if it is not queued now: another time it may be running. */
static void wait_for_end(const struct work_struct* work, const void* place, const char* what) {
  if (running && running->work == work) panic("deadlock: work waits for its own end");
  if (is_running(work))
    panic("work waits for other work that waits itself; this host cannot go on with that, a kernel can");
  pmufab_lock_wait(work, place, what);
}

bool cancel_work_sync(struct work_struct* work) {
  pmufab_might_sleep("cancel_work_sync()");
  wait_for_end(work, PLACE, "cancel_work_sync()");
  if (!work_pending(work)) return false;
  list_del_init(&work->entry);
  return true;
}

bool cancel_delayed_work_sync(struct delayed_work* work) {
  pmufab_might_sleep("cancel_delayed_work_sync()");
  wait_for_end(&work->work, PLACE, "cancel_delayed_work_sync()");
  return cancel_delayed_work(work);
}

static bool flush(struct work_struct* work, const void* place, const char* what) {
  wait_for_end(work, place, what);
  return work_pending(work) && carry_out(work);
}

bool flush_work(struct work_struct* work) {
  pmufab_might_sleep("flush_work()");
  return flush(work, PLACE, "flush_work()");
}

bool flush_delayed_work(struct delayed_work* work) {
  pmufab_might_sleep("flush_delayed_work()");
  if (timer_delete(&work->timer)) queue_work(system_wq, &work->work);
  return flush(&work->work, PLACE, "flush_delayed_work()");
}

/* There is one list for all queues. */
void flush_workqueue(struct workqueue_struct* queue) {
  pmufab_might_sleep("flush_workqueue()");
  pmufab_lock_wait(queue, PLACE, "flush_workqueue()");
  carry_out_all();
}

struct workqueue_struct* alloc_workqueue(const char* format, unsigned int flags, int max_active, ...) {
  struct workqueue_struct* queue = kzalloc(sizeof(*queue), GFP_KERNEL);
  va_list arguments;
  (void)flags;
  if (!queue) return NULL;
  va_start(arguments, max_active);
  queue->name = kvasprintf(GFP_KERNEL, format, arguments);
  va_end(arguments);
  queue->place = PLACE;
  list_add_tail(&queue->node, &queues);
  return queue;
}

void destroy_workqueue(struct workqueue_struct* queue) {
  flush_workqueue(queue);
  list_del(&queue->node);
  kfree(queue->name);
  kfree(queue);
}

void pmufab_work_forget(const void* from, size_t size) {
  struct work_struct *work, *next;
  pmufab_lock_forget(from, size);
  list_for_each_entry_safe(work, next, &queued, entry) {
    if ((const char*)work < (const char*)from || (const char*)work >= (const char*)from + size) continue;
    pmufab_rule(PMUFAB_PLACE_OF(work->func), "memory is freed in which work is queued; it would be carried out");
    list_del_init(&work->entry);
  }
}

/* RCU. */

static struct rcu_head* callbacks; /* in the order of calling */
static struct rcu_head** last_callback = &callbacks;

static void free_object(struct rcu_head* head) { kfree(head->object); }

static void add_callback(struct rcu_head* head, void (*function)(struct rcu_head* head), void* object) {
  *head = (struct rcu_head){.function = function, .object = object};
  *last_callback = head;
  last_callback = &head->next;
  pmufab_work_wanted = true;
}

void call_rcu(struct rcu_head* head, void (*function)(struct rcu_head* head)) { add_callback(head, function, NULL); }
void pmufab_kfree_rcu(struct rcu_head* head, void* object) { add_callback(head, free_object, object); }

static void run_callbacks(void) {
  while (callbacks) {
    struct rcu_head* head = callbacks;
    callbacks = head->next;
    if (!callbacks) last_callback = &callbacks;
    PMUFAB_CALL(head->function(head)); /* frees it */
  }
}

void synchronize_rcu(void) {
  pmufab_might_sleep("synchronize_rcu()");
  if (pmufab_rcu_depth() > 0) panic("deadlock: synchronize_rcu() in an RCU reader");
}

void rcu_barrier(void) {
  synchronize_rcu();
  run_callbacks();
}

bool pmufab_work_wanted;

void pmufab_work_run(void) {
  while (pmufab_work_wanted) {
    pmufab_work_wanted = false;
    carry_out_all();
    if (pmufab_rcu_depth() == 0) run_callbacks();
  }
}

/* What the drivers have left behind. Their code is still there. */
void pmufab_work_exit(void) {
  struct workqueue_struct* queue;
  if (pmufab_rcu_depth() == 0) run_callbacks();
  while (!list_empty(&queued)) {
    struct work_struct* work = list_first_entry(&queued, struct work_struct, entry);
    pmufab_rule(PMUFAB_PLACE_OF(work->func), "work is still queued after its driver has left; it would be carried out");
    list_del_init(&work->entry);
  }
  list_for_each_entry(queue, &queues, node)
      pmufab_rule(queue->place, "the work queue '%s' is never destroyed; it was made", queue->name);
}

/* Waiting. */

bool pmufab_wait_step(u64 began, u64 until, const char* what) {
  const u64 now = ktime_get_ns();
  if (now >= until) return false;
  if (until == PMUFAB_NO_TIME_LIMIT && now - began >= kHungSeconds * (u64)NSEC_PER_SEC)
    panic("task blocked for more than %d seconds: %s", kHungSeconds, what);
  if (pmufab_work_wanted || pmufab_irq_thread_wanted()) { /* other processes go on */
    pmufab_work_run();
    pmufab_irq_run_threads();
    return true;
  }
  const u64 end = until == PMUFAB_NO_TIME_LIMIT ? began + kHungSeconds * (u64)NSEC_PER_SEC : until;
  pmufab_host->sleep(pmufab_host->context, end > S64_MAX / 1000 ? S64_MAX : end * 1000);
  pmufab_interrupt_window();
  return true;
}

void complete(struct completion* completion) {
  if (completion->done != UINT_MAX) completion->done++;
}

void complete_all(struct completion* completion) { completion->done = UINT_MAX; }

bool try_wait_for_completion(struct completion* completion) {
  if (completion->done == 0) return false;
  if (completion->done != UINT_MAX) completion->done--;
  return true;
}

void wait_for_completion(struct completion* completion) {
  __pmufab_wait(try_wait_for_completion(completion), PMUFAB_NO_TIME_LIMIT, "wait_for_completion()");
}

unsigned long wait_for_completion_timeout(struct completion* completion, unsigned long timeout) {
  const u64 end = ktime_get_ns() + pmufab_ticks_to_ns(timeout);
  if (!__pmufab_wait(try_wait_for_completion(completion), end, "wait_for_completion_timeout()")) return 0;
  return (unsigned long)pmufab_ticks_until(end);
}
