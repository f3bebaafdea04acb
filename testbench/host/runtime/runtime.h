// SPDX-License-Identifier: BSD-2-Clause
#pragma once

/* Interfaces between the parts of the runtime kernel. */

#include <linux/acpi.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/perf_event.h>
#include <linux/platform_device.h>

#include "../abi.h"
#include "libc.h"

extern const struct pmufab_host* pmufab_host;

/* Where the present function was called. */
#define PLACE __builtin_return_address(0)
/* Print what the present function was given behind `format`. Its value is the length of the whole text. */
#define PRINT(to, size, format)                                               \
  ({                                                                          \
    va_list __arguments;                                                      \
    va_start(__arguments, format);                                            \
    const int __length = pmufab_vsnprintf((to), (size), format, __arguments); \
    va_end(__arguments);                                                      \
    __length;                                                                 \
  })

/* cpu.c: the present CPU. */
unsigned int pmufab_enter_cpu(unsigned int cpu); /* returns the CPU to go back to */
void pmufab_leave_cpu(unsigned int previous);
void pmufab_cpus_init(const struct pmufab_cpu* cpus, size_t count);
void pmufab_cpus_exit(void);
int pmufab_set_cpu_online(unsigned int cpu, int online);

/* entry.c: whether this call of a driver fails because a scenario wants it so. In functions that a driver calls and that
 * may fail in a kernel. */
bool pmufab_call_fails(const char* function, const void* place);
#define PMUFAB_CALL_FAILS() pmufab_call_fails(__func__, PLACE)

/* debugfs.c */
typedef void (*pmufab_file_visitor)(void* context, const char* path, const char* content, size_t length, int error);
void pmufab_debugfs_list(void* context, pmufab_file_visitor file);
/* The driver has left the device: files that it has created for it must be gone. */
void pmufab_debugfs_check_gone(const struct device* dev);
void pmufab_debugfs_exit(void);

/* device.c */
extern struct device* pmufab_probing;       /* the device whose probe is running; null: none */
extern const struct device* pmufab_leaving; /* the device that its driver is leaving; null: none */
struct device* pmufab_get_device(struct device* dev, const void* place);
void pmufab_drop_device(struct device* dev); /* as put_device(), of a reference that no driver took */
int pmufab_driver_unbind(const char* name);  /* as in abi.h */
int pmufab_driver_bind(const char* name);
void pmufab_deferred_probe_run(void);
void pmufab_deferred_probe_report(void);
void pmufab_list_bound(void* context, void (*device)(void* context, const char* name, const char* driver,
                                                     unsigned pmu_count, unsigned file_count));

/* devres.c: let a resource hold a pointer. @return the pointer; if that is null, the resource goes */
void* pmufab_devres_keep(struct device* dev, void** managed, void* pointer);

/* firmware.c */
void pmufab_firmware_init(const struct pmufab_firmware* firmware);
int pmufab_firmware_create_devices(void);
u64 pmufab_mpidr(unsigned int cpu);
void pmufab_firmware_remove_devices(void);

/* irq.c */
void pmufab_irq_known(unsigned int number);
/* Set the function that switches an interrupt on and off at its source: called when the first handler is added and the
 * last one removed. */
void pmufab_irq_switch(unsigned int number, void (*set)(void* data, unsigned int number, bool on), void* data);
void pmufab_irq_exit(void);
/* The driver has left the device: its handlers must be gone. */
void pmufab_irq_check_gone(const struct device* dev);
/* Interrupts of PMUs must go to the CPUs on which their events are. */
void pmufab_irq_check_affinity(void);
/* A step of a driver's probe or remove is done. If it is wanted, the device's interrupts come: they may, in between. */
void pmufab_irq_step(void);
void pmufab_irq_at_steps(int on);
bool pmufab_irq_thread_wanted(void);
void pmufab_irq_run_threads(void);
int pmufab_interrupt_requested(uint32_t number);
int pmufab_interrupt_is_of(uint32_t number, const char* pmu);
int pmufab_interrupt(uint32_t number);

