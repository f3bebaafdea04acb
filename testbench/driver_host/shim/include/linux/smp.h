// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_SMP_H
#define PMUFAB_LINUX_SMP_H
#include <linux/cpumask.h>
/* The CPU the current callback runs on. */
unsigned int smp_processor_id(void);
#define raw_smp_processor_id() smp_processor_id()
#define get_cpu() smp_processor_id()
#define put_cpu() ((void)0)
int smp_call_function_single(int cpu, void (*function)(void* data), void* data, int wait);
#endif
