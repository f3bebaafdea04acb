// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_CPU_H
#define PMUFAB_LINUX_CPU_H
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/smp.h>
void cpus_read_lock(void);
void cpus_read_unlock(void);
#endif
