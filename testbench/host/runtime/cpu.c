// SPDX-License-Identifier: BSD-2-Clause
/* CPUs: numbering, masks, hotplug and sleeping. */
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/property.h>

#include "runtime.h"

unsigned int nr_cpu_ids = 1;
int pmufab_node_count = 1;
struct cpumask __cpu_possible_mask, __cpu_present_mask, __cpu_online_mask;

static int node_of[NR_CPUS];
static struct cpumask masks_of_one[NR_CPUS];
static struct cpumask node_mask;
static unsigned int current_cpu;

void pmufab_cpus_init(const struct pmufab_cpu* cpus, size_t count) {
  nr_cpu_ids = (unsigned int)min(count, (size_t)NR_CPUS);
  for (unsigned int cpu = 0; cpu < nr_cpu_ids; cpu++) {
    node_of[cpu] = (int)cpus[cpu].node;
    cpumask_set_cpu(cpu, &masks_of_one[cpu]);
    cpumask_set_cpu(cpu, &__cpu_possible_mask);
    cpumask_set_cpu(cpu, &__cpu_present_mask);
    if (cpus[cpu].online) cpumask_set_cpu(cpu, &__cpu_online_mask);
    if (node_of[cpu] >= pmufab_node_count) pmufab_node_count = node_of[cpu] + 1;
  }
  current_cpu = cpumask_first(cpu_online_mask);
}

unsigned long pmufab_wrong_cpu(unsigned int cpu) {
  pmufab_rule(NULL, "a mask of CPUs is asked for CPU %d, and there are %u", (int)cpu, nr_cpu_ids);
  return NR_CPUS - 1;
}

int cpu_to_node(int cpu) { return cpu >= 0 && (unsigned int)cpu < nr_cpu_ids ? node_of[cpu] : NUMA_NO_NODE; }

const struct cpumask* cpumask_of_node(int node) {
  if (node == NUMA_NO_NODE) return cpu_possible_mask;
  cpumask_clear(&node_mask);
  for (unsigned int cpu = 0; cpu < nr_cpu_ids; cpu++)
    if (node_of[cpu] == node) cpumask_set_cpu(cpu, &node_mask);
  return &node_mask;
}

const struct cpumask* cpumask_of(unsigned int cpu) {
  static const struct cpumask none;
  return cpu < NR_CPUS ? &masks_of_one[cpu] : &none;
}

unsigned int cpumask_any_but(const struct cpumask* mask, unsigned int cpu) {
  unsigned int other;
  for_each_cpu(other, mask) if (other != cpu) return other;
  return nr_cpu_ids;
}

unsigned int cpumask_any_and_but(const struct cpumask* left, const struct cpumask* right, unsigned int cpu) {
  unsigned int other;
  for_each_cpu_and(other, left, right) if (other != cpu) return other;
  return nr_cpu_ids;
}

unsigned int cpumask_local_spread(unsigned int index, int node) {
  unsigned int cpu;
  /* The node's own CPUs first, then the others, repeatedly. */
  index %= max(num_online_cpus(), 1U);
  for_each_online_cpu(cpu) if ((node == NUMA_NO_NODE || node_of[cpu] == node) && index-- == 0) return cpu;
  for_each_online_cpu(cpu) if (node != NUMA_NO_NODE && node_of[cpu] != node && index-- == 0) return cpu;
  return cpumask_first(cpu_online_mask);
}

unsigned int smp_processor_id(void) { return current_cpu; }

int smp_call_function_single(int cpu, void (*function)(void* data), void* data, int wait) {
  (void)wait;
  if (!cpu_online(cpu)) return -ENXIO;
  const unsigned int previous = pmufab_enter_cpu((unsigned int)cpu);
  pmufab_irq_off();
  PMUFAB_CALL(function(data));
  pmufab_irq_on();
  pmufab_leave_cpu(previous);
  return 0;
}

unsigned int pmufab_enter_cpu(unsigned int cpu) {
  const unsigned int previous = current_cpu;
  current_cpu = cpu;
  return previous;
}

void pmufab_leave_cpu(unsigned int previous) { current_cpu = previous; }

/* Hotplug states: callbacks that run on a CPU after it comes online and before it goes offline, for each registered
 * instance. */
struct hotplug_state {
  const char* name;
  const void* place; /* where it was set up */
  int (*startup)(unsigned int cpu, struct hlist_node* node);
  int (*teardown)(unsigned int cpu, struct hlist_node* node);
  bool used, single;
  struct hlist_head instances;
};
enum { kStates = CPUHP_AP_ONLINE_DYN_END };
static struct hotplug_state states[kStates]; /* by number */

/* In a kernel, a number that no state can have is a BUG. */
static void check_number(int state, const void* place) {
  if (state <= CPUHP_OFFLINE || state >= kStates)
    pmufab_rule(place, "a hotplug state with the number %d is removed, or left: there is none", state);
}
#define CHECK_NUMBER(state) check_number(state, PLACE)

