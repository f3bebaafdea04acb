// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_THREADS_H
#define PMUFAB_LINUX_THREADS_H
#define NR_CPUS CONFIG_NR_CPUS
#endif
