// SPDX-License-Identifier: BSD-2-Clause
/* A driver that uses what the small kernel offers beside registers and interrupts: time, waiting, work, counts, maps of
 * registers, data of each CPU. tools/build-drivers builds it beside the real ones. services_test.cpp reads its log. */
#include <linux/acpi.h>
#include <linux/clk.h>
#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/idr.h>
#include <linux/interrupt.h>
#include <linux/iopoll.h>
#include <linux/kernel.h>
#include <linux/kref.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/percpu.h>
#include <linux/platform_device.h>
#include <linux/pm_runtime.h>
#include <linux/property.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/regmap.h>
#include <linux/rwsem.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#define NOW_MS (ktime_get_ns() / NSEC_PER_MSEC)
#define say(format, ...) pr_info("services " format "\n", ##__VA_ARGS__)

struct services {
  struct device* dev;
  void __iomem* base;
  int irq;
  u64 began;
  struct hrtimer timer;
  struct timer_list ticks;
  struct work_struct work;
  struct delayed_work delayed;
  struct completion done;
  wait_queue_head_t queue;
  bool condition;
  int left;
};
static DEFINE_MUTEX(services_mutex);
static DECLARE_RWSEM(services_semaphore);
static DEFINE_PER_CPU(u64, services_count);

static enum hrtimer_restart services_timer(struct hrtimer* timer) {
  struct services* self = container_of(timer, struct services, timer);

  say("timer at %llu on cpu %u, interrupts %s", ktime_get_ns() - self->began, smp_processor_id(),
      irqs_disabled() ? "off" : "on");
  writel(1, self->base + 0x14);
  complete(&self->done);
  if (--self->left <= 0) return HRTIMER_NORESTART;
  say("forward %llu", hrtimer_forward_now(timer, ns_to_ktime(300)));
  return HRTIMER_RESTART;
}

static enum hrtimer_restart services_sleeping_timer(struct hrtimer* timer) {
  mutex_lock(&services_mutex);
  mutex_unlock(&services_mutex);
  return HRTIMER_NORESTART;
}

static enum hrtimer_restart services_timer_at_once(struct hrtimer* timer) { return HRTIMER_RESTART; }

static enum hrtimer_restart services_timer_too_soon(struct hrtimer* timer) {
  struct services* self = container_of(timer, struct services, timer);

  hrtimer_forward_now(timer, ns_to_ktime(300));
  readl(self->base); /* takes longer */
  return HRTIMER_RESTART;
}

static void services_tick_at_once(struct timer_list* timer) { mod_timer(timer, jiffies); }

static void services_lockups(struct services* self, u32 mode) {
  if (mode == 23) {
    timer_setup(&self->ticks, services_tick_at_once, 0);
    mod_timer(&self->ticks, jiffies + 2);
  } else {
    hrtimer_setup(&self->timer, mode == 21 ? services_timer_at_once : services_timer_too_soon, CLOCK_MONOTONIC,
                  HRTIMER_MODE_REL);
    hrtimer_start(&self->timer, ns_to_ktime(1000), HRTIMER_MODE_REL);
  }
  msleep(100);
}

static void services_ticks(struct timer_list* timer) {
  struct services* self = timer_container_of(self, timer, ticks);

  say("tick at %llu ms", NOW_MS);
  schedule_work(&self->work);
}

static void services_work(struct work_struct* work) {
  struct services* self = container_of(work, struct services, work);

  mutex_lock(&services_mutex);
  say("work at %llu ms, interrupts %s", NOW_MS, irqs_disabled() ? "off" : "on");
  mutex_unlock(&services_mutex);
  self->condition = true;
  wake_up(&self->queue);
}

static void services_delayed(struct work_struct* work) {
  struct services* self = container_of(to_delayed_work(work), struct services, delayed);

  say("delayed work at %llu ms", NOW_MS);
}

static irqreturn_t services_irq(int irq, void* data) {
  struct services* self = data;

  writel(0, self->base + 0x10);
  complete(&self->done);
  return IRQ_HANDLED;
}

