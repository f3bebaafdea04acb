// SPDX-License-Identifier: BSD-2-Clause
#pragma once

/* The only interface between the C++ driver host and a driver module (.so): plain C, without types of either side.
 *
 * The module is built from unmodified Linux drivers, our kernel runtime and our shim headers. It calls the host through
 * struct pmufab_host. The host calls it through struct pmufab_module, which pmufab_driver_module() returns. Everything
 * happens in the SystemC thread that called into the module; nothing here is thread-safe. Results are 0 or positive, or
 * a negative Linux errno. Times are picoseconds of simulated time. C++ exceptions may pass through the module. */

// NOLINTBEGIN: this is C, in the C world's names.
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PMUFAB_DRIVER_ABI_VERSION 15u
#define PMUFAB_NO_TIMER (~(uint64_t)0)
#define PMUFAB_DRIVER_ENTRY "pmufab_driver_module"

/* Order and values as PerfCallObserver::Call. */
enum pmufab_perf_call {
  PMUFAB_CALL_PMU_DISABLE,
  PMUFAB_CALL_PMU_ENABLE,
  PMUFAB_CALL_ADD,
  PMUFAB_CALL_DEL,
  PMUFAB_CALL_START,
  PMUFAB_CALL_STOP,
  PMUFAB_CALL_READ,
  PMUFAB_CALL_INTERRUPT,
  PMUFAB_CALL_START_TXN, /* these three only for PMUs with their own transactions */
  PMUFAB_CALL_COMMIT_TXN,
  PMUFAB_CALL_CANCEL_TXN
};

/* The host's functions for the module. */
struct pmufab_host {
  uint32_t abi_version;
  void* context; /* first argument of every function below */

  /* One register access at a physical address; size is 1, 2, 4 or 8 bytes. Takes simulated time. If the platform
   * refuses an access, the host reports it, and a read returns all ones. */
  uint64_t (*mmio_read)(void* context, uint64_t address, unsigned size);
  void (*mmio_write)(void* context, uint64_t address, unsigned size, uint64_t value);

  uint64_t (*now)(void* context);
  /* Let simulated time pass until the time `until`, or until an interrupt or a timer may be due, if that is earlier. */
  void (*sleep)(void* context, uint64_t until);
  /* Call pmufab_module.timers at this time, in place of the time named before. PMUFAB_NO_TIMER: not at all. */
  void (*set_timer)(void* context, uint64_t at);
  /* A callback of the timer has returned: the driver's function at this address. */
  void (*timer_called)(void* context, const void* function, const void* timer);
  /* One line of the kernel log, without newline. */
  void (*log)(void* context, int level, const char* text, size_t length);
  /* A WARN() was hit. Its text, one line, is in the log. */
  void (*warned)(void* context, const char* text);
  /* The driver has broken a rule of the kernel. The host logs the text, followed by the driver's function at the address
   * `place`; if there is none at it, by the innermost one that is being carried out. */
  void (*rule_broken)(void* context, const char* text, const void* place);
  /* The driver's function at an address: "arm_cmn_event_add() of arm-cmn.c". Empty if it is not a driver's. Valid until
   * the next call. */
  const char* (*function_at)(void* context, const void* address);
  /* The driver has just enabled interrupts: deliver pending ones through pmufab_module.interrupt. */
  void (*interrupt_window)(void* context);
  /* Begin and end of a call of the perf core into a driver. event is 0 if the call is not about one event. value is the
   * event's count; for a transaction, its kind (PERF_PMU_TXN_ADD or _READ). */
  void (*perf_call)(void* context, int call, int begin, const char* pmu, int event, uint64_t value);
  /* The driver refused the add call that is about to end, with a negative errno; its function is at `place`. */
  void (*add_failed)(void* context, const char* pmu, int event, int error, const void* place);
  /* Whether a call into the kernel must fail that the driver makes at `place`, and that may fail in a kernel. */
  int (*call_fails)(void* context, const char* function, const void* place);
  /* A kernel would be dead here (null pointer dereference, BUG, deadlock). Does not return: throws. */
  void (*fatal)(void* context, const char* why);
};

struct pmufab_cpu {
  uint32_t uid;
  uint32_t container_uid;
  uint32_t node;
  int online; /* when the drivers are loaded; all are possible */
};

struct pmufab_memory {
  uint64_t base;
  uint64_t size;
};

struct pmufab_property {
  const char* name;
  uint64_t value;
  int is_64bit;
};

struct pmufab_apmt_node {
  uint32_t id;
  uint8_t type;
  uint64_t instance_primary;
  uint32_t instance_secondary;
  uint64_t base0;
  uint64_t base1;
  int dual_page;
  uint32_t interrupt; /* 0: none */
  int interrupt_is_edge;
  int affinity_is_container;
  uint32_t processor_affinity;
  int atomic_64bit;
  uint32_t implementation_id;
};

struct pmufab_device {
  const char* hid; /* empty for a device tree node */
  const char* uid;
  const char* compatible;
  const struct pmufab_memory* memory;
  size_t memory_count;
  const uint32_t* interrupts;
  size_t interrupt_count;
  const struct pmufab_property* properties;
  size_t property_count;
  int node; /* NUMA node; negative: not given by firmware */
};

struct pmufab_pci_segment {
  uint16_t number;
  uint64_t ecam; /* of bus 0 */
  uint8_t first_bus;
  uint8_t last_bus;
  int node; /* negative: not given by firmware */
  int native_cxl_error;
};

