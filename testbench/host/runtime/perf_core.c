// SPDX-License-Identifier: BSD-2-Clause
/* Scheduling of events on PMUs: which calls a driver gets, and in which order. The order is that of the kernel's perf
 * core for events bound to a CPU: a change of one event takes all events of that PMU and CPU off and puts them on
 * again. */
#include <linux/perf_event.h>
#include <linux/version.h>

#include "runtime.h"

static struct list_head cpu_events[NR_CPUS];
static int cpu_event_count[NR_CPUS];

/* The time of events stops while they are rearranged: an event that was on the hardware only briefly, because its group
 * did not fit, did not run. */
static u64 event_time;

struct pmufab_perf_context pmufab_perf_begin(unsigned int cpu) {
  struct pmufab_perf_context context = {.previous_cpu = pmufab_enter_cpu(cpu)};
  pmufab_irq_off();
  context.outer = pmufab_call_begin();
  event_time = pmufab_host->now(pmufab_host->context);
  return context;
}

void pmufab_perf_end(struct pmufab_perf_context context) {
  pmufab_call_end(context.outer);
  pmufab_irq_on();
  pmufab_leave_cpu(context.previous_cpu);
}

static struct pmufab_perf_cpu* on_cpu(const struct pmu* pmu, unsigned int cpu) {
  return &((struct pmufab_perf_pmu*)pmu->core)->cpus[cpu];
}

struct pmufab_perf_cpu* pmufab_perf_here(const struct pmu* pmu) {
  return on_cpu(pmu, smp_processor_id());
}

void pmufab_perf_notify(enum pmufab_perf_call call, int begin, const struct pmu* pmu, const struct perf_event* event) {
  if (pmu == pmufab_perf_software) return;
  pmufab_host->perf_call(pmufab_host->context, (int)call, begin, pmu->name, event ? event->handle : 0,
                         event ? (u64)local64_read(&event->count) : 0);
}

u64 pmufab_perf_counted(void) {
  u64 sum = 0;
  const struct pmufab_perf_pmu* core;
  list_for_each_entry(core, &pmufab_perf_pmus, node) {
    const struct perf_event *leader, *sibling;
    list_for_each_entry(leader, &core->cpus[smp_processor_id()].active, active_list) {
      sum += (u64)local64_read(&leader->count);
      for_each_sibling_event(sibling, leader) sum += (u64)local64_read(&sibling->count);
    }
  }
  return sum;
}

void perf_pmu_disable(struct pmu* pmu) {
  if (pmufab_perf_here(pmu)->disable_count++ > 0) return;
  pmufab_perf_notify(PMUFAB_CALL_PMU_DISABLE, 1, pmu, NULL);
  pmu->pmu_disable(pmu);
  pmufab_perf_notify(PMUFAB_CALL_PMU_DISABLE, 0, pmu, NULL);
}

/* An event that add() has only prepared, although it got PERF_EF_START, must have been started by now. */
static void check_started(struct perf_event* event) {
  if (event->was_stopped && event->hw.state & PERF_HES_STOPPED)
    pmufab_rule(PMUFAB_PLACE_OF(event->pmu->add),
                "an event of %s is stopped (hw.state) after it was added with PERF_EF_START", event->pmu->name);
  event->was_stopped = false;
}

void perf_pmu_enable(struct pmu* pmu) {
  if (WARN_ON(pmufab_perf_here(pmu)->disable_count == 0) || --pmufab_perf_here(pmu)->disable_count > 0) return;
  pmufab_perf_notify(PMUFAB_CALL_PMU_ENABLE, 1, pmu, NULL);
  pmu->pmu_enable(pmu);
  pmufab_perf_notify(PMUFAB_CALL_PMU_ENABLE, 0, pmu, NULL);
  struct perf_event *leader, *sibling;
  list_for_each_entry(leader, &pmufab_perf_here(pmu)->active, active_list) {
    check_started(leader);
    for_each_sibling_event(sibling, leader) check_started(sibling);
  }
}