static int call_on(unsigned int cpu, int (*callback)(unsigned int cpu, struct hlist_node* node),
                   struct hlist_node* node) {
  if (!callback) return 0;
  const unsigned int previous = pmufab_enter_cpu(cpu);
  int error;
  PMUFAB_CALL(error = callback(cpu, node));
  pmufab_leave_cpu(previous);
  if (error <= 0) return error;
  pmufab_rule(PMUFAB_PLACE_OF(callback), "a callback of CPU hotplug answers %d for CPU %u, which is no errno", error,
              cpu);
  return -EINVAL; /* to the kernel it has failed */
}

/* Whoever leaves a state, or its set-up has failed, cannot be refused that. */
static void tear_down(const struct hotplug_state* state, unsigned int cpu, struct hlist_node* node) {
  const int error = call_on(cpu, state->teardown, node);
  if (error)
    pmufab_rule(PMUFAB_PLACE_OF(state->teardown),
                "a callback of CPU hotplug answers %d when its state is left: a kernel dies of that (BUG_ON() in "
                "kernel/cpu.c)",
                error);
}

static void tear_down_below(const struct hotplug_state* state, unsigned int failed, struct hlist_node* node) {
  for (unsigned int cpu = 0; cpu < failed; cpu++)
    if (cpu_online(cpu)) tear_down(state, cpu, node);
}

static struct hotplug_state* state_of(int state) {
  return state >= 0 && state < kStates && states[state].used ? &states[state] : NULL;
}

/* Returns its number. */
static int set_up(enum cpuhp_state state, const char* name, int (*startup)(unsigned int cpu, struct hlist_node* node),
                  int (*teardown)(unsigned int cpu, struct hlist_node* node), const void* place) {
  pmufab_might_sleep("setting up a hotplug state");
  int number = (int)state;
  if (state == CPUHP_AP_ONLINE_DYN) {
    while (number < kStates && states[number].used) number++;
    if (number == kStates) return -ENOSPC;
  }
  if (number <= CPUHP_OFFLINE || number >= kStates) return -EINVAL;
  if (states[number].used) return -EBUSY;
  states[number] =
      (struct hotplug_state){.name = name, .place = place, .startup = startup, .teardown = teardown, .used = true};
  return number;
}

int cpuhp_setup_state_multi(enum cpuhp_state state, const char* name,
                            int (*startup)(unsigned int cpu, struct hlist_node* node),
                            int (*teardown)(unsigned int cpu, struct hlist_node* node)) {
  if (PMUFAB_CALL_FAILS()) return -ENOMEM;
  const int number = set_up(state, name, startup, teardown, PLACE);
  return state == CPUHP_AP_ONLINE_DYN || number < 0 ? number : 0;
}

/* The instance argument is left unread by callbacks that take none. */
static int set_up_single(enum cpuhp_state state, const char* name, int (*startup)(unsigned int cpu),
                         int (*teardown)(unsigned int cpu), const void* place) {
  const int number = set_up(state, name, (int (*)(unsigned int, struct hlist_node*))(void*)startup,
                            (int (*)(unsigned int, struct hlist_node*))(void*)teardown, place);
  if (number >= 0) state_of(number)->single = true;
  return number;
}

int cpuhp_setup_state_nocalls(enum cpuhp_state state, const char* name, int (*startup)(unsigned int cpu),
                              int (*teardown)(unsigned int cpu)) {
  if (PMUFAB_CALL_FAILS()) return -ENOMEM;
  const int number = set_up_single(state, name, startup, teardown, PLACE);
  return state == CPUHP_AP_ONLINE_DYN || number < 0 ? number : 0;
}

int cpuhp_setup_state(enum cpuhp_state state, const char* name, int (*startup)(unsigned int cpu),
                      int (*teardown)(unsigned int cpu)) {
  if (PMUFAB_CALL_FAILS()) return -ENOMEM;
  const int number = set_up_single(state, name, startup, teardown, PLACE);
  if (number < 0) return number;
  unsigned int cpu;
  for_each_online_cpu(cpu) {
    const int error = call_on(cpu, state_of(number)->startup, NULL);
    if (!error) continue;
    tear_down_below(state_of(number), cpu, NULL);
    states[number].used = false;
    return error;
  }
  return state == CPUHP_AP_ONLINE_DYN ? number : 0;
}

int cpuhp_state_add_instance_nocalls(int state, struct hlist_node* node) {
  if (PMUFAB_CALL_FAILS()) return -ENOMEM;
  struct hotplug_state* entry = state_of(state);
  if (!entry) return -EINVAL;
  hlist_add_head(node, &entry->instances);
  pmufab_irq_step();
  return 0;
}

int cpuhp_state_add_instance(int state, struct hlist_node* node) {
  if (PMUFAB_CALL_FAILS()) return -ENOMEM;
  struct hotplug_state* entry = state_of(state);
  if (!entry) return -EINVAL;
  unsigned int cpu;
  for_each_online_cpu(cpu) {
    const int error = call_on(cpu, entry->startup, node);
    if (!error) continue;
    tear_down_below(entry, cpu, node);
    return error;
  }
  hlist_add_head(node, &entry->instances);
  pmufab_irq_step();
  return 0;
}