/* Valid during pmufab_module.boot() only. */
struct pmufab_firmware {
  const struct pmufab_cpu* cpus;
  size_t cpu_count;
  const struct pmufab_apmt_node* apmt;
  size_t apmt_count;
  const struct pmufab_device* devices;
  size_t device_count;
  const struct pmufab_pci_segment* pci_segments;
  size_t pci_segment_count;
  /* Message interrupts: writing a number in [first, first + count) here raises the interrupt with that number. */
  uint64_t msi_doorbell;
  uint32_t msi_first;
  uint32_t msi_count;
};

struct pmufab_event_attributes {
  uint32_t type;
  uint64_t config;
  uint64_t config1;
  uint64_t config2;
  uint64_t sample_period;
  int disabled;
  int pinned;
  int exclusive;
  int exclude_user;
  int exclude_kernel;
  int exclude_guest;
};

struct pmufab_event_reading {
  uint64_t value;
  uint64_t time_enabled;
  uint64_t time_running;
};

/* The module's functions for the host. */
struct pmufab_module {
  uint32_t abi_version;
  const char* kernel_version;

  /* Called once, first. Event handles start at first_event. */
  void (*attach)(const struct pmufab_host* host, int first_event);
  /* Create what firmware describes, load the drivers, settle deferred probes. */
  int (*boot)(const struct pmufab_firmware* firmware);
  /* Close all events, unbind all devices, run all module exits. Afterwards the module can only be closed. */
  void (*shutdown)(void);

  /* Every registered PMU, and every file below its sysfs folder, as read(2) gives it: its content, or an errno (negative;
   * 0: there is none). */
  void (*list_pmus)(void* context, void (*pmu)(void* context, const char* name, uint32_t type),
                    void (*file)(void* context, const char* path, const char* content, size_t length, int error));
  /* Every file in debugfs ("arm-cmn/map"), likewise. Showing may access registers, which takes time. */
  void (*list_debugfs)(void* context,
                       void (*file)(void* context, const char* path, const char* content, size_t length, int error));
  /* Name of every loaded kernel module, in the order of loading, and whether another one has asked for it. */
  void (*list_modules)(void* context, void (*module)(void* context, const char* name, int is_helper));
  /* Unload one module, as rmmod does, or load it again. 0, or -errno. */
  int (*unload_module)(const char* name);
  int (*load_module)(const char* name);
  /* Unbind a driver from all its devices, or bind it again to those that have none, as its files `unbind` and `bind` in
   * sysfs do. The number of devices; -ENOENT: it has no such files (suppress_bind_attrs); -ENODEV: there is no driver of
   * that name. */
  int (*unbind_driver)(const char* name);
  int (*bind_driver)(const char* name);
  /* Write a file below a PMU's sysfs folder, as write(2) does. */
  int (*write_file)(const char* pmu, const char* path, const char* text, size_t length);
  /* From now on (1), the handlers of a device are called between any two steps of its driver's probe and remove. */
  void (*interrupt_at_steps)(int on);
  /* Every device that a driver is bound to, the driver's name, how many PMUs it has registered for the device, and how
   * many files in sysfs they have. */
  void (*list_bound)(void* context, void (*device)(void* context, const char* name, const char* driver,
                                                   unsigned pmu_count, unsigned file_count));
  /* Every kernel module: the name of its source file, its SHA-256 (with the headers that the user changed), whether it is
   * the user's (0: no; 1: the user gave the file; 2: the user changed it, or a header of it), and whether a device was
   * bound by it or with its help. Each is followed by the PMUs that it serves. */
  void (*list_drivers)(void* context,
                       void (*driver)(void* context, const char* file, const char* sha256, int own, int is_used),
                       void (*pmu)(void* context, const char* name));

  int (*open)(const struct pmufab_event_attributes* attributes, int cpu, int group_leader, int for_task);
  /* Offer an event as the last one of groups of software events; see runtime/runtime.h. 0, or -errno. */
  int (*try_software_group)(const struct pmufab_event_attributes* attributes, int cpu);
  int (*enable)(int event, int group);
  int (*disable)(int event, int group);
  /* 1: the event is in error, because it is pinned and did not fit: read(2) returns end of file. 0, or -errno. */
  int (*in_error)(int event);
  int (*read)(int event, struct pmufab_event_reading* reading);
  /* Fills in up to capacity readings; returns the number of readings of the group. */
  int (*read_group)(int event, struct pmufab_event_reading* readings, int capacity);
  int (*close)(int event);
  int (*rotate)(const char* pmu);
  int (*set_cpu_online)(unsigned cpu, int online);

  /* 1 if a driver listens to this interrupt. */
  int (*interrupt_requested)(uint32_t number);
  /* 1 if a driver listens to it for that PMU. */
  int (*interrupt_is_of)(uint32_t number, const char* pmu);
  /* Run its handlers, with interrupts off. 1: handled, 0: no handler took it, or -errno. */
  int (*interrupt)(uint32_t number);
  /* Run the timers whose time has come, with interrupts off. */
  void (*timers)(void);

  /* The CPU that the driver's code runs on at present, or ran on last. */
  unsigned (*cpu)(void);
};

typedef const struct pmufab_module* (*pmufab_driver_module_function)(void);

#ifdef __cplusplus
}
#endif
// NOLINTEND
