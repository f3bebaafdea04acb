// SPDX-License-Identifier: BSD-2-Clause
/* perf_event_open and the operations on its result. Counting only; the caller is root. */
#include <linux/perf_event.h>
#include <linux/version.h>

#include "runtime.h"

static struct perf_event** events; /* by handle; null once closed */
static int event_count, event_capacity, first_handle;

void pmufab_perf_init(int first_event) {
  first_handle = first_event;
  pmufab_perf_software_init();
}

static struct perf_event* find(int handle) {
  const int index = handle - first_handle;
  return index >= 0 && index < event_count ? events[index] : NULL;
}

/* The PMU of the event is gone, and the kernel has detached it: its count stays. */
static bool is_revoked(const struct perf_event* event) { return !event->pmu && event->state == PERF_EVENT_STATE_EXIT; }

static struct perf_event* allocate(const struct pmufab_event_attributes* attributes, int cpu, struct perf_event* leader,
                                   int for_task) {
  struct perf_event* event = kzalloc(sizeof(*event), GFP_KERNEL);
  if (!event) return NULL;
  INIT_LIST_HEAD(&event->event_entry);
  INIT_LIST_HEAD(&event->sibling_list);
  INIT_LIST_HEAD(&event->active_list);
  INIT_LIST_HEAD(&event->group_node);
  event->attr = (struct perf_event_attr){.type = attributes->type,
                                         .size = sizeof(struct perf_event_attr),
                                         .config = attributes->config,
                                         .config1 = attributes->config1,
                                         .config2 = attributes->config2,
                                         .sample_period = attributes->sample_period,
                                         .disabled = !!attributes->disabled,
                                         .pinned = !!attributes->pinned,
                                         .exclusive = !!attributes->exclusive,
                                         .exclude_user = !!attributes->exclude_user,
                                         .exclude_kernel = !!attributes->exclude_kernel,
                                         .exclude_guest = !!attributes->exclude_guest};
  event->group_leader = leader ? leader : event;
  event->cpu = cpu;
  event->oncpu = -1;
  event->state = attributes->disabled ? PERF_EVENT_STATE_OFF : PERF_EVENT_STATE_INACTIVE;
  event->hw.sample_period = event->hw.last_period = attributes->sample_period;
  local64_set(&event->hw.period_left, attributes->sample_period);
  if (for_task) event->attach_state |= PERF_ATTACH_TASK;
  return event;
}

/* There if a driver of the library calls perf_event_overflow(). */
extern const char __start_pmufab_samples[] __attribute__((weak, visibility("hidden")));

/* Since 6.15, an event whose event_init failed is destroyed too, if event_init got as far as setting destroy. */
static const bool destroys_refused = LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0);

/* As in the kernel, all PMUs are asked for an event of a type that none has registered. One that does not say -ENOENT
 * would keep it from its own PMU. */
static int offer(struct perf_event* event) {
  struct pmufab_perf_pmu* core;
  list_for_each_entry(core, &pmufab_perf_pmus, node) {
    int error;
    event->pmu = core->pmu;
    PMUFAB_CALL(error = core->pmu->event_init(event));
    if (error != -ENOENT)
      pmufab_rule(PMUFAB_PLACE_OF(core->pmu->event_init),
                  "event_init of %s answers %d to an event of type %u, which is not its own, and must answer -ENOENT",
                  core->name, error, event->attr.type);
    if (event->destroy && (error == 0 || destroys_refused)) PMUFAB_CALL(event->destroy(event));
    event->destroy = NULL;
  }
  event->pmu = NULL;
  return -ENOENT;
}

/* What the perf core checks when the PMU has accepted an event. */
static int check_place(const struct perf_event* event, const struct perf_event* leader) {
  if (event->cpu < 0 || !cpu_online(event->cpu)) return -ENODEV;
  if (!leader) return 0;
  const struct pmu* of_group = leader->schedules;
  const bool is_other =
      of_group != event->pmu && of_group != pmufab_perf_software && event->pmu != pmufab_perf_software;
  if (leader->group_leader != leader || leader->cpu != event->cpu || is_other) return -EINVAL;
  /* These attributes apply to the whole group. */
  return event->attr.pinned || event->attr.exclusive ? -EINVAL : 0;
}

static void make_software(struct perf_event* event) {
  event->pmu = pmufab_perf_software;
  event->event_caps = event->group_caps = PERF_EV_CAP_SOFTWARE;
}

/* The clocks of CPUs, config 0 and 1, and the dummy, which counts nothing. Nobody has the others here. */
static int initialise_software(struct perf_event* event, const struct perf_event* leader, int for_task) {
  if ((event->attr.config > PERF_COUNT_SW_TASK_CLOCK && event->attr.config != PERF_COUNT_SW_DUMMY) || for_task ||
      is_sampling_event(event))
    return -ENOENT;
  make_software(event);
  return check_place(event, leader);
}

