// SPDX-License-Identifier: BSD-2-Clause
/* Interrupts: handlers by number. The host handles levels, edges and delays. */
#include <linux/interrupt.h>

#include "runtime.h"

struct action {
  struct action* next;
  irq_handler_t handler;
  irq_handler_t thread; /* null: none */
  bool thread_wanted;
  void* dev_id;
  const struct device* dev; /* the requesting device, for a managed request; else the one that was being probed */
  const void* place;        /* where it was requested */
  unsigned long flags;
};
struct interrupt {
  struct list_head node;
  unsigned int number;
  struct action* actions;
  int disable_depth;
  int kept_off; /* count of threads that have not run yet (IRQF_ONESHOT) */
  struct cpumask affinity;
  bool has_affinity;                                     /* a driver has chosen it */
  void (*set)(void* data, unsigned int number, bool on); /* null: a line that is always on */
  void* set_data;
};

static LIST_HEAD(interrupts);
static bool threads_wanted; /* for any action */
static bool comes_at_steps; /* of probe and remove */

static struct interrupt* find(unsigned int number) {
  struct interrupt* interrupt;
  list_for_each_entry(interrupt, &interrupts, node) if (interrupt->number == number) return interrupt;
  return NULL;
}

void pmufab_irq_known(unsigned int number) {
  if (find(number)) return;
  struct interrupt* interrupt = kzalloc(sizeof(*interrupt), GFP_KERNEL);
  interrupt->number = number;
  cpumask_copy(&interrupt->affinity, cpu_possible_mask);
  list_add_tail(&interrupt->node, &interrupts);
}

void pmufab_irq_switch(unsigned int number, void (*set)(void* data, unsigned int number, bool on), void* data) {
  struct interrupt* interrupt = find(number);
  if (!interrupt) return;
  interrupt->set = set;
  interrupt->set_data = data;
}

void pmufab_irq_exit(void) {
  struct interrupt *interrupt, *next;
  list_for_each_entry_safe(interrupt, next, &interrupts, node) {
    if (interrupt->actions)
      pmufab_rule(interrupt->actions->place, "interrupt %u is still requested; it was requested", interrupt->number);
    list_del(&interrupt->node);
    kfree(interrupt);
  }
}

/* All sharers of an interrupt must allow sharing, and agree on whether it stays off until threads have run. */
static bool may_share(const struct action* first, unsigned long flags, unsigned int number) {
  if (!(first->flags & flags & IRQF_SHARED)) {
    pr_err("genirq: Flags mismatch irq %u: the interrupt is in use and not shared\n", number);
    return false;
  }
  if ((first->flags ^ flags) & IRQF_ONESHOT && !(first->flags & IRQF_ONESHOT && flags & IRQF_COND_ONESHOT)) {
    pr_err("genirq: Flags mismatch irq %u: only one of its users is a thread that keeps it off\n", number);
    return false;
  }
  return true;
}

static int request(unsigned int number, irq_handler_t handler, irq_handler_t thread, unsigned long flags, void* dev_id,
                   const struct device* dev, const void* place) {
  unsigned int files;
  pmufab_might_sleep("requesting an interrupt");
  if (dev && dev == pmufab_probing && pmufab_perf_count_of(dev, &files) > 0)
    pmufab_rule(place, "interrupt %u is requested after the PMU of %s was registered: an event may count already",
                number, dev_name(dev));
  struct interrupt* interrupt = find(number);
  if (!interrupt || (!handler && !thread)) return -EINVAL;
  struct action* first = interrupt->actions;
  if (first && !may_share(first, flags, number)) return -EBUSY;
  struct action* action = kzalloc(sizeof(*action), GFP_KERNEL);
  if (!action) return -ENOMEM;
  *action = (struct action){
      .handler = handler, .thread = thread, .dev_id = dev_id, .dev = dev, .place = place, .flags = flags};
  if (!first) interrupt->disable_depth = flags & IRQF_NO_AUTOEN ? 1 : 0;
  struct action** end = &interrupt->actions;
  while (*end) end = &(*end)->next;
  *end = action;
  if (!first && interrupt->set) interrupt->set(interrupt->set_data, number, true);
  pmufab_interrupt_window(); /* interrupts that waited for this listener */
  return 0;
}

int request_irq(unsigned int irq, irq_handler_t handler, unsigned long flags, const char* name, void* dev_id) {
  (void)name;
  if (PMUFAB_CALL_FAILS()) return -ENOMEM;
  return request(irq, handler, NULL, flags, dev_id, pmufab_probing, PLACE);
}