/* io.c */
struct pmufab_io_reads {
  u64 count;
  u64 bits; /* all that were set in any value */
};
struct pmufab_io_reads pmufab_io_reads(void); /* since they were last forgotten */
void pmufab_io_forget_reads(void);
void pmufab_io_exit(void);

/* pci_bus.c: finds functions, which takes simulated time. */
int pmufab_pci_enumerate(const struct pmufab_firmware* firmware);
void pmufab_pci_remove_devices(void);

/* pci_msi.c */
void pmufab_msi_init(u64 doorbell, u32 first, u32 count);
void pmufab_msi_exit(void);

/* heap.c: as kmalloc, for a driver that asks for it at `place`; and memory that belongs to a device (devm). */
void* pmufab_alloc(size_t size, gfp_t flags, const void* place);
void* pmufab_alloc_large(size_t size, gfp_t flags, const void* place); /* as vmalloc */
void* pmufab_managed_alloc(size_t size, gfp_t flags, const void* place);
void pmufab_managed_free(void* object);
void pmufab_heap_exit(void);

/* locks.c: whether interrupts are taken, and what a driver must leave as it was. */
void pmufab_irq_enter(void); /* to an interrupt handler: as pmufab_irq_off and _on, but leaving delivers nothing */
void pmufab_irq_leave(void);
void pmufab_interrupt_window(void);
struct pmufab_balance {
  int irq_off, preempt, held, rcu;
  u64 delayed;       /* nanoseconds in which the driver has waited with interrupts off */
  const char* stack; /* where the driver's part of it begins */
};
struct pmufab_balance pmufab_call_begin(void);
void pmufab_call_end(struct pmufab_balance outer);
/* A call into a driver. */
#define PMUFAB_CALL(statement)                                 \
  do {                                                         \
    const struct pmufab_balance __outer = pmufab_call_begin(); \
    statement;                                                 \
    pmufab_call_end(__outer);                                  \
  } while (0)
void pmufab_check_allocation(const void* place, gfp_t flags);
/* The driver waits, without sleeping: with interrupts off, there is a bound to it. */
void pmufab_count_delay(u64 nanoseconds, const void* place);

int pmufab_rcu_depth(void); /* readers that the present call is in */

/* timers.c: callbacks whose time has come. Memory that is freed, with timers in it. */
void pmufab_timers_run(void);
void pmufab_timers_forget(const void* from, size_t size);
void pmufab_timers_exit(void);

/* work.c: what happens later, in a process. */
extern bool pmufab_work_wanted;
void pmufab_work_run(void);
void pmufab_work_forget(const void* from, size_t size);
/* Work that is being carried out and its queue, those that it was begun in included. number: from 0. NULL: no more. */
const void* pmufab_work_running(int number);
/* A process waits for the end of `object`, which pmufab_work_running() may name while it runs. */
void pmufab_lock_wait(const void* object, const void* place, const char* what);
/* Neither locks nor objects are there any more. */
void pmufab_lock_forget(const void* from, size_t size);
void pmufab_work_exit(void);

/* module.c */
/* The module's driver has taken a device by a table of this kind: udev must know the table, too. */
void pmufab_module_check_table(const struct module* module, const char* kind, const char* device);
void pmufab_modules_load_for_devices(void);
void pmufab_modules_load_rest(void);
void pmufab_modules_unload(void);
/* Whether all drivers that serve devices are built in. */
bool pmufab_modules_stay(void);
void pmufab_run_queued_work(void);
void pmufab_mark_used(u64 set); /* a set of modules, such as device.helpers */
void pmufab_list_modules(void* context, void (*module)(void* context, const char* name, int is_helper));
int pmufab_module_unload(const char* name);
int pmufab_module_load(const char* name);
void pmufab_list_drivers(void* context,
                         void (*driver)(void* context, const char* file, const char* sha256, int own, int is_used),
                         void (*pmu)(void* context, const char* name));

