/* The module's side of the door: see abi.h. */
#include "runtime.h"

#ifndef PMUFAB_KERNEL_VERSION
#error "PMUFAB_KERNEL_VERSION names the kernel whose drivers are in this module"
#endif

const struct pmufab_host* pmufab_host;

static void attach(const struct pmufab_host* host, int first_event) {
  pmufab_host = host;
  pmufab_perf_init(first_event);
}

static int boot(const struct pmufab_firmware* firmware) {
  pmufab_cpus_init(firmware->cpus, firmware->cpu_count);
  pmufab_firmware_init(firmware);
  const int error = pmufab_firmware_create_devices();
  if (error) return error;
  pmufab_modules_load_for_devices();
  pmufab_modules_load_rest();
  pmufab_deferred_probe_report();
  return 0;
}

static void shutdown(void) {
  pmufab_perf_close_all();
  pmufab_modules_unload();
  pmufab_firmware_remove_devices();
  pmufab_debugfs_exit();
  pmufab_io_exit();
  pmufab_irq_exit();
}

/* Work that was queued during a call runs when the call is over. */
#define THEN_WORK(type, expression) \
  const type result = (expression); \
  pmufab_run_queued_work();         \
  return result

static int open_event(const struct pmufab_event_attributes* attributes, int cpu, int group_leader, int for_task) {
  THEN_WORK(int, pmufab_perf_syscall_open(attributes, cpu, group_leader, for_task));
}
static int set_cpu_online(unsigned cpu, int online) { THEN_WORK(int, pmufab_set_cpu_online(cpu, online)); }

static const struct pmufab_module module = {
    .abi_version = PMUFAB_DRIVER_ABI_VERSION,
    .kernel_version = PMUFAB_KERNEL_VERSION,
    .attach = attach,
    .boot = boot,
    .shutdown = shutdown,
    .list_pmus = pmufab_perf_list,
    .list_debugfs = pmufab_debugfs_list,
    .list_modules = pmufab_list_modules,
    .open = open_event,
    .enable = pmufab_perf_syscall_enable,
    .disable = pmufab_perf_syscall_disable,
    .read = pmufab_perf_syscall_read,
    .read_group = pmufab_perf_syscall_read_group,
    .close = pmufab_perf_syscall_close,
    .rotate = pmufab_perf_syscall_rotate,
    .set_cpu_online = set_cpu_online,
    .interrupt_requested = pmufab_interrupt_requested,
    .interrupt = pmufab_interrupt,
};

__attribute__((__visibility__("default"))) const struct pmufab_module* pmufab_driver_module(void);
const struct pmufab_module* pmufab_driver_module(void) { return &module; }
