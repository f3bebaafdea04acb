// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/types.h>

/* The CPU the current callback runs on. */
unsigned int smp_processor_id(void);
#define raw_smp_processor_id() smp_processor_id()
#define get_cpu() (preempt_disable(), smp_processor_id())
#define put_cpu() preempt_enable()
int smp_call_function_single(int cpu, void (*function)(void* data), void* data, int wait);

/* Of the present CPU, as firmware describes it: affinity 0 is its number in its container, 1 the container, 2 the NUMA
 * node. CPUs have one thread. Their part number is 0, which is no
 * vendor's. */
u64 pmufab_mpidr(unsigned int cpu);
#define MPIDR_MT_BITMASK (1 << 24)
#define MPIDR_LEVEL_SHIFT(level) ((level) == 3 ? 32 : (level)*8)
#define MPIDR_AFFINITY_LEVEL(mpidr, level) (((mpidr) >> MPIDR_LEVEL_SHIFT(level)) & 0xff)
#define read_cpuid_part_number() 0
#define HISI_CPU_PART_TSV110 0xd01
#define read_cpuid_mpidr() pmufab_mpidr(smp_processor_id())