static int call_add(struct perf_event* event) {
  struct pmu* pmu = event->pmu;
  if ((u64)local64_read(&event->count) != event->count_off)
    pmufab_rule(PMUFAB_PLACE_OF(pmu->del), "the count of an event of %s has changed while it was off: after",
                pmu->name);
  pmufab_perf_notify(PMUFAB_CALL_ADD, 1, pmu, event);
  const int error = pmu->add(event, PERF_EF_START);
  if (error > 0)
    pmufab_rule(PMUFAB_PLACE_OF(pmu->add), "adding an event of %s answers %d, which is no errno", pmu->name, error);
  event->was_stopped = !error && event->hw.state & PERF_HES_STOPPED;
  if (error) pmufab_host->add_failed(pmufab_host->context, pmu->name, event->handle, error, PMUFAB_PLACE_OF(pmu->add));
  pmufab_perf_notify(PMUFAB_CALL_ADD, 0, pmu, event);
  return error;
}

static void call_del(struct perf_event* event) {
  struct pmu* pmu = event->pmu;
  pmufab_perf_notify(PMUFAB_CALL_DEL, 1, pmu, event);
  pmu->del(event, 0);
  event->count_off = (u64)local64_read(&event->count);
  pmufab_perf_notify(PMUFAB_CALL_DEL, 0, pmu, event);
}

static void call_read(struct perf_event* event) {
  struct pmu* pmu = event->pmu;
  pmufab_perf_notify(PMUFAB_CALL_READ, 1, pmu, event);
  pmu->read(event);
  pmufab_perf_notify(PMUFAB_CALL_READ, 0, pmu, event);
}

static void notify_transaction(enum pmufab_perf_call call, int begin, const struct pmu* pmu) {
  const struct pmufab_perf_pmu* core = pmu->core;
  if (core->own_transactions)
    pmufab_host->perf_call(pmufab_host->context, (int)call, begin, pmu->name, 0, pmufab_perf_here(pmu)->transaction);
}

static void call_start_txn(struct pmu* pmu, unsigned int kind) {
  pmufab_perf_here(pmu)->transaction = kind;
  notify_transaction(PMUFAB_CALL_START_TXN, 1, pmu);
  pmu->start_txn(pmu, kind);
  notify_transaction(PMUFAB_CALL_START_TXN, 0, pmu);
}

static int call_commit_txn(struct pmu* pmu) {
  notify_transaction(PMUFAB_CALL_COMMIT_TXN, 1, pmu);
  const int error = pmu->commit_txn(pmu);
  notify_transaction(PMUFAB_CALL_COMMIT_TXN, 0, pmu);
  if (!error) pmufab_perf_here(pmu)->transaction = 0;
  return error;
}

static void call_cancel_txn(struct pmu* pmu) {
  notify_transaction(PMUFAB_CALL_CANCEL_TXN, 1, pmu);
  pmu->cancel_txn(pmu);
  notify_transaction(PMUFAB_CALL_CANCEL_TXN, 0, pmu);
  pmufab_perf_here(pmu)->transaction = 0;
}

/* A group counts as off while its leader is off. */
static enum perf_event_state effective_state(const struct perf_event* event) {
  return event->group_leader->state <= PERF_EVENT_STATE_OFF ? event->group_leader->state : event->state;
}

void pmufab_perf_event_time(struct perf_event* event) {
  const u64 passed = event_time - event->tstamp;
  const enum perf_event_state state = effective_state(event);
  event->tstamp = event_time;
  if (state >= PERF_EVENT_STATE_INACTIVE) event->total_time_enabled += passed;
  if (state >= PERF_EVENT_STATE_ACTIVE) event->total_time_running += passed;
}

static void set_state(struct perf_event* event, enum perf_event_state state) {
  struct perf_event* sibling;
  if (event->state == state) return;
  pmufab_perf_event_time(event);
  if ((event->state < 0) != (state < 0)) for_each_sibling_event(sibling, event) pmufab_perf_event_time(sibling);
  event->state = state;
}

