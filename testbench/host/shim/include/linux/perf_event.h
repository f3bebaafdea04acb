// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/atomic.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/sysfs.h>
#include <linux/types.h>

struct module;
struct perf_event;
struct perf_sample_data;
struct pt_regs;
struct task_struct;

/* The attributes of perf_event_open that counting needs. */
enum perf_type_id {
  PERF_TYPE_HARDWARE = 0,
  PERF_TYPE_SOFTWARE = 1,
  PERF_TYPE_TRACEPOINT = 2,
  PERF_TYPE_HW_CACHE = 3,
  PERF_TYPE_RAW = 4,
  PERF_TYPE_BREAKPOINT = 5,
  PERF_TYPE_MAX
};
enum perf_sw_ids { PERF_COUNT_SW_CPU_CLOCK = 0, PERF_COUNT_SW_TASK_CLOCK = 1, PERF_COUNT_SW_DUMMY = 9 };
struct perf_event_attr {
  __u32 type;
  __u32 size;
  __u64 config;
  union {
    __u64 sample_period;
    __u64 sample_freq;
  };
  __u64 sample_type;
  __u64 read_format;
  __u64 disabled : 1, inherit : 1, pinned : 1, exclusive : 1, exclude_user : 1, exclude_kernel : 1, exclude_hv : 1,
      exclude_idle : 1, freq : 1, enable_on_exec : 1, exclude_host : 1, exclude_guest : 1, precise_ip : 2;
  __u64 config1;
  __u64 config2;
  __u64 branch_sample_type;
  __u64 config3;
  __u64 config4;
};

#define PERF_EF_START 0x01
#define PERF_EF_RELOAD 0x02
#define PERF_EF_UPDATE 0x04
#define PERF_HES_STOPPED 0x01
#define PERF_HES_UPTODATE 0x02
#define PERF_HES_ARCH 0x04
#define PERF_PMU_TXN_ADD 0x1
#define PERF_PMU_TXN_READ 0x2
#define PERF_PMU_CAP_NO_INTERRUPT 0x0001
#define PERF_PMU_CAP_NO_NMI 0x0002
#define PERF_PMU_CAP_EXTENDED_REGS 0x0008
#define PERF_PMU_CAP_EXCLUSIVE 0x0010
#define PERF_PMU_CAP_NO_EXCLUDE 0x0040
#define PERF_PMU_CAP_AUX_OUTPUT 0x0080
#define PERF_PMU_CAP_EXTENDED_HW_TYPE 0x0100
#define PERF_ATTACH_CONTEXT 0x01
#define PERF_ATTACH_GROUP 0x02
#define PERF_ATTACH_TASK 0x04
#define PERF_EVENT_FLAG_ARCH 0x0fffffff
#define PERF_EV_CAP_SOFTWARE (1 << 0)

enum perf_pmu_scope {
  PERF_PMU_SCOPE_NONE = 0,
  PERF_PMU_SCOPE_CORE,
  PERF_PMU_SCOPE_DIE,
  PERF_PMU_SCOPE_CLUSTER,
  PERF_PMU_SCOPE_PKG,
  PERF_PMU_SCOPE_SYS_WIDE,
  PERF_PMU_MAX_SCOPE
};

struct hw_perf_event_extra {
  u64 config;
  unsigned int reg;
  int alloc;
  int idx;
};
/* The order of the members matters: arm-cmn overlays its own structure on everything before `target`. */
struct hw_perf_event {
  union {
    struct {
      u64 config;
      u64 config1;
      u64 last_tag;
      u64 dyn_constraint;
      unsigned long config_base;
      unsigned long event_base;
      int event_base_rdpmc;
      int idx;
      int last_cpu;
      int flags;
      struct hw_perf_event_extra extra_reg;
      struct hw_perf_event_extra branch_reg;
    };
    struct {
      u64 aux_config;
      unsigned int aux_paused;
    };
    struct {
      u64 timer_space[8];
    };
  };
  struct task_struct* target;
  void* addr_filters;
  unsigned long addr_filters_gen;
  int state;
  local64_t prev_count;
  u64 sample_period;
  u64 last_period;
  local64_t period_left;
  u64 interrupts_seq;
  u64 interrupts;
  u64 freq_time_stamp;
  u64 freq_count_stamp;
};

enum perf_event_task_context { perf_invalid_context = -1, perf_hw_context = 0, perf_sw_context, perf_nr_task_contexts };

struct pmu {
  struct list_head entry;
  struct module* module;
  struct device* dev;
  struct device* parent;
  const struct attribute_group** attr_groups;
  const struct attribute_group** attr_update;
  const char* name;
  int type;
  int capabilities;
  unsigned int scope;
  int task_ctx_nr;
  int hrtimer_interval_ms;
  unsigned int nr_addr_filters;
  void (*pmu_enable)(struct pmu* pmu);
  void (*pmu_disable)(struct pmu* pmu);
  int (*event_init)(struct perf_event* event);
  void (*event_mapped)(struct perf_event* event, void* mm);
  void (*event_unmapped)(struct perf_event* event, void* mm);
  int (*add)(struct perf_event* event, int flags);
  void (*del)(struct perf_event* event, int flags);
  void (*start)(struct perf_event* event, int flags);
  void (*stop)(struct perf_event* event, int flags);
  void (*read)(struct perf_event* event);
  void (*start_txn)(struct pmu* pmu, unsigned int flags);
  int (*commit_txn)(struct pmu* pmu);
  void (*cancel_txn)(struct pmu* pmu);
  int (*event_idx)(struct perf_event* event);
  int (*check_period)(struct perf_event* event, u64 value);
  int (*filter_match)(struct perf_event* event);
  void* core; /* ours: struct pmufab_perf_pmu */
};