int cpuhp_state_remove_instance_nocalls(int state, struct hlist_node* node) {
  CHECK_NUMBER(state);
  if (!state_of(state)) return -EINVAL;
  hlist_del_init(node);
  pmufab_irq_step();
  return 0;
}

int cpuhp_state_remove_instance(int state, struct hlist_node* node) {
  CHECK_NUMBER(state);
  struct hotplug_state* entry = state_of(state);
  if (!entry) return -EINVAL;
  unsigned int cpu;
  for_each_online_cpu(cpu) tear_down(entry, cpu, node);
  hlist_del_init(node);
  pmufab_irq_step();
  return 0;
}

void cpuhp_remove_multi_state(int state) {
  CHECK_NUMBER(state);
  struct hotplug_state* entry = state_of(state);
  if (!entry) return;
  WARN(!hlist_empty(&entry->instances), "a hotplug state is removed while it has instances\n");
  entry->used = false;
}

void cpuhp_remove_state_nocalls(int state) {
  CHECK_NUMBER(state);
  if (state_of(state)) state_of(state)->used = false;
}

void cpuhp_remove_state(int state) {
  CHECK_NUMBER(state);
  struct hotplug_state* entry = state_of(state);
  if (!entry) return;
  if (!entry->single) {
    cpuhp_remove_multi_state(state); /* nothing is called for a state of instances */
    return;
  }
  unsigned int cpu;
  for_each_online_cpu(cpu) tear_down(entry, cpu, NULL);
  entry->used = false;
}

/* If one of the instances refuses, those before it go back. */
static int call_state(struct hotplug_state* entry, bool up, unsigned int cpu) {
  int (*callback)(unsigned int cpu, struct hlist_node* node) = up ? entry->startup : entry->teardown;
  int (*back)(unsigned int cpu, struct hlist_node* node) = up ? entry->teardown : entry->startup;
  if (!entry->used) return 0;
  if (entry->single) return call_on(cpu, callback, NULL);
  struct hlist_node *node, *next;
  for (node = entry->instances.first; node; node = next) {
    next = node->next;
    const int error = call_on(cpu, callback, node);
    if (!error) continue;
    for (struct hlist_node* done = entry->instances.first; done != node; done = done->next) call_on(cpu, back, done);
    return error;
  }
  return 0;
}

void pmufab_cpus_exit(void) {
  for (int index = 0; index < kStates; index++)
    if (states[index].used)
      pmufab_rule(states[index].place, "the hotplug state '%s' is left behind; it was set up", states[index].name);
}

static void take_away(unsigned int cpu) {
  pmufab_perf_cpu_exit(cpu);
  cpumask_clear_cpu((int)cpu, &__cpu_online_mask);
  if (current_cpu == cpu) current_cpu = cpumask_first(cpu_online_mask);
}

/* If a driver refuses the CPU, the states before its go back, and the CPU goes. */
static int come_online(unsigned int cpu) {
  cpumask_set_cpu(cpu, &__cpu_online_mask);
  for (int index = 0; index < kStates; index++) {
    const int error = call_state(&states[index], true, cpu);
    if (!error) continue;
    while (index-- > 0) call_state(&states[index], false, cpu);
    take_away(cpu);
    return error;
  }
  return 0;
}

/* As in the kernel, the drivers' callbacks run while the CPU still counts as online. It stays if one refuses. */
static int go_offline(unsigned int cpu) {
  if (num_online_cpus() == 1) return -EBUSY;
  for (int index = kStates; index-- > 0;) {
    const int error = call_state(&states[index], false, cpu);
    if (!error) continue;
    while (++index < kStates) call_state(&states[index], true, cpu);
    return error;
  }
  take_away(cpu);
  return 0;
}

int pmufab_set_cpu_online(unsigned int cpu, int online) {
  if (cpu >= nr_cpu_ids) return -EINVAL;
  if (cpu_online(cpu) == !!online) return 0;
  return online ? come_online(cpu) : go_offline(cpu);
}

u64 ktime_get_ns(void);
u64 ktime_get_ns(void) { return pmufab_host->now(pmufab_host->context) / 1000; }

void pmufab_wait(u64 nanoseconds, const bool* woken) {
  pmufab_count_delay(nanoseconds, PLACE);
  const u64 until = pmufab_host->now(pmufab_host->context) + nanoseconds * 1000;
  while (!(woken && READ_ONCE(*woken)) && pmufab_host->now(pmufab_host->context) < until) {
    pmufab_host->sleep(pmufab_host->context, until);
    pmufab_interrupt_window();
  }
}

void pmufab_sleep(u64 nanoseconds, const bool* woken) {
  pmufab_might_sleep("sleeping");
  pmufab_wait(nanoseconds, woken);
}
