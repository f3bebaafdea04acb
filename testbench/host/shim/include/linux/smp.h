// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_SMP_H
#define PMUFAB_LINUX_SMP_H
#include <linux/cpumask.h>
#include <linux/irqflags.h>
/* The CPU the current callback runs on. */
unsigned int smp_processor_id(void);
#define raw_smp_processor_id() smp_processor_id()
#define get_cpu() (preempt_disable(), smp_processor_id())
#define put_cpu() preempt_enable()
int smp_call_function_single(int cpu, void (*function)(void* data), void* data, int wait);
#endif
