// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_NUMA_H
#define PMUFAB_LINUX_NUMA_H
#define NUMA_NO_NODE (-1)
#endif
