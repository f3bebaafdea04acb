// SPDX-License-Identifier: BSD-2-Clause
/* Included before every driver and runtime file: the kernel configuration, and compiler keywords. */
#pragma once

#define __KERNEL__ 1
#define CONFIG_64BIT 1
#define CONFIG_ACPI 1
#define CONFIG_ARM64 1
#define CONFIG_ARM_CCI400_PMU 1
#define CONFIG_ARM_CCI5xx_PMU 1
#define CONFIG_CPU_LITTLE_ENDIAN 1
#define CONFIG_DEBUG_FS 1
#define CONFIG_HAS_IOMEM 1
#define CONFIG_HOTPLUG_CPU 1
#define CONFIG_MODULES 1
#define CONFIG_NUMA 1
#define CONFIG_NR_CPUS 512
#define CONFIG_OF 1
#define CONFIG_PCI 1
#define CONFIG_PERF_EVENTS 1
#define CONFIG_SMP 1
#define CONFIG_SYSFS 1

/* 1 if `option` is a macro defined as 1, else 0: only then does pasting it to the prefix produce an extra argument. */
#define __PMUFAB_CONFIGURED_1 unused,
#define __pmufab_second(first, second, ...) second
#define __pmufab_is_set_(prefix) __pmufab_second(prefix 1, 0, 0)
#define __pmufab_is_set(value) __pmufab_is_set_(__PMUFAB_CONFIGURED_##value)
#define __pmufab_is_set_expanded(value) __pmufab_is_set(value)
#define IS_BUILTIN(option) __pmufab_is_set_expanded(option)
#define IS_MODULE(option) 0
#define IS_REACHABLE(option) IS_BUILTIN(option)
#define IS_ENABLED(option) IS_BUILTIN(option)

#include <linux/compiler_types.h>