const void* free_irq(unsigned int irq, void* dev_id) {
  pmufab_might_sleep("free_irq()");
  pmufab_irq_step();
  struct interrupt* interrupt = find(irq);
  for (struct action** at = interrupt ? &interrupt->actions : NULL; at && *at; at = &(*at)->next) {
    if ((*at)->dev_id != dev_id) continue;
    struct action* action = *at;
    unsigned int files;
    if (action->dev && action->dev == pmufab_leaving && pmufab_perf_count_of(action->dev, &files) > 0)
      pmufab_rule(
          action->place,
          "interrupt %u is freed while the PMU of %s is still registered: an event may be open; it was requested", irq,
          dev_name(action->dev));
    *at = action->next;
    if (action->thread_wanted && action->flags & IRQF_ONESHOT) interrupt->kept_off--;
    kfree(action);
    if (!interrupt->actions && interrupt->set) interrupt->set(interrupt->set_data, irq, false);
    return NULL;
  }
  WARN(1, "Trying to free already-free IRQ %u\n", irq);
  return NULL;
}

void pmufab_irq_check_gone(const struct device* dev) {
  struct interrupt* interrupt;
  list_for_each_entry(interrupt, &interrupts, node) {
    for (struct action *action = interrupt->actions, *next; action; action = next) {
      next = action->next;
      if (action->dev != dev) continue;
      pmufab_rule(action->place, "interrupt %u is still requested after its driver has left the device",
                  interrupt->number);
      free_irq(interrupt->number, action->dev_id);
    }
  }
}

void synchronize_irq(unsigned int irq) {
  (void)irq;
  pmufab_might_sleep("synchronize_irq()");
}

struct managed_request {
  unsigned int irq;
  void* dev_id;
};

static void managed_release(struct device* dev, void* resource) {
  struct managed_request* managed = resource;
  (void)dev;
  free_irq(managed->irq, managed->dev_id);
}

static int managed_match(struct device* dev, void* resource, void* wanted) {
  (void)dev;
  return memcmp(resource, wanted, sizeof(struct managed_request)) == 0;
}

int devm_request_irq(struct device* dev, unsigned int irq, irq_handler_t handler, unsigned long flags, const char* name,
                     void* dev_id) {
  if (PMUFAB_CALL_FAILS()) return -ENOMEM;
  return devm_request_threaded_irq(dev, irq, handler, NULL, flags, name, dev_id);
}

int devm_request_threaded_irq(struct device* dev, unsigned int irq, irq_handler_t handler, irq_handler_t thread,
                              unsigned long flags, const char* name, void* dev_id) {
  (void)name;
  if (PMUFAB_CALL_FAILS()) return -ENOMEM;
  struct managed_request* managed = devres_alloc(managed_release, sizeof(*managed), GFP_KERNEL);
  if (!managed) return -ENOMEM;
  const int error = request(irq, handler, thread, flags, dev_id, dev, PLACE);
  if (error) {
    devres_free(managed);
    return dev_err_probe(dev, error, "request_irq(%u) failed\n", irq);
  }
  managed->irq = irq;
  managed->dev_id = dev_id;
  devres_add(dev, managed);
  return 0;
}

void devm_free_irq(struct device* dev, unsigned int irq, void* dev_id) {
  struct managed_request wanted = {.irq = irq, .dev_id = dev_id};
  WARN_ON(devres_release(dev, managed_release, managed_match, &wanted));
}

int irq_set_affinity(unsigned int irq, const struct cpumask* mask) {
  struct interrupt* interrupt = find(irq);
  if (!interrupt || !cpumask_intersects(mask, cpu_online_mask)) return -EINVAL;
  cpumask_copy(&interrupt->affinity, mask);
  interrupt->has_affinity = true;
  return 0;
}

void disable_irq(unsigned int irq) {
  struct interrupt* interrupt = find(irq);
  if (interrupt) interrupt->disable_depth++;
}

void enable_irq(unsigned int irq) {
  struct interrupt* interrupt = find(irq);
  if (!interrupt) return;
  if (WARN(interrupt->disable_depth == 0, "Unbalanced enable for IRQ %u\n", irq)) return;
  interrupt->disable_depth--;
  pmufab_interrupt_window();
}

int pmufab_interrupt_requested(uint32_t number) {
  struct interrupt* interrupt = find(number);
  return interrupt && interrupt->actions && interrupt->disable_depth == 0 && interrupt->kept_off == 0;
}

int pmufab_interrupt_is_of(uint32_t number, const char* pmu) {
  struct interrupt* interrupt = find(number);
  for (struct action* action = interrupt ? interrupt->actions : NULL; action; action = action->next)
    if (action->dev && strcmp(pmufab_perf_name_of(action->dev), pmu) == 0) return 1;
  return 0;
}

static unsigned int cpu_of(const struct interrupt* interrupt) {
  const unsigned int cpu = cpumask_first_and(&interrupt->affinity, cpu_online_mask);
  return cpu < nr_cpu_ids ? cpu : cpumask_first(cpu_online_mask); /* its CPUs are offline */
}

static unsigned int handlers_of(const struct device* dev) {
  unsigned int count = 0;
  struct interrupt* interrupt;
  list_for_each_entry(interrupt, &interrupts, node) {
    for (struct action* action = interrupt->actions; action; action = action->next) count += action->dev == dev;
  }
  return count;
}

