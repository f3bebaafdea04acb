// SPDX-License-Identifier: BSD-2-Clause
/* The module's side of the interface: see abi.h. */
#include <linux/smp.h>

#include "runtime.h"

#ifndef PMUFAB_KERNEL_VERSION
#error "PMUFAB_KERNEL_VERSION names the kernel whose drivers are in this module"
#endif

const struct pmufab_host* pmufab_host;

static void attach(const struct pmufab_host* host, int first_event) {
  pmufab_host = host;
  pmufab_perf_init(first_event);
}

bool pmufab_call_fails(const char* function, const void* place) {
  return pmufab_host->call_fails(pmufab_host->context, function, place) != 0;
}

static int depth; /* calls into the module that have not returned; interrupts nest */

static void enter(void) { depth++; }

/* Work deferred until the outermost call has returned runs now: loading of modules, probes, interrupt threads. */
static void leave(void) {
  if (depth == 1) {
    do {
      pmufab_run_queued_work();
      pmufab_irq_run_threads();
      pmufab_work_run();
    } while (pmufab_irq_thread_wanted());
  }
  depth--;
}

static int boot(const struct pmufab_firmware* firmware) {
  enter();
  pmufab_cpus_init(firmware->cpus, firmware->cpu_count);
  pmufab_firmware_init(firmware);
  if (firmware->msi_doorbell != 0 || firmware->pci_segment_count > 0)
    pmufab_msi_init(firmware->msi_doorbell, firmware->msi_first, firmware->msi_count);
  int error = pmufab_firmware_create_devices();
  if (!error) error = pmufab_pci_enumerate(firmware);
  if (error) return error;
  pmufab_modules_load_for_devices();
  pmufab_modules_load_rest();
  pmufab_deferred_probe_report();
  leave();
  pmufab_irq_check_affinity();
  return 0;
}

static void shutdown(void) {
  pmufab_perf_close_all();
  pmufab_modules_unload();
  if (pmufab_modules_stay()) return; /* the machine is switched off: drivers that are built in leave nothing */
  pmufab_pci_remove_devices();
  pmufab_firmware_remove_devices();
  pmufab_perf_check_gone(NULL);
  pmufab_references_exit();
  pmufab_timers_exit();
  pmufab_work_exit();
  pmufab_debugfs_exit();
  pmufab_io_exit();
  pmufab_irq_exit();
  pmufab_msi_exit();
  pmufab_cpus_exit();
  pmufab_heap_exit();
}

#define INSIDE(expression)         \
  enter();                         \
  const int result = (expression); \
  leave();                         \
  return result

static int open_event(const struct pmufab_event_attributes* attributes, int cpu, int group_leader, int for_task) {
  INSIDE(pmufab_perf_syscall_open(attributes, cpu, group_leader, for_task));
}
static int try_software_group(const struct pmufab_event_attributes* attributes, int cpu) {
  INSIDE(pmufab_perf_syscall_try_software_group(attributes, cpu));
}
static int enable(int event, int group) { INSIDE(pmufab_perf_syscall_enable(event, group)); }
static int disable(int event, int group) { INSIDE(pmufab_perf_syscall_disable(event, group)); }
static int in_error(int event) { INSIDE(pmufab_perf_syscall_in_error(event)); }
static int read_event(int event, struct pmufab_event_reading* reading) {
  INSIDE(pmufab_perf_syscall_read(event, reading));
}
static int read_group(int event, struct pmufab_event_reading* readings, int capacity) {
  INSIDE(pmufab_perf_syscall_read_group(event, readings, capacity));
}
static int close_event(int event) { INSIDE(pmufab_perf_syscall_close(event)); }
static int rotate(const char* pmu) { INSIDE(pmufab_perf_syscall_rotate(pmu)); }
static int change_cpu(unsigned cpu, int online) {
  const int result = pmufab_set_cpu_online(cpu, online);
  pmufab_irq_check_affinity();
  pmufab_perf_check_cpus();
  return result;
}
static int set_cpu_online(unsigned cpu, int online) { INSIDE(change_cpu(cpu, online)); }
static int unload_module(const char* name) { INSIDE(pmufab_module_unload(name)); }
static int load_module(const char* name) { INSIDE(pmufab_module_load(name)); }
static int unbind_driver(const char* name) { INSIDE(pmufab_driver_unbind(name)); }
static int bind_driver(const char* name) { INSIDE(pmufab_driver_bind(name)); }
static int write_file(const char* pmu, const char* path, const char* text, size_t length) {
  INSIDE(pmufab_perf_write_file(pmu, path, text, length));
}
static int interrupt(uint32_t number) { INSIDE(pmufab_interrupt(number)); }
static void timers(void) {
  enter();
  pmufab_timers_run();
  leave();
}
static void list_debugfs(void* context, pmufab_file_visitor file) {
  enter();
  pmufab_debugfs_list(context, file);
  leave();
}

static const struct pmufab_module module = {
    .abi_version = PMUFAB_DRIVER_ABI_VERSION,
    .kernel_version = PMUFAB_KERNEL_VERSION,
    .attach = attach,
    .boot = boot,
    .shutdown = shutdown,
    .list_pmus = pmufab_perf_list,
    .list_debugfs = list_debugfs,
    .list_modules = pmufab_list_modules,
    .unload_module = unload_module,
    .load_module = load_module,
    .unbind_driver = unbind_driver,
    .bind_driver = bind_driver,
    .write_file = write_file,
    .interrupt_at_steps = pmufab_irq_at_steps,
    .list_bound = pmufab_list_bound,
    .list_drivers = pmufab_list_drivers,
    .open = open_event,
    .try_software_group = try_software_group,
    .enable = enable,
    .disable = disable,
    .in_error = in_error,
    .read = read_event,
    .read_group = read_group,
    .close = close_event,
    .rotate = rotate,
    .set_cpu_online = set_cpu_online,
    .interrupt_requested = pmufab_interrupt_requested,
    .interrupt_is_of = pmufab_interrupt_is_of,
    .interrupt = interrupt,
    .timers = timers,
    .cpu = smp_processor_id,
};

__attribute__((__visibility__("default"))) const struct pmufab_module* pmufab_driver_module(void);
const struct pmufab_module* pmufab_driver_module(void) { return &module; }