/* perf_pmu.c: registered PMUs, and perf's data for each CPU of one. */
struct pmufab_perf_cpu {
  int disable_count;
  unsigned int transaction; /* the kind of the open transaction */
  bool rotate_necessary;
  struct list_head groups; /* leaders, in the order in which they are scheduled */
  struct list_head active; /* leaders now on the hardware */
};
struct pmufab_perf_pmu {
  struct list_head node;
  struct pmu* pmu;
  char* name;                  /* it outlives the PMU */
  const void* place;           /* where it was registered */
  bool own_transactions;       /* the driver has its own transactions */
  const struct device* owner;  /* its parent; if the driver names none, the device whose probe registered it */
  const struct module* module; /* of the driver that registered it */
  u64 helpers;                 /* set of the modules that this driver took for the device */
  struct pmufab_perf_cpu* cpus;
  struct pmufab_sysfs_file* files;
  size_t file_count;
};
extern struct list_head pmufab_perf_pmus;
struct pmufab_perf_pmu* pmufab_perf_find(u32 type, const char* name);
void pmufab_perf_list(void* context, void (*pmu)(void* context, const char* name, uint32_t type),
                      pmufab_file_visitor file);
int pmufab_perf_write_file(const char* pmu, const char* path, const char* text, size_t length);
/* PMUs whose owner is dev, and how many files they have. */
unsigned int pmufab_perf_count_of(const struct device* dev, unsigned int* file_count);
/* Name of the only PMU whose owner, or whose owner's parent, is dev; "" if there is none or more than one. */
const char* pmufab_perf_name_of(const struct device* dev);
/* The driver has left the device, or all devices if there is none: its PMUs must be gone. */
void pmufab_perf_check_gone(const struct device* dev);
/* The CPU that the device's PMU has in its file cpumask, and the PMU's name; nr_cpu_ids if there is none. */
unsigned int pmufab_perf_cpu_of(const struct device* dev, const char** name);
/* event_init has put an event on this CPU: it must be the one in the PMU's file cpumask. */
void pmufab_perf_check_cpu(struct pmufab_perf_pmu* core, int cpu);
/* A CPU goes, and drivers have been told. Events are still on it: they end, although another CPU serves the PMU. */
void pmufab_perf_check_left(struct pmufab_perf_pmu* core, unsigned int cpu);
/* After CPU hotplug all events of a PMU must be on the CPU in its file cpumask. */
void pmufab_perf_check_cpus(void);

/* perf_core.c: scheduling. All are called on the event's CPU with interrupts off, inside PMUFAB_ON_CPU. */
struct pmufab_perf_context {
  unsigned int previous_cpu;
  struct pmufab_balance outer;
};
struct pmufab_perf_cpu* pmufab_perf_here(const struct pmu* pmu); /* for the current CPU */
struct pmufab_perf_context pmufab_perf_begin(unsigned int cpu);
void pmufab_perf_end(struct pmufab_perf_context context);
#define PMUFAB_ON_CPU(cpu, statement)                                    \
  do {                                                                   \
    const struct pmufab_perf_context __context = pmufab_perf_begin(cpu); \
    statement;                                                           \
    pmufab_perf_end(__context);                                          \
  } while (0)
void pmufab_perf_event_time(struct perf_event* event);
/* Sum of the counts of all events that are on hardware, on this CPU. It changes when one of them counts. */
u64 pmufab_perf_counted(void);
/* Put a new event, or one that has moved, where its PMU schedules. A group of software events goes with the first event of
 * another PMU that joins it. */
void pmufab_perf_install(struct perf_event* event);
void pmufab_perf_enable(struct perf_event* event);
void pmufab_perf_disable(struct perf_event* event);
void pmufab_perf_remove(struct perf_event* event, bool detach_group, enum perf_event_state state);
int pmufab_perf_read_hardware(struct perf_event* event, bool group);
void pmufab_perf_rotate(struct pmufab_perf_pmu* core, unsigned int cpu);
void pmufab_perf_cpu_exit(unsigned int cpu);
void pmufab_perf_detach_pmu(struct pmufab_perf_pmu* core);
void pmufab_perf_forget_pmu(struct pmufab_perf_pmu* core); /* it is gone */
void pmufab_perf_notify(enum pmufab_perf_call call, int begin, const struct pmu* pmu, const struct perf_event* event);

