/* Interrupts: who listens to which number. Levels, edges and delays are the host's business. */
#include <linux/interrupt.h>

#include "runtime.h"

struct action {
  struct action* next;
  irq_handler_t handler;
  void* dev_id;
  const struct device* dev; /* who asked, if a managed request */
  unsigned long flags;
};
struct interrupt {
  struct list_head node;
  unsigned int number;
  struct action* actions;
  int disable_depth;
  struct cpumask affinity;
};

static LIST_HEAD(interrupts);

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

void pmufab_irq_exit(void) {
  struct interrupt *interrupt, *next;
  list_for_each_entry_safe(interrupt, next, &interrupts, node) {
    WARN(interrupt->actions, "interrupt %u is still requested\n", interrupt->number);
    list_del(&interrupt->node);
    kfree(interrupt);
  }
}

static int request(unsigned int number, irq_handler_t handler, unsigned long flags, void* dev_id,
                   const struct device* dev) {
  struct interrupt* interrupt = find(number);
  if (!interrupt || !handler) return -EINVAL;
  struct action* first = interrupt->actions;
  if (first && !(first->flags & flags & IRQF_SHARED)) {
    pr_err("genirq: Flags mismatch irq %u: the interrupt is in use and not shared\n", number);
    return -EBUSY;
  }
  struct action* action = kzalloc(sizeof(*action), GFP_KERNEL);
  if (!action) return -ENOMEM;
  *action = (struct action){.handler = handler, .dev_id = dev_id, .dev = dev, .flags = flags};
  if (!first) interrupt->disable_depth = flags & IRQF_NO_AUTOEN ? 1 : 0;
  struct action** end = &interrupt->actions;
  while (*end) end = &(*end)->next;
  *end = action;
  pmufab_interrupt_window(); /* what waited for this listener */
  return 0;
}

int request_irq(unsigned int irq, irq_handler_t handler, unsigned long flags, const char* name, void* dev_id) {
  (void)name;
  return request(irq, handler, flags, dev_id, NULL);
}

const void* free_irq(unsigned int irq, void* dev_id) {
  struct interrupt* interrupt = find(irq);
  for (struct action** at = interrupt ? &interrupt->actions : NULL; at && *at; at = &(*at)->next) {
    if ((*at)->dev_id != dev_id) continue;
    struct action* action = *at;
    *at = action->next;
    kfree(action);
    return NULL;
  }
  WARN(1, "Trying to free already-free IRQ %u\n", irq);
  return NULL;
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
  (void)name;
  struct managed_request* managed = devres_alloc(managed_release, sizeof(*managed), GFP_KERNEL);
  if (!managed) return -ENOMEM;
  const int error = request(irq, handler, flags, dev_id, dev);
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
  return interrupt && interrupt->actions && interrupt->disable_depth == 0;
}

int pmufab_interrupt(uint32_t number) {
  struct interrupt* interrupt = find(number);
  if (!interrupt || !interrupt->actions) return -EINVAL;
  unsigned int cpu = cpumask_first_and(&interrupt->affinity, cpu_online_mask);
  if (cpu >= nr_cpu_ids) cpu = cpumask_first(cpu_online_mask); /* its CPUs are gone */

  const unsigned int previous = pmufab_enter_cpu(cpu);
  pmufab_irq_enter();
  bool handled = false;
  for (struct action *action = interrupt->actions, *next; action; action = next) {
    next = action->next;
    const char* pmu = action->dev ? pmufab_perf_name_of(action->dev) : "";
    pmufab_host->perf_call(pmufab_host->context, PMUFAB_CALL_INTERRUPT, 1, pmu, 0, 0);
    if (action->handler((int)number, action->dev_id) != IRQ_NONE) handled = true;
    pmufab_host->perf_call(pmufab_host->context, PMUFAB_CALL_INTERRUPT, 0, pmu, 0, 0);
  }
  pmufab_irq_leave();
  pmufab_leave_cpu(previous);
  return handled;
}