static void services_timers(struct services* self) {
  self->left = 3;
  hrtimer_setup(&self->timer, services_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
  hrtimer_start(&self->timer, ns_to_ktime(1000007), HRTIMER_MODE_REL);
  say("active %d, remaining %lld", hrtimer_active(&self->timer), hrtimer_get_remaining(&self->timer));
  say("cancel %d", hrtimer_cancel(&self->timer));
  say("cancel %d", hrtimer_cancel(&self->timer));
  hrtimer_start(&self->timer, ns_to_ktime(1000007), HRTIMER_MODE_REL);
}

static void services_waiting(struct services* self) {
  unsigned long left;

  wait_for_completion(&self->done); /* the interrupt comes after 5 ms */
  say("completed at %llu ms", NOW_MS);
  left = wait_for_completion_timeout(&self->done, msecs_to_jiffies(20));
  say("timeout at %llu ms, left %lu", NOW_MS, left);
  timer_setup(&self->ticks, services_ticks, 0);
  mod_timer(&self->ticks, jiffies + 2);
  wait_event(self->queue, self->condition);
  say("condition at %llu ms", NOW_MS);
  self->condition = false;
  left = (unsigned long)wait_event_timeout(self->queue, self->condition, msecs_to_jiffies(8));
  say("no condition at %llu ms, left %lu", NOW_MS, left);
  schedule_delayed_work(&self->delayed, msecs_to_jiffies(40));
  say("queued again %d", schedule_delayed_work(&self->delayed, 1));
  schedule_work(&self->work);
  say("cancelled %d", cancel_work_sync(&self->work));
  schedule_work(&self->work);
  say("probe ends at %llu ms", NOW_MS);
}

static void services_locking_work(struct work_struct* work) {
  mutex_lock(&services_mutex);
  mutex_unlock(&services_mutex);
}

static void services_reading_work(struct work_struct* work) {
  down_read(&services_semaphore);
  up_read(&services_semaphore);
}

/* What may wait for itself another time, although here nothing is queued while the lock is held. */
static noinline void services_deadlocks(struct services* self, u32 mode) {
  struct workqueue_struct* queue = alloc_workqueue("deadlocks", 0, 1);

  INIT_WORK(&self->work, services_locking_work);
  if (mode == 18 || mode == 19) INIT_WORK(&self->work, services_reading_work);
  if (mode != 15) {
    queue_work(queue, &self->work);
    flush_work(&self->work); /* without a lock: that is right */
  }
  switch (mode) {
    case 14: /* the work has taken the lock before */
      mutex_lock(&services_mutex);
      flush_work(&self->work);
      mutex_unlock(&services_mutex);
      break;
    case 15: /* it takes the lock afterwards */
      mutex_lock(&services_mutex);
      cancel_work_sync(&self->work);
      mutex_unlock(&services_mutex);
      queue_work(queue, &self->work);
      flush_work(&self->work);
      break;
    case 16: /* the whole queue is waited for */
      mutex_lock(&services_mutex);
      flush_workqueue(queue);
      mutex_unlock(&services_mutex);
      break;
    case 17: { /* other work, and another lock */
      static DEFINE_MUTEX(other);
      struct work_struct own;
      INIT_WORK(&own, services_reading_work);
      mutex_lock(&services_mutex);
      flush_work(&own);
      mutex_unlock(&services_mutex);
      mutex_lock(&other);
      flush_work(&self->work);
      mutex_unlock(&other);
      break;
    }
    case 18: /* readers do not wait for readers */
      down_read(&services_semaphore);
      flush_work(&self->work);
      up_read(&services_semaphore);
      break;
    case 19: /* but for writers */
      down_write(&services_semaphore);
      flush_work(&self->work);
      up_write(&services_semaphore);
      break;
    case 20: /* now it is queued: the end of the process */
      mutex_lock(&services_mutex);
      queue_work(queue, &self->work);
      flush_work(&self->work);
      mutex_unlock(&services_mutex);
      break;
  }
  destroy_workqueue(queue);
  say("no deadlock");
}

static void services_polling(struct services* self) {
  u32 value = 0;
  u64 began = ktime_get_ns();
  int result = readl_poll_timeout(self->base + 0x20, value, value >= 3, 100, 1000);

  say("poll %d with %u after %llu us", result, value, (ktime_get_ns() - began) / NSEC_PER_USEC);
  began = ktime_get_ns();
  result = readl_poll_timeout(self->base + 0x10, value, value == 1, 100, 1000);
  say("poll %d with %u after %llu us", result, value, (ktime_get_ns() - began) / NSEC_PER_USEC);
  began = ktime_get_ns();
  local_irq_disable();
  result = readl_poll_timeout_atomic(self->base + 0x10, value, value == 1, 0, 35);
  local_irq_enable();
  say("poll %d after %llu us", result, (ktime_get_ns() - began) / NSEC_PER_USEC);
}

static void services_kref_release(struct kref* kref) { say("kref released"); }

static void services_counts(struct services* self) {
  refcount_t count;
  struct kref kref;

  refcount_set(&count, 2);
  refcount_inc(&count);
  say("refcount %u", refcount_read(&count));
  for (int i = 0; i < 3; i++) say("last %d", refcount_dec_and_test(&count));
  say("not zero %d", refcount_inc_not_zero(&count));
  kref_init(&kref);
  kref_get(&kref);
  for (int i = 0; i < 2; i++) say("kref %d", kref_put(&kref, services_kref_release));
  say("underflow %d", refcount_dec_and_test(&count)); /* a WARN */
  say("stays %d", refcount_dec_and_test(&count));     /* and another */
}

static bool services_readable(struct device* dev, unsigned int reg) { return reg != 0x18; }

static void services_regmap(struct services* self) {
  static const struct regmap_config config = {
      .reg_bits = 32, .val_bits = 32, .reg_stride = 4, .max_register = 0x3c, .readable_reg = services_readable};
  struct regmap* map = devm_regmap_init_mmio(self->dev, self->base, &config);
  unsigned int value = 99;

  say("write %d", regmap_write(map, 0x30, 0xf0));
  say("read %d", regmap_read(map, 0x30, &value));
  say("value %#x", value);
  say("update %d", regmap_update_bits(map, 0x30, 0x0f, 0x05));
  say("update %d", regmap_update_bits(map, 0x30, 0x0f, 0x05));
  say("stride %d end %d hidden %d", regmap_read(map, 0x31, &value), regmap_read(map, 0x40, &value),
      regmap_read(map, 0x18, &value));
  say("bits %d %d", regmap_test_bits(map, 0x30, 0xf0), regmap_test_bits(map, 0x30, 0x02));
}

static void services_on_cpu(void* data) {
  u64* counts = data;

  *this_cpu_ptr(counts) += 10 + smp_processor_id();
  this_cpu_inc(services_count);
}

static void services_percpu(struct services* self) {
  u64* counts = alloc_percpu(u64);
  unsigned int cpu;

  *per_cpu_ptr(counts, 0) = 100;
  for_each_possible_cpu(cpu) smp_call_function_single((int)cpu, services_on_cpu, counts, 1);
  for_each_possible_cpu(cpu) say("cpu %u: %llu and %llu", cpu, *per_cpu_ptr(counts, cpu), per_cpu(services_count, cpu));
  free_percpu(counts);
  *per_cpu_ptr(counts, 1) = 1; /* is noticed at the end */
}

struct services_object {
  struct rcu_head rcu;
  int number;
};
static struct services_object __rcu* services_current;

static void services_reclaim(struct rcu_head* head) {
  struct services_object* object = container_of(head, struct services_object, rcu);

  say("reclaim %d", object->number);
  kfree(object);
}

static void services_rcu(struct services* self) {
  struct services_object *first = kzalloc(sizeof(*first), GFP_KERNEL), *second = kzalloc(sizeof(*second), GFP_KERNEL);

  first->number = 1;
  rcu_assign_pointer(services_current, first);
  rcu_read_lock();
  call_rcu(&first->rcu, services_reclaim);
  rcu_assign_pointer(services_current, second);
  say("still %d", first->number);
  rcu_read_unlock();
  rcu_barrier();
  kfree_rcu(second, rcu);
  say("still %d", second->number);
  rcu_read_lock();
  mutex_lock(&services_mutex); /* breaks a rule */
  mutex_unlock(&services_mutex);
  rcu_read_unlock();
}

static void services_arrays(struct services* self) {
  DEFINE_XARRAY_ALLOC(array);
  DEFINE_IDR(idr);
  int one = 1, two = 2, three = 3, *entry;
  unsigned long index;
  u32 id = 99;
  int number;

  say("store %d", xa_err(xa_store(&array, 7, &one, GFP_KERNEL)));
  say("insert %d", xa_insert(&array, 7, &two, GFP_KERNEL));
  say("alloc %d", xa_alloc(&array, &id, &two, XA_LIMIT(7, 9), GFP_KERNEL));
  xa_store(&array, 1UL << 40, &three, GFP_KERNEL);
  say("id %u", id);
  xa_for_each(&array, index, entry) say("entry %lu: %d", index, *entry);
  say("erased %d", *(int*)xa_erase(&array, 7));
  say("then %d", xa_load(&array, 7) != NULL);
  xa_destroy(&array);
  say("empty %d", xa_empty(&array));
  for (int i = 0; i < 3; i++) say("idr %d", idr_alloc(&idr, i ? &two : &one, 5, 7, GFP_KERNEL));
  idr_for_each_entry(&idr, entry, number) say("number %d: %d", number, *entry);
  idr_destroy(&idr);
  say("scan %d", sscanf("config1:12,0x1f", "config1:%d,%x", &number, &id));
  say("scanned %d %#x", number, id);
  say("scan %d", sscanf("event=1", "config1:%d", &number));
}

static int services_told(struct notifier_block* block, unsigned long action, void* data) {
  say("told %lu with priority %d", action, block->priority);
  return block->priority == 5 ? NOTIFY_STOP : NOTIFY_OK;
}

static int services_resume(struct device* dev) {
  say("resume");
  return 0;
}
static int services_suspend(struct device* dev) {
  say("suspend");
  return 0;
}

static void services_power(struct services* self) {
  BLOCKING_NOTIFIER_HEAD(chain);
  struct notifier_block low = {.notifier_call = services_told, .priority = 1};
  struct notifier_block high = {.notifier_call = services_told, .priority = 9};
  struct notifier_block middle = {.notifier_call = services_told, .priority = 5};
  struct clk* clock = devm_clk_get(self->dev, "apb");

  blocking_notifier_chain_register(&chain, &low);
  blocking_notifier_chain_register(&chain, &high);
  blocking_notifier_call_chain(&chain, 3, NULL);
  blocking_notifier_chain_register(&chain, &middle);
  blocking_notifier_chain_unregister(&chain, &high);
  say("chain %#x", (unsigned int)blocking_notifier_call_chain(&chain, 4, NULL));
  pm_runtime_enable(self->dev);
  say("get %d", pm_runtime_get_sync(self->dev));
  say("get %d", pm_runtime_get_sync(self->dev));
  pm_runtime_put_sync(self->dev);
  say("put");
  pm_runtime_put_sync(self->dev);
  say("suspended %d", pm_runtime_suspended(self->dev));
  pm_runtime_disable(self->dev);
  say("clock %d", clk_enable(clock)); /* unprepared: a WARN */
  say("clock %d %lu", clk_prepare_enable(clock), clk_get_rate(clock));
  clk_disable_unprepare(clock);
  clk_disable(clock); /* a WARN */
}

static int services_probe(struct platform_device* pdev) {
  struct device* dev = &pdev->dev;
  struct services* self = devm_kzalloc(dev, sizeof(*self), GFP_KERNEL);
  u32 mode = 0;

  self->dev = dev;
  platform_set_drvdata(pdev, self);
  device_property_read_u32(dev, "mode", &mode);
  self->base = devm_platform_ioremap_resource(pdev, 0);
  if (IS_ERR(self->base)) return PTR_ERR(self->base);
  self->irq = platform_get_irq(pdev, 0);
  init_completion(&self->done);
  init_waitqueue_head(&self->queue);
  INIT_WORK(&self->work, services_work);
  INIT_DELAYED_WORK(&self->delayed, services_delayed);
  if (devm_request_irq(dev, self->irq, services_irq, 0, dev_name(dev), self)) return -EBUSY;
  self->began = ktime_get_ns();
  switch (mode) {
    case 1:
      services_timers(self);
      break;
    case 2:
      services_waiting(self);
      break;
    case 3:
      services_polling(self);
      break;
    case 4:
      services_counts(self);
      break;
    case 5:
      services_regmap(self);
      break;
    case 6:
      services_percpu(self);
      break;
    case 7:
      services_rcu(self);
      break;
    case 8:
      services_arrays(self);
      break;
    case 9:
      services_power(self);
      break;
    case 10: /* a callback that sleeps, and a timer that is freed */
      hrtimer_setup(&self->timer, services_sleeping_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
      hrtimer_start(&self->timer, ns_to_ktime(1000), HRTIMER_MODE_REL);
      break;
    case 11:
      hrtimer_setup(&self->timer, services_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
      hrtimer_start(&self->timer, ms_to_ktime(10), HRTIMER_MODE_REL);
      return -ENODEV;
    case 12:
      wait_for_completion(&self->done);
      break;
    case 13: { /* interrupts on again at the exact end of a time in which the timer was due */
      unsigned long flags;

      self->left = 1;
      hrtimer_setup(&self->timer, services_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
      hrtimer_start(&self->timer, ns_to_ktime(1000), HRTIMER_MODE_REL);
      local_irq_save(flags);
      while (ktime_get_ns() < self->began + 15000) cpu_relax();
      say("interrupts on");
      local_irq_restore(flags);
      say("after");
      break;
    }
  }
  if (mode >= 14 && mode <= 20) services_deadlocks(self, mode);
  if (mode > 20) services_lockups(self, mode);
  return 0;
}

static void services_remove(struct platform_device* pdev) {
  struct services* self = platform_get_drvdata(pdev);

  cancel_delayed_work_sync(&self->delayed);
  if (self->timer.function) hrtimer_cancel(&self->timer);
}

static const struct dev_pm_ops services_pm = {SET_RUNTIME_PM_OPS(services_suspend, services_resume, NULL)};
static const struct acpi_device_id services_match[] = {{"TEST0002", 0}, {}};
MODULE_DEVICE_TABLE(acpi, services_match);

static struct platform_driver services_driver = {
    .driver = {.name = "services", .acpi_match_table = ACPI_PTR(services_match), .pm = &services_pm},
    .probe = services_probe,
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
    .remove_new = services_remove,
#else
    .remove = services_remove,
#endif
};
module_platform_driver(services_driver);

MODULE_LICENSE("Dual MIT/GPL");
