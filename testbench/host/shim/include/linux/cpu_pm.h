// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_CPU_PM_H
#define PMUFAB_LINUX_CPU_PM_H
#include <linux/notifier.h>
/* No CPU goes to a low power state, so the chain is never called. */
enum cpu_pm_event { CPU_PM_ENTER, CPU_PM_ENTER_FAILED, CPU_PM_EXIT, CPU_CLUSTER_PM_ENTER, CPU_CLUSTER_PM_EXIT };
int cpu_pm_register_notifier(struct notifier_block* block);
int cpu_pm_unregister_notifier(struct notifier_block* block);
#endif