void pmufab_irq_check_affinity(void) {
  struct interrupt* interrupt;
  list_for_each_entry(interrupt, &interrupts, node) {
    for (struct action* action = interrupt->actions; action; action = action->next) {
      const char* pmu = "";
      const unsigned int wanted = pmufab_perf_cpu_of(action->dev, &pmu);
      /* Where an interrupt goes whose CPUs are all offline is the kernel's choice. */
      const unsigned int cpu = cpumask_first_and(&interrupt->affinity, cpu_online_mask);
      if (wanted >= nr_cpu_ids || (interrupt->has_affinity && cpu == wanted)) continue;
      if (num_online_cpus() == 1) continue; /* there is no other */
      /* Which of a device's several interrupts is the PMU's is not known. */
      if (!interrupt->has_affinity && handlers_of(action->dev) > 1) continue;
      pmufab_rule(action->place, "interrupt %u of %s %s, and cpumask says %u: irq_set_affinity() is missing; requested",
                  interrupt->number, pmu, interrupt->has_affinity ? "goes to another CPU" : "goes to any CPU", wanted);
    }
  }
}

/* Whether the device had an interrupt pending is known to the driver only. But one that found 0 in every register it read,
 * and counted nothing, had nothing to do; and one that counted something had. The kernel turns an interrupt off that
 * nobody handles, and cannot do that if a handler claims all of them. */
static void check_answer(const struct action* action, irqreturn_t result, bool has_counted) {
  const struct pmufab_io_reads reads = pmufab_io_reads();
  if (result == IRQ_NONE && has_counted)
    pmufab_rule(PMUFAB_PLACE_OF(action->handler), "an interrupt handler adds to a count and answers IRQ_NONE");
  if (result == IRQ_HANDLED && !has_counted && reads.count > 0 && reads.bits == 0)
    pmufab_rule(PMUFAB_PLACE_OF(action->handler),
                "an interrupt handler answers IRQ_HANDLED although every register it read was 0, so the interrupt was "
                "not its device's");
}

int pmufab_interrupt(uint32_t number) {
  struct interrupt* interrupt = find(number);
  if (!interrupt || !interrupt->actions) return -EINVAL;
  const unsigned int cpu = cpu_of(interrupt);

  const unsigned int previous = pmufab_enter_cpu(cpu);
  pmufab_irq_enter();
  bool handled = false;
  for (struct action *action = interrupt->actions, *next; action; action = next) {
    next = action->next;
    irqreturn_t result = IRQ_WAKE_THREAD;
    if (action->handler) {
      const char* pmu = action->dev ? pmufab_perf_name_of(action->dev) : "";
      pmufab_host->perf_call(pmufab_host->context, PMUFAB_CALL_INTERRUPT, 1, pmu, 0, 0);
      const u64 counted = pmufab_perf_counted();
      pmufab_io_forget_reads();
      PMUFAB_CALL(result = action->handler((int)number, action->dev_id));
      check_answer(action, result, pmufab_perf_counted() != counted);
      pmufab_host->perf_call(pmufab_host->context, PMUFAB_CALL_INTERRUPT, 0, pmu, 0, 0);
    }
    if (result != IRQ_NONE) handled = true;
    if (result == IRQ_WAKE_THREAD && action->thread && !action->thread_wanted) {
      action->thread_wanted = threads_wanted = true;
      if (action->flags & IRQF_ONESHOT) interrupt->kept_off++;
    }
  }
  pmufab_irq_leave();
  pmufab_leave_cpu(previous);
  return handled;
}

void pmufab_irq_at_steps(int on) { comes_at_steps = on != 0; }

static bool is_of(const struct interrupt* interrupt, const struct device* dev) {
  for (const struct action* action = interrupt->actions; action; action = action->next)
    if (action->dev == dev) return true;
  return false;
}

/* The device has nothing to say, as if another one on its line had, or as if it had said it before it was reset. */
void pmufab_irq_step(void) {
  const struct device* const dev = pmufab_probing ? pmufab_probing : pmufab_leaving;
  struct interrupt* interrupt;
  if (!comes_at_steps || !dev || pmufab_irqs_are_off()) return;
  list_for_each_entry(interrupt, &interrupts, node) {
    if (is_of(interrupt, dev) && pmufab_interrupt_requested(interrupt->number)) pmufab_interrupt(interrupt->number);
  }
}

static struct action* next_thread(struct interrupt** owner) {
  struct interrupt* interrupt;
  list_for_each_entry(interrupt, &interrupts, node) {
    *owner = interrupt;
    for (struct action* action = interrupt->actions; action; action = action->next)
      if (action->thread_wanted) return action;
  }
  return NULL;
}

bool pmufab_irq_thread_wanted(void) { return threads_wanted; }

void pmufab_irq_run_threads(void) {
  while (threads_wanted) {
    struct interrupt* interrupt;
    struct action* action = next_thread(&interrupt);
    threads_wanted = action != NULL;
    if (!action) break;
    action->thread_wanted = false;
    const unsigned long flags = action->flags;
    PMUFAB_CALL(action->thread((int)interrupt->number, action->dev_id));
    if (flags & IRQF_ONESHOT && --interrupt->kept_off == 0) pmufab_interrupt_window();
  }
}