static void event_sched_out(struct perf_event* event) {
  if (event->state != PERF_EVENT_STATE_ACTIVE) return;
  list_del_init(&event->active_list);
  perf_pmu_disable(event->pmu);
  call_del(event);
  event->oncpu = -1;
  set_state(event, PERF_EVENT_STATE_INACTIVE);
  perf_pmu_enable(event->pmu);
}

static void group_sched_out(struct perf_event* leader) {
  struct perf_event* sibling;
  event_sched_out(leader);
  for_each_sibling_event(sibling, leader) event_sched_out(sibling);
}

static int event_sched_in(struct perf_event* event) {
  int error = 0;
  if (event->state <= PERF_EVENT_STATE_OFF) return 0;
  event->oncpu = (int)smp_processor_id();
  set_state(event, PERF_EVENT_STATE_ACTIVE);
  perf_pmu_disable(event->pmu);
  if (call_add(event)) {
    set_state(event, PERF_EVENT_STATE_INACTIVE);
    event->oncpu = -1;
    error = -EAGAIN;
  }
  perf_pmu_enable(event->pmu);
  return error;
}

/* All of a group or none of it. */
static int group_sched_in(struct perf_event* leader) {
  struct pmu* pmu = leader->schedules;
  struct perf_event *sibling, *failed = NULL;
  if (leader->state == PERF_EVENT_STATE_OFF) return 0;

  call_start_txn(pmu, PERF_PMU_TXN_ADD);
  if (event_sched_in(leader) == 0) {
    for_each_sibling_event(sibling, leader) {
      if (event_sched_in(sibling) == 0) continue;
      failed = sibling;
      break;
    }
    if (!failed && call_commit_txn(pmu) == 0) return 0;
    for_each_sibling_event(sibling, leader) {
      if (sibling == failed) break;
      event_sched_out(sibling);
    }
    event_sched_out(leader);
  }
  call_cancel_txn(pmu);
  return -EAGAIN;
}

/* Nothing is scheduled beside an exclusive group, and an exclusive group is not scheduled beside others of its kind,
 * pinned or flexible.
 */
static bool has_room(struct pmufab_perf_cpu* here, const struct perf_event* leader) {
  const struct perf_event* other;
  list_for_each_entry(other, &here->active, active_list) {
    if (other->attr.exclusive || (leader->attr.exclusive && other->attr.pinned == leader->attr.pinned)) return false;
  }
  return true;
}

/* Once a group did not fit, later ones wait for their turn. If they are pinned, it and they are in error. */
static void groups_sched_in(struct pmufab_perf_cpu* here, bool pinned) {
  struct perf_event* leader;
  bool can_go_on = true;
  list_for_each_entry(leader, &here->groups, group_node) {
    if (leader->attr.pinned != pinned || leader->state <= PERF_EVENT_STATE_OFF ||
        leader->state == PERF_EVENT_STATE_ACTIVE)
      continue;
    if (can_go_on && has_room(here, leader) && group_sched_in(leader) == 0)
      list_add_tail(&leader->active_list, &here->active);
    if (leader->state != PERF_EVENT_STATE_INACTIVE) continue;
    can_go_on = false;
    if (pinned)
      set_state(leader, PERF_EVENT_STATE_ERROR);
    else
      here->rotate_necessary = true;
  }
}

/* Pinned groups go first. */
static void pmu_sched_in(struct pmu* pmu) {
  struct pmufab_perf_cpu* here = pmufab_perf_here(pmu);
  groups_sched_in(here, true);
  groups_sched_in(here, false);
}

/* The first group that can be removed. */
static struct perf_event* first_active(struct pmufab_perf_cpu* here, bool pinned_too) {
  struct perf_event* leader;
  list_for_each_entry(leader, &here->active, active_list) {
    if (pinned_too || !leader->attr.pinned) return leader;
  }
  return NULL;
}

