// SPDX-License-Identifier: BSD-2-Clause
/* Software events: cpu-clock and task-clock of a CPU, and the dummy. They take no counter, and are in groups of other PMUs'
 * events as leaders or members. The clocks count the time for which they were on, in nanoseconds. */
#include <linux/perf_event.h>

#include "../runtime.h"

enum { kPicoseconds = 1000 };

static u64 now(void) { return pmufab_host->now(pmufab_host->context) / kPicoseconds; }

static void nothing(struct pmu* pmu) { (void)pmu; }
static void nothing_txn(struct pmu* pmu, unsigned int flags) { (void)pmu, (void)flags; }
static int nothing_int(struct pmu* pmu) {
  (void)pmu;
  return 0;
}

static int add(struct perf_event* event, int flags) {
  (void)flags;
  local64_set(&event->hw.prev_count, (s64)now());
  return 0;
}

static void read_clock(struct perf_event* event) {
  if (event->attr.config == PERF_COUNT_SW_DUMMY) return;
  const u64 time = now();
  local64_add((s64)(time - (u64)local64_xchg(&event->hw.prev_count, (s64)time)), &event->count);
}

static void del(struct perf_event* event, int flags) {
  (void)flags;
  read_clock(event);
}

/* A driver that takes this PMU for one of its own reads beyond it: what is there is no pointer, as in freed memory. */
static struct {
  struct pmu pmu;
  u64 beyond[1024];
} software = {.pmu = {.name = "software",
                      .type = PERF_TYPE_SOFTWARE,
                      .task_ctx_nr = perf_sw_context,
                      .pmu_enable = nothing,
                      .pmu_disable = nothing,
                      .add = add,
                      .del = del,
                      .read = read_clock,
                      .start_txn = nothing_txn,
                      .commit_txn = nothing_int,
                      .cancel_txn = nothing},
              .beyond = {[0 ... 1023] = 0x6b6b6b6b6b6b6b6b}};
struct pmu* const pmufab_perf_software = &software.pmu;

void pmufab_perf_software_init(void) {
  static struct pmufab_perf_cpu cpus[NR_CPUS];
  static struct pmufab_perf_pmu core = {.pmu = &software.pmu, .cpus = cpus};
  for (unsigned int cpu = 0; cpu < NR_CPUS; cpu++) {
    cpus[cpu] = (struct pmufab_perf_cpu){0};
    INIT_LIST_HEAD(&cpus[cpu].groups);
    INIT_LIST_HEAD(&cpus[cpu].active);
  }
  software.pmu.core = &core;
}
