// SPDX-License-Identifier: BSD-2-Clause
/* Registered PMUs and their sysfs folders. */
#include <linux/perf_event.h>

#include "runtime.h"

enum { kMuxIntervalMs = 4 }; /* the value of a 250 Hz kernel */

LIST_HEAD(pmufab_perf_pmus);

static void nothing(struct pmu* pmu) { (void)pmu; }
static void nothing_txn(struct pmu* pmu, unsigned int flags) { (void)pmu, (void)flags; }
static int nothing_int(struct pmu* pmu) {
  (void)pmu;
  return 0;
}

/* The default for a PMU without its own transactions: pmu_disable around an addition, nothing around a read.
 * Transactions of one PMU do not nest on a CPU. */
static void default_start(struct pmu* pmu, unsigned int flags) {
  if (flags == PERF_PMU_TXN_ADD) perf_pmu_disable(pmu);
}
static int default_commit(struct pmu* pmu) {
  if (pmufab_perf_here(pmu)->transaction == PERF_PMU_TXN_ADD) perf_pmu_enable(pmu);
  return 0;
}
static void default_cancel(struct pmu* pmu) { default_commit(pmu); }

struct pmufab_perf_pmu* pmufab_perf_find(u32 type, const char* name) {
  struct pmufab_perf_pmu* core;
  list_for_each_entry(core, &pmufab_perf_pmus,
                      node) if (name ? strcmp(core->pmu->name, name) == 0 : (u32)core->pmu->type == type) return core;
  return NULL;
}

/* No type from PERF_TYPE_MAX on is free below this. */
static int first_free = PERF_TYPE_MAX;

static int free_type(void) {
  while (pmufab_perf_find((u32)first_free, NULL)) first_free++;
  return first_free;
}

static ssize_t type_show(struct device* dev, struct device_attribute* attr, char* page) {
  (void)attr;
  return sysfs_emit(page, "%d\n", ((struct pmu*)dev_get_drvdata(dev))->type);
}
static ssize_t perf_event_mux_interval_ms_show(struct device* dev, struct device_attribute* attr, char* page) {
  (void)attr;
  return sysfs_emit(page, "%d\n", ((struct pmu*)dev_get_drvdata(dev))->hrtimer_interval_ms);
}
static DEVICE_ATTR_RO(type);
static DEVICE_ATTR_RO(perf_event_mux_interval_ms);
static struct attribute* common_attrs[] = {&dev_attr_type.attr, &dev_attr_perf_event_mux_interval_ms.attr, NULL};
static const struct attribute_group common_group = {.attrs = common_attrs};
static const struct attribute_group* common_groups[] = {&common_group, NULL};

static void release_core(struct pmufab_perf_pmu* core) {
  struct device* dev = core->pmu->dev;
  kfree(core->name);
  pmufab_sysfs_free(core->files, core->file_count);
  if (dev) {
    kfree(dev->allocated_name);
    kfree(dev);
  }
  core->pmu->dev = NULL;
  core->pmu->core = NULL;
  kfree(core->cpus);
  kfree(core);
}