static void pmu_sched_out(struct pmu* pmu, bool pinned_too) {
  struct pmufab_perf_cpu* here = pmufab_perf_here(pmu);
  struct perf_event* leader;
  perf_pmu_disable(pmu);
  while ((leader = first_active(here, pinned_too)) != NULL) group_sched_out(leader);
  here->rotate_necessary = false;
  perf_pmu_enable(pmu);
}

/* Pinned events stay on unless another pinned event comes. */
static void resched(const struct perf_event* event) {
  struct pmu* pmu = event->group_leader->schedules;
  perf_pmu_disable(pmu);
  pmu_sched_out(pmu, event->group_leader->attr.pinned);
  pmu_sched_in(pmu);
  perf_pmu_enable(pmu);
}

/* A group whose events were all software events, when one of another PMU joins it. */
static void move_group(struct perf_event* leader, struct pmu* pmu) {
  if (leader->attach_state & PERF_ATTACH_CONTEXT) {
    group_sched_out(leader);
    list_move_tail(&leader->group_node, &on_cpu(pmu, (unsigned int)leader->cpu)->groups);
  }
  leader->schedules = pmu;
}

static void attach(struct perf_event* event) {
  struct perf_event* leader = event->group_leader;
  if (!event->schedules) event->schedules = event->pmu;
  if (leader->schedules == pmufab_perf_software && event->pmu != pmufab_perf_software) move_group(leader, event->pmu);
  if (!cpu_events[event->cpu].next) INIT_LIST_HEAD(&cpu_events[event->cpu]);
  list_add_tail(&event->event_entry, &cpu_events[event->cpu]);
  cpu_event_count[event->cpu]++;
  event->attach_state |= PERF_ATTACH_CONTEXT;
  event->tstamp = event_time;
  if (event->group_leader == event)
    list_add_tail(&event->group_node, &on_cpu(event->schedules, (unsigned int)event->cpu)->groups);

  if (event->attach_state & PERF_ATTACH_GROUP) return;
  event->attach_state |= PERF_ATTACH_GROUP;
  if (event->group_leader == event) return;
  list_add_tail(&event->sibling_list, &event->group_leader->sibling_list);
  event->group_leader->nr_siblings++;
}

void pmufab_perf_install(struct perf_event* event) {
  const bool off = effective_state(event) == PERF_EVENT_STATE_OFF;
  const bool quiet = off && cpu_event_count[event->cpu] > 0;
  attach(event);
  if (!quiet) resched(event);
}

void pmufab_perf_enable(struct perf_event* event) {
  if (event->state >= PERF_EVENT_STATE_INACTIVE || event->state < PERF_EVENT_STATE_ERROR) return;
  set_state(event, PERF_EVENT_STATE_INACTIVE); /* an event in error gets another chance */
  /* A member is scheduled only when its group is. */
  if (event->group_leader != event && event->group_leader->state != PERF_EVENT_STATE_ACTIVE) return;
  resched(event);
}

void pmufab_perf_disable(struct perf_event* event) {
  struct pmu* pmu = event->group_leader->schedules;
  if (event->state < PERF_EVENT_STATE_INACTIVE) return;
  perf_pmu_disable(pmu);
  pmufab_perf_event_time(event);
  if (event->group_leader == event)
    group_sched_out(event);
  else
    event_sched_out(event);
  set_state(event, PERF_EVENT_STATE_OFF);
  perf_pmu_enable(pmu);
}