/* All checks of an event, in the kernel's order. */
static int initialise(struct perf_event* event, struct perf_event* leader, int for_task) {
  if (event->attr.type == PERF_TYPE_SOFTWARE) return initialise_software(event, leader, for_task);
  struct pmufab_perf_pmu* core = pmufab_perf_find(event->attr.type, NULL);
  if (!core) return offer(event);
  struct pmu* pmu = core->pmu;
  if (!try_module_get(pmu->module)) return -ENODEV;
  event->pmu = pmu;
  int error;
  PMUFAB_CALL(error = pmu->event_init(event));
  if (error > 0)
    pmufab_rule(PMUFAB_PLACE_OF(pmu->event_init), "event_init of %s answers %d, which is no errno", pmu->name, error);
  const bool initialised = error == 0;
  const bool only_counts = !__start_pmufab_samples && !(pmu->capabilities & PERF_PMU_CAP_NO_INTERRUPT);
  if (initialised && is_sampling_event(event) && only_counts)
    pmufab_rule(PMUFAB_PLACE_OF(pmu->event_init), "event_init of %s takes a sampling event, and the PMU only counts",
                pmu->name);
  if (initialised && only_counts && for_task && pmu->task_ctx_nr != perf_invalid_context)
    pmufab_rule(PMUFAB_PLACE_OF(pmu->event_init),
                "event_init of %s takes an event of a task, and the PMU does not know tasks", pmu->name);
  if (initialised && only_counts && !(pmu->capabilities & PERF_PMU_CAP_NO_EXCLUDE) &&
      (event->attr.exclude_user || event->attr.exclude_kernel))
    pmufab_rule(
        PMUFAB_PLACE_OF(pmu->event_init),
        "event_init of %s takes an event that leaves out user space or the kernel, and the PMU does not know them",
        pmu->name);
  if (initialised && event->cpu >= (int)nr_cpu_ids)
    pmufab_rule(PMUFAB_PLACE_OF(pmu->event_init),
                "event_init of %s puts an event on cpu %d, and there are %u: perf would use memory beyond its own",
                pmu->name, event->cpu, nr_cpu_ids);
  if (initialised) {
    if ((pmu->capabilities & PERF_PMU_CAP_NO_EXCLUDE) && event_has_any_exclude_flag(event)) error = -EINVAL;
    if (!error && for_task && pmu->task_ctx_nr == perf_invalid_context) error = -EINVAL;
    if (!error && is_sampling_event(event) && (pmu->capabilities & PERF_PMU_CAP_NO_INTERRUPT)) error = -EOPNOTSUPP;
    if (!error) error = check_place(event, leader);
  }
  if (!error) {
    pmufab_perf_check_cpu(core, event->cpu);
    return 0;
  }
  if (event->destroy && (initialised || destroys_refused)) PMUFAB_CALL(event->destroy(event));
  module_put(pmu->module);
  return error;
}

int pmufab_perf_syscall_open(const struct pmufab_event_attributes* attributes, int cpu, int group_leader,
                             int for_task) {
  struct perf_event* leader = NULL;
  if (group_leader) {
    leader = find(group_leader);
    if (!leader) return -EBADF;
    if (!leader->pmu) return -ENODEV;
  }
  if (cpu >= (int)nr_cpu_ids || cpu < -1 || (cpu == -1 && !for_task)) return -EINVAL;
  if (event_count == event_capacity) {
    const int capacity = event_capacity ? event_capacity * 2 : 64;
    struct perf_event** grown = krealloc(events, (size_t)capacity * sizeof(struct perf_event*), GFP_KERNEL);
    if (!grown) return -ENOMEM;
    events = grown;
    event_capacity = capacity;
  }
  struct perf_event* event = allocate(attributes, cpu, leader, for_task);
  if (!event) return -ENOMEM;
  const int error = initialise(event, leader, for_task);
  if (error) {
    kfree(event);
    return error;
  }
  event->handle = first_handle + event_count;
  event->id = (u64)event->handle;
  events[event_count++] = event;
  PMUFAB_ON_CPU((unsigned int)event->cpu, pmufab_perf_install(event));
  return event->handle;
}

static struct perf_event* allocate_software(int cpu, struct perf_event* leader) {
  const struct pmufab_event_attributes attributes = {.type = PERF_TYPE_SOFTWARE, .disabled = 1};
  struct perf_event* event = allocate(&attributes, cpu, leader, 0);
  make_software(event);
  event->schedules = event->pmu;
  if (!leader) return event;
  list_add_tail(&event->sibling_list, &leader->sibling_list);
  leader->nr_siblings++;
  return event;
}

/* @return what event_init answers to an event that is not kept */
static int offer_once(const struct pmufab_event_attributes* attributes, int cpu, struct perf_event* leader) {
  struct perf_event* event = allocate(attributes, cpu, leader, 0);
  const int error = initialise(event, leader, 0);
  if (!error) {
    if (event->destroy) PMUFAB_CALL(event->destroy(event));
    module_put(event->pmu->module);
  }
  kfree(event);
  return error;
}