int perf_pmu_register(struct pmu* pmu, const char* name, int type) {
  pmufab_might_sleep("perf_pmu_register()");
  if (PMUFAB_CALL_FAILS()) return -ENOMEM;
  if (WARN_ONCE(!name, "Can not register anonymous pmu.\n")) return -EINVAL;
  if (WARN(!pmufab_sysfs_is_name(name), "A PMU cannot be called '%.100s'.\n", name)) return -EINVAL;
  if (WARN_ONCE(pmu->scope >= PERF_PMU_MAX_SCOPE, "Can not register a pmu with an invalid scope.\n")) return -EINVAL;
  WARN(type >= 0 && type < PERF_TYPE_MAX, "%s: takes the type of perf's own PMU %d\n", name, type);
  if (pmufab_perf_find(0, name)) {
    pr_warn("sysfs: cannot create duplicate filename '/bus/event_source/devices/%s'\n", name);
    return -EEXIST;
  }
  struct pmufab_perf_pmu* core = kzalloc(sizeof(*core), GFP_KERNEL);
  core->pmu = pmu;
  core->name = kstrdup(name, GFP_KERNEL);
  core->owner = pmu->parent ? pmu->parent : pmufab_probing;
  const struct device* const device = pmufab_probing ? pmufab_probing : pmu->parent;
  core->module = device && device->driver ? device->driver->owner : pmu->module;
  core->helpers = device ? device->helpers : 0;
  core->cpus = kcalloc(nr_cpu_ids, sizeof(*core->cpus), GFP_KERNEL);
  for (unsigned int cpu = 0; cpu < nr_cpu_ids; cpu++) {
    INIT_LIST_HEAD(&core->cpus[cpu].groups);
    INIT_LIST_HEAD(&core->cpus[cpu].active);
  }
  pmu->core = core;
  pmu->name = name;
  pmu->type = type >= 0 ? type : free_type();
  if (!pmu->hrtimer_interval_ms) pmu->hrtimer_interval_ms = kMuxIntervalMs;

  pmu->dev = kzalloc(sizeof(*pmu->dev), GFP_KERNEL);
  device_initialize(pmu->dev);
  dev_set_name(pmu->dev, "%s", name);
  dev_set_drvdata(pmu->dev, pmu);
  pmu->dev->parent = pmu->parent;
  int error = pmufab_sysfs_collect(pmu->dev, common_groups, &core->files, &core->file_count);
  if (!error) error = pmufab_sysfs_collect(pmu->dev, pmu->attr_groups, &core->files, &core->file_count);
  if (!error) error = pmufab_sysfs_collect(pmu->dev, pmu->attr_update, &core->files, &core->file_count);
  if (error) {
    release_core(core);
    return error;
  }

  core->place = PLACE;
  core->own_transactions = pmu->start_txn != NULL;
  if (!pmu->start_txn) {
    pmu->start_txn = pmu->pmu_enable ? default_start : nothing_txn;
    pmu->commit_txn = pmu->pmu_enable ? default_commit : nothing_int;
    pmu->cancel_txn = pmu->pmu_enable ? default_cancel : nothing;
  }
  if (!pmu->pmu_enable) pmu->pmu_enable = pmu->pmu_disable = nothing;
  list_add_tail(&core->node, &pmufab_perf_pmus);
  pmufab_irq_step();
  return 0;
}

int perf_pmu_unregister(struct pmu* pmu) {
  pmufab_might_sleep("perf_pmu_unregister()");
  struct pmufab_perf_pmu* core = pmu->core;
  if (WARN(!core, "a PMU is unregistered that is not registered\n")) return -EINVAL;
  pmufab_irq_step();
  pmufab_perf_detach_pmu(core);
  list_del(&core->node);
  if (pmu->type >= PERF_TYPE_MAX && pmu->type < first_free) first_free = pmu->type;
  release_core(core);
  pmufab_irq_step();
  return 0;
}

/* Its driver's memory is not touched any more, so the rest of it stays where it is. */
void pmufab_perf_check_gone(const struct device* dev) {
  struct pmufab_perf_pmu *core, *next;
  list_for_each_entry_safe(core, next, &pmufab_perf_pmus, node) {
    if (dev && core->owner != dev) continue;
    pmufab_rule(core->place, "%s is still registered after its driver has left; it was registered", core->name);
    pmufab_perf_forget_pmu(core);
    list_del(&core->node);
    first_free = PERF_TYPE_MAX;
  }
}

/* The CPU in a PMU's file cpumask. @return whether there is the file */
static bool read_cpumask(struct pmufab_perf_pmu* core, unsigned int* cpu) {
  bool found = false;
  for (size_t i = 0; i < core->file_count; i++) {
    if (strcmp(core->files[i].path, "cpumask") != 0) continue;
    char* page = pmufab_sysfs_buffer();
    const ssize_t length = pmufab_sysfs_read(&core->files[i], core->pmu->dev, core->name, page);
    page[max(length, (ssize_t)0)] = 0;
    if (kstrtouint(page, 10, cpu)) *cpu = nr_cpu_ids; /* not one CPU */
    pmufab_libc_free(page);
    found = true;
  }
  return found;
}