enum perf_event_state {
  PERF_EVENT_STATE_DEAD = -4,
  PERF_EVENT_STATE_EXIT = -3,
  PERF_EVENT_STATE_ERROR = -2,
  PERF_EVENT_STATE_OFF = -1,
  PERF_EVENT_STATE_INACTIVE = 0,
  PERF_EVENT_STATE_ACTIVE = 1
};

struct perf_event {
  struct list_head event_entry;  /* of its CPU */
  struct list_head sibling_list; /* of a leader: its siblings; of a sibling: its place there */
  struct list_head active_list;
  struct list_head migrate_entry;
  int nr_siblings;
  int event_caps;
  int group_caps;
  struct perf_event* group_leader;
  struct pmu* pmu;
  void* pmu_private;
  enum perf_event_state state;
  unsigned int attach_state;
  local64_t count;
  u64 total_time_enabled;
  u64 total_time_running;
  u64 tstamp;
  struct perf_event_attr attr;
  struct hw_perf_event hw;
  int oncpu;
  int cpu;
  u64 id;
  struct perf_event* parent;
  void (*destroy)(struct perf_event* event);
  /* Our members. */
  struct list_head group_node; /* for a leader: its place among the groups of its CPU and PMU, in scheduling order */
  struct pmu* schedules;       /* for a leader: that PMU, which is its own unless it is a software event */
  int handle;
  u64 count_off;    /* its count when it was taken off */
  bool was_stopped; /* hw.state after add(), until pmu_enable() */
};

#define for_each_sibling_event(sibling, event) \
  if ((event)->group_leader == (event)) list_for_each_entry((sibling), &(event)->sibling_list, sibling_list)

int perf_pmu_register(struct pmu* pmu, const char* name, int type);
int perf_pmu_unregister(struct pmu* pmu);
void perf_pmu_migrate_context(struct pmu* pmu, int from_cpu, int to_cpu);
void perf_pmu_disable(struct pmu* pmu);
void perf_pmu_enable(struct pmu* pmu);

static inline bool is_sampling_event(struct perf_event* event) { return event->attr.sample_period != 0; }
static inline bool is_software_event(struct perf_event* event) { return event->event_caps & PERF_EV_CAP_SOFTWARE; }
static inline bool in_software_context(struct perf_event* event) { return is_software_event(event); }
static inline bool has_branch_stack(struct perf_event* event) { return event->attr.branch_sample_type != 0; }
static inline bool event_has_any_exclude_flag(struct perf_event* event) {
  struct perf_event_attr* attr = &event->attr;
  return attr->exclude_idle || attr->exclude_user || attr->exclude_kernel || attr->exclude_hv || attr->exclude_guest ||
         attr->exclude_host;
}
/* There is no page shared with user space, and no sample to write. */
static inline void perf_event_update_userpage(struct perf_event* event) { (void)event; }
static inline int perf_event_overflow(struct perf_event* event, struct perf_sample_data* data, struct pt_regs* regs) {
  (void)event, (void)data, (void)regs;
  /* Tells the driver host that a driver samples. */
  __asm__ volatile(".pushsection pmufab_samples, \"a\"\n\t.byte 1\n\t.popsection");
  return 0;
}

struct perf_pmu_events_attr {
  struct device_attribute attr;
  u64 id;
  const char* event_str;
};
ssize_t perf_event_sysfs_show(struct device* dev, struct device_attribute* attr, char* page);
#define PMU_EVENT_ATTR(_name, _var, _id, _show) \
  static struct perf_pmu_events_attr _var = {.attr = __ATTR(_name, 0444, _show, NULL), .id = _id}
#define PMU_EVENT_ATTR_STRING(_name, _var, _str) \
  static struct perf_pmu_events_attr _var = {    \
      .attr = __ATTR(_name, 0444, perf_event_sysfs_show, NULL), .id = 0, .event_str = _str}
#define PMU_EVENT_ATTR_ID(_name, _show, _id) \
  (&((struct perf_pmu_events_attr[]){{.attr = __ATTR(_name, 0444, _show, NULL), .id = _id}})[0].attr.attr)
#define PMU_FORMAT_ATTR_SHOW(_name, _format)                                                   \
  static ssize_t _name##_show(struct device* dev, struct device_attribute* attr, char* page) { \
    return sprintf(page, _format "\n"); /* as in the kernel: of any buffer */                  \
  }
#define PMU_FORMAT_ATTR(_name, _format) \
  PMU_FORMAT_ATTR_SHOW(_name, _format)  \
  static struct device_attribute format_attr_##_name = __ATTR_RO(_name)