/* When a leader goes, its siblings become their own leaders and continue counting. */
static void group_detach(struct perf_event* event) {
  struct perf_event *sibling, *next;
  if (!(event->attach_state & PERF_ATTACH_GROUP)) return;
  event->attach_state &= ~(unsigned int)PERF_ATTACH_GROUP;
  if (event->group_leader != event) {
    list_del_init(&event->sibling_list);
    event->group_leader->nr_siblings--;
    event->group_leader = event;
    return;
  }
  list_for_each_entry_safe(sibling, next, &event->sibling_list, sibling_list) {
    struct pmufab_perf_cpu* its_cpu = on_cpu(event->schedules, (unsigned int)sibling->cpu);
    pmufab_perf_event_time(sibling);
    sibling->schedules = event->schedules;
    sibling->group_leader = sibling;
    list_del_init(&sibling->sibling_list);
    if (!(sibling->attach_state & PERF_ATTACH_CONTEXT)) continue;
    list_add_tail(&sibling->group_node, &its_cpu->groups);
    if (sibling->state == PERF_EVENT_STATE_ACTIVE) list_add_tail(&sibling->active_list, &its_cpu->active);
  }
  event->nr_siblings = 0;
}

void pmufab_perf_remove(struct perf_event* event, bool detach_group, enum perf_event_state state) {
  if (!(event->attach_state & PERF_ATTACH_CONTEXT)) {
    if (detach_group) group_detach(event);
    return;
  }
  struct pmu* pmu = event->group_leader->schedules;
  pmufab_perf_event_time(event);
  event_sched_out(event);
  set_state(event, min(event->state, state));
  const bool was_leader = event->group_leader == event;
  if (detach_group) group_detach(event);
  if (was_leader) list_del_init(&event->group_node);
  list_del_init(&event->event_entry);
  cpu_event_count[event->cpu]--;
  event->attach_state &= ~(unsigned int)PERF_ATTACH_CONTEXT;
  struct pmufab_perf_cpu* its_cpu = on_cpu(pmu, (unsigned int)event->cpu);
  if (list_empty(&its_cpu->groups)) its_cpu->rotate_necessary = false;
}

int pmufab_perf_read_hardware(struct perf_event* event, bool group) {
  struct pmu* pmu = event->pmu;
  struct perf_event* sibling;
  pmufab_perf_event_time(event);
  if (group) for_each_sibling_event(sibling, event) pmufab_perf_event_time(sibling);
  if (event->state != PERF_EVENT_STATE_ACTIVE) return 0;
  if (!group) {
    call_read(event);
    return 0;
  }
  call_start_txn(pmu, PERF_PMU_TXN_READ);
  call_read(event);
  for_each_sibling_event(sibling, event) if (sibling->state == PERF_EVENT_STATE_ACTIVE) call_read(sibling);
  return call_commit_txn(pmu);
}

void pmufab_perf_rotate(struct pmufab_perf_pmu* core, unsigned int cpu) {
  struct pmufab_perf_cpu* here = &core->cpus[cpu];
  if (!here->rotate_necessary) return;
  perf_pmu_disable(core->pmu);
  /* The group that has been on longest goes to the end of the queue. */
  struct perf_event* first = first_active(here, false);
  if (!first) first = list_first_entry_or_null(&here->groups, struct perf_event, group_node);
  pmu_sched_out(core->pmu, false);
  if (first) list_move_tail(&first->group_node, &here->groups);
  pmu_sched_in(core->pmu);
  perf_pmu_enable(core->pmu);
}

static void install_migrated(struct perf_event* event, int cpu) {
  event->cpu = cpu;
  /* As in the kernel, a disabled event comes back enabled. */
  if (event->state >= PERF_EVENT_STATE_OFF) event->state = PERF_EVENT_STATE_INACTIVE;
  PMUFAB_ON_CPU((unsigned int)cpu, pmufab_perf_install(event));
}