unsigned int pmufab_perf_cpu_of(const struct device* dev, const char** name) {
  unsigned int cpu = nr_cpu_ids;
  struct pmufab_perf_pmu* core;
  if (!dev) return cpu;
  list_for_each_entry(core, &pmufab_perf_pmus, node) {
    if (core->owner == dev && read_cpumask(core, &cpu)) *name = core->name;
  }
  return cpu;
}

void pmufab_perf_check_cpu(struct pmufab_perf_pmu* core, int cpu) {
  unsigned int wanted = nr_cpu_ids;
  if (!read_cpumask(core, &wanted) || wanted >= nr_cpu_ids || (unsigned int)cpu == wanted) return;
  pmufab_rule(PMUFAB_PLACE_OF(core->pmu->event_init), "event_init of %s leaves an event on CPU %d, and cpumask says %u",
              core->name, cpu, wanted);
}

void pmufab_perf_check_left(struct pmufab_perf_pmu* core, unsigned int cpu) {
  unsigned int wanted = nr_cpu_ids;
  if (!read_cpumask(core, &wanted) || wanted >= nr_cpu_ids || wanted == cpu) return;
  pmufab_rule(
      core->place,
      "events of %s are still on CPU %u, which goes, and cpumask says %u: perf_pmu_migrate_context() is missing; "
      "registered",
      core->name, cpu, wanted);
}

void pmufab_perf_check_cpus(void) {
  struct pmufab_perf_pmu* core;
  list_for_each_entry(core, &pmufab_perf_pmus, node) {
    unsigned int wanted = nr_cpu_ids;
    if (!read_cpumask(core, &wanted) || wanted >= nr_cpu_ids) continue;
    for (unsigned int cpu = 0; cpu < nr_cpu_ids; cpu++) {
      if (cpu == wanted || list_empty(&core->cpus[cpu].groups)) continue;
      pmufab_rule(core->place,
                  "events of %s are on CPU %u, and cpumask says %u: perf_pmu_migrate_context() is missing; registered",
                  core->name, cpu, wanted);
    }
  }
}

int pmufab_perf_write_file(const char* pmu, const char* path, const char* text, size_t length) {
  const struct pmufab_perf_pmu* const core = pmufab_perf_find(0, pmu);
  if (!core) return -ENOENT;
  for (size_t i = 0; i < core->file_count; i++)
    if (strcmp(core->files[i].path, path) == 0)
      return (int)pmufab_sysfs_write(&core->files[i], core->pmu->dev, core->name, text, length);
  return -ENOENT;
}

unsigned int pmufab_perf_count_of(const struct device* dev, unsigned int* file_count) {
  const struct pmufab_perf_pmu* core;
  unsigned int count = 0;
  *file_count = 0;
  list_for_each_entry(core, &pmufab_perf_pmus, node) {
    if (core->owner != dev) continue;
    count++;
    *file_count += (unsigned int)core->file_count;
  }
  return count;
}

const char* pmufab_perf_name_of(const struct device* dev) {
  const struct pmufab_perf_pmu* core;
  const char* name = "";
  list_for_each_entry(core, &pmufab_perf_pmus, node) {
    const struct device* owner = core->owner;
    if (!owner || (owner != dev && owner->parent != dev)) continue;
    if (name[0]) return "";
    name = core->pmu->name;
  }
  return name;
}

void pmufab_perf_list(void* context, void (*pmu)(void* context, const char* name, uint32_t type),
                      pmufab_file_visitor file) {
  char* page = pmufab_sysfs_buffer();
  struct pmufab_perf_pmu* core;
  if (!page) return;
  list_for_each_entry(core, &pmufab_perf_pmus, node) {
    pmu(context, core->pmu->name, (u32)core->pmu->type);
    for (size_t i = 0; i < core->file_count; i++) {
      const ssize_t length = pmufab_sysfs_read(&core->files[i], core->pmu->dev, core->name, page);
      file(context, core->files[i].path, page, length < 0 ? 0 : (size_t)length, length < 0 ? (int)length : 0);
    }
  }
  pmufab_libc_free(page);
}