int pmufab_perf_syscall_try_software_group(const struct pmufab_event_attributes* attributes, int cpu) {
  const struct pmufab_perf_pmu* core = pmufab_perf_find(attributes->type, NULL);
  struct pmufab_event_attributes member = *attributes;
  member.pinned = member.exclusive = 0; /* only a leader may be */
  int error = offer_once(&member, cpu, NULL);
  if (!core || error) return error;
  enum { kMost = 70 }; /* more than any PMU has counters */
  struct perf_event *leader = allocate_software(cpu, NULL), *event, *next;
  for (int count = 1; !error && count <= kMost; count++) {
    error = offer_once(&member, cpu, leader);
    if (error)
      pmufab_rule(PMUFAB_PLACE_OF(core->pmu->event_init),
                  "event_init of %s answers %d to an event beside %d software events of its group, and takes it alone",
                  core->name, error, count);
    allocate_software(cpu, leader);
  }
  list_for_each_entry_safe(event, next, &leader->sibling_list, sibling_list) kfree(event);
  kfree(leader);
  return error;
}

static int for_each_of(int handle, int group, void (*action)(struct perf_event* event)) {
  struct perf_event *event = find(handle), *sibling;
  if (!event) return -EBADF;
  if (!event->pmu) return -ENODEV;
  if (!group) {
    PMUFAB_ON_CPU((unsigned int)event->cpu, action(event));
    return 0;
  }
  event = event->group_leader;
  PMUFAB_ON_CPU((unsigned int)event->cpu, action(event));
  for_each_sibling_event(sibling, event) PMUFAB_ON_CPU((unsigned int)sibling->cpu, action(sibling));
  return 0;
}

int pmufab_perf_syscall_enable(int event, int group) { return for_each_of(event, group, pmufab_perf_enable); }
int pmufab_perf_syscall_disable(int event, int group) { return for_each_of(event, group, pmufab_perf_disable); }

static void fill(struct pmufab_event_reading* reading, const struct perf_event* event,
                 const struct perf_event* times_of) {
  reading->value = (u64)local64_read(&event->count);
  reading->time_enabled = times_of->total_time_enabled;
  reading->time_running = times_of->total_time_running;
}

int pmufab_perf_syscall_in_error(int handle) {
  const struct perf_event* event = find(handle);
  if (!event) return -EBADF;
  return event->state == PERF_EVENT_STATE_ERROR;
}

int pmufab_perf_syscall_read(int handle, struct pmufab_event_reading* reading) {
  struct perf_event* event = find(handle);
  if (!event) return -EBADF;
  if (!event->pmu && !is_revoked(event)) return -ENODEV;
  int error = 0;
  if (event->pmu) PMUFAB_ON_CPU((unsigned int)event->cpu, error = pmufab_perf_read_hardware(event, false));
  if (error) return error;
  fill(reading, event, event);
  return 0;
}

int pmufab_perf_syscall_read_group(int handle, struct pmufab_event_reading* readings, int capacity) {
  struct perf_event *event = find(handle), *sibling;
  int count = 0, error = 0;
  if (!event) return -EBADF;
  if (!event->pmu && !is_revoked(event)) return -ENODEV;
  event = event->group_leader;
  if (event->pmu) PMUFAB_ON_CPU((unsigned int)event->cpu, error = pmufab_perf_read_hardware(event, true));
  if (error) return error;
  if (count < capacity) fill(&readings[count], event, event);
  count++;
  for_each_sibling_event(sibling, event) {
    if (count < capacity) fill(&readings[count], sibling, event);
    count++;
  }
  return count;
}

int pmufab_perf_syscall_close(int handle) {
  struct perf_event* event = find(handle);
  if (!event) return -EBADF;
  events[handle - first_handle] = NULL;
  if (event->pmu) {
    struct module* module = event->pmu->module;
    PMUFAB_ON_CPU((unsigned int)event->cpu, pmufab_perf_remove(event, true, PERF_EVENT_STATE_DEAD));
    if (event->destroy) PMUFAB_CALL(event->destroy(event));
    module_put(module);
  }
  kfree(event);
  return 0;
}

void pmufab_perf_close_all(void) {
  for (int i = event_count; i-- > 0;)
    if (events[i]) pmufab_perf_syscall_close(first_handle + i);
  kfree(events);
  events = NULL;
  event_count = event_capacity = 0;
}

int pmufab_perf_syscall_rotate(const char* pmu) {
  struct pmufab_perf_pmu* core = pmufab_perf_find(0, pmu);
  unsigned int cpu;
  if (!core) return -ENODEV;
  for_each_online_cpu(cpu) PMUFAB_ON_CPU(cpu, pmufab_perf_rotate(core, cpu));
  return 0;
}