/* services/perf_software.c: the PMU of software events. It is not among pmufab_perf_pmus; nobody is told of its calls. */
extern struct pmu* const pmufab_perf_software;
void pmufab_perf_software_init(void);

/* perf_syscall.c: the interface of user space. */
void pmufab_perf_init(int first_event);
void pmufab_perf_close_all(void);
int pmufab_perf_syscall_open(const struct pmufab_event_attributes* attributes, int cpu, int group_leader, int for_task);
/* Offer an event as the last one of groups of software events, which no PMU has counters for: a driver that takes it alone
 * must take it there. */
int pmufab_perf_syscall_try_software_group(const struct pmufab_event_attributes* attributes, int cpu);
int pmufab_perf_syscall_enable(int event, int group);
int pmufab_perf_syscall_disable(int event, int group);
int pmufab_perf_syscall_read(int event, struct pmufab_event_reading* reading);
int pmufab_perf_syscall_in_error(int event);
int pmufab_perf_syscall_read_group(int event, struct pmufab_event_reading* readings, int capacity);
int pmufab_perf_syscall_close(int event);
int pmufab_perf_syscall_rotate(const char* pmu);

/* printk.c: the driver has broken a rule of the kernel. The text is the beginning of a sentence that ends in the driver's
 * function: that of the place, or, if there is none, the innermost one that is being carried out. */
__printf(2, 3) void pmufab_rule(const void* place, const char* format, ...);
/* A place in a function, which other places are told from by the instruction before them. */
#define PMUFAB_PLACE_OF(function) ((const void*)((const char*)(function) + 1))
bool pmufab_is_driver(const void* place); /* the place is in a driver */

/* platform.c: the table by which a driver knows a device: "acpi"; null: it goes by the driver's name. */
const char* pmufab_platform_table(struct device* dev, const struct device_driver* driver);

/* services/references.c: references to devices and nodes of firmware that drivers take, and have to put. */
void pmufab_reference_taken(const void* object, const char* kind, const char* name, const void* place);
void pmufab_reference_put(const void* object);
void pmufab_references_exit(void);

/* sysfs.c: one file below a device's folder. */
struct pmufab_sysfs_file {
  char* path;
  struct device_attribute* attribute;
  const struct bin_attribute* binary; /* in place of an attribute with text */
  umode_t mode;
  bool is_told; /* what is wrong with it */
};
/* Read a file as read(2) does, into a buffer from pmufab_sysfs_buffer(). What a reader will stumble over is a broken rule.
 * @param owner  the PMU's name. @return the number of bytes, or -errno */
ssize_t pmufab_sysfs_read(struct pmufab_sysfs_file* file, struct device* dev, const char* owner, char* buffer);
/* Write a file, as write(2) does. @return as pmufab_sysfs_read() */
ssize_t pmufab_sysfs_write(const struct pmufab_sysfs_file* file, struct device* dev, const char* owner,
                           const char* text, size_t length);
/* A broken rule, if a function of a driver at `place` has written a text and returns what a reader will stumble over.
 * @param function  "show()". @param buffer  from pmufab_sysfs_buffer(), with the text. @return true: it is broken */
bool pmufab_sysfs_check(const void* place, const char* function, const char* owner, const char* path, ssize_t returned,
                        const char* buffer);
void pmufab_sysfs_prepare(char* buffer); /* before a driver writes into it */
char* pmufab_sysfs_buffer(void);         /* a page, with a bound behind it; null: no memory. For pmufab_libc_free() */
/* Append the visible files of the groups; -EEXIST if two have one path. */
int pmufab_sysfs_collect(struct device* dev, const struct attribute_group** groups, struct pmufab_sysfs_file** files,
                         size_t* count);
/* Whether sysfs can have a file or folder of that name. The kernel writes '!' for '/'; no driver needs that. */
bool pmufab_sysfs_is_name(const char* name);
void pmufab_sysfs_free(struct pmufab_sysfs_file* files, size_t count);