void perf_pmu_migrate_context(struct pmu* pmu, int from_cpu, int to_cpu) {
  struct pmufab_perf_pmu* core = pmu->core;
  struct perf_event *event, *next, *sibling;
  LIST_HEAD(moved);
  if (!core) return; /* the PMU is no longer registered */

  while (!list_empty(&core->cpus[from_cpu].groups)) {
    event = list_first_entry(&core->cpus[from_cpu].groups, struct perf_event, group_node);
    PMUFAB_ON_CPU((unsigned int)from_cpu, pmufab_perf_remove(event, false, PERF_EVENT_STATE_OFF));
    list_add(&event->migrate_entry, &moved);
    for_each_sibling_event(sibling, event) {
      PMUFAB_ON_CPU((unsigned int)from_cpu, pmufab_perf_remove(sibling, false, PERF_EVENT_STATE_OFF));
      list_add(&sibling->migrate_entry, &moved);
    }
  }
  /* Siblings first: they stay off until their leader has moved. */
  list_for_each_entry_safe(event, next, &moved, migrate_entry) {
    if (event->group_leader == event) continue;
    list_del(&event->migrate_entry);
    install_migrated(event, to_cpu);
  }
  list_for_each_entry_safe(event, next, &moved, migrate_entry) {
    list_del(&event->migrate_entry);
    install_migrated(event, to_cpu);
  }
}

void pmufab_perf_cpu_exit(unsigned int cpu) {
  struct perf_event *event, *next;
  if (!cpu_events[cpu].next) return;
  list_for_each_entry(event, &cpu_events[cpu], event_entry) {
    if (event->pmu != pmufab_perf_software) pmufab_perf_check_left(event->pmu->core, cpu);
  }
  list_for_each_entry_safe(event, next, &cpu_events[cpu], event_entry)
      PMUFAB_ON_CPU(cpu, pmufab_perf_remove(event, true, PERF_EVENT_STATE_OFF));
}

void pmufab_perf_forget_pmu(struct pmufab_perf_pmu* core) {
  for (unsigned int cpu = 0; cpu < nr_cpu_ids; cpu++) {
    struct perf_event *event, *next;
    if (!cpu_events[cpu].next) continue;
    list_for_each_entry_safe(event, next, &cpu_events[cpu], event_entry) {
      if (event->group_leader->schedules != core->pmu) continue; /* software events in its groups are gone, too */
      list_del_init(&event->event_entry);
      cpu_event_count[cpu]--;
      event->pmu = NULL;
    }
  }
}

/* Of the groups of a PMU that leaves, software events stay. */
static void release_groups(struct pmufab_perf_pmu* core, unsigned int cpu) {
  struct pmufab_perf_cpu* software = on_cpu(pmufab_perf_software, cpu);
  struct perf_event *leader, *next;
  list_for_each_entry_safe(leader, next, &core->cpus[cpu].groups, group_node) {
    list_move_tail(&leader->group_node, &software->groups);
    if (leader->state == PERF_EVENT_STATE_ACTIVE) list_move_tail(&leader->active_list, &software->active);
    leader->schedules = pmufab_perf_software;
  }
}

/* Since 6.15, the kernel detaches the events that are open. */
static void check_open(const struct pmufab_perf_pmu* core) {
  int count = 0;
  if (LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0)) return;
  for (unsigned int cpu = 0; cpu < nr_cpu_ids; cpu++) {
    const struct perf_event* event;
    if (!cpu_events[cpu].next) continue;
    list_for_each_entry(event, &cpu_events[cpu], event_entry) count += event->pmu == core->pmu;
  }
  if (count > 0)
    pmufab_rule(
        core->place,
        "%s is unregistered with %d event%s open: Linux before 6.15 uses its freed memory when they are closed, so "
        "its driver must not be unbound (suppress_bind_attrs); registered",
        core->name, count, count == 1 ? "" : "s");
}

void pmufab_perf_detach_pmu(struct pmufab_perf_pmu* core) {
  check_open(core);
  for (unsigned int cpu = 0; cpu < nr_cpu_ids; cpu++) {
    struct perf_event *event, *next;
    if (!cpu_events[cpu].next) continue;
    list_for_each_entry_safe(event, next, &cpu_events[cpu], event_entry) {
      if (event->pmu != core->pmu) continue;
      PMUFAB_ON_CPU(cpu, pmufab_perf_remove(event, true, PERF_EVENT_STATE_EXIT));
      if (event->destroy) PMUFAB_CALL(event->destroy(event));
      module_put(core->pmu->module);
      event->pmu = NULL;
    }
    release_groups(core, cpu);
  }
}
