// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_CACHEINFO_H
#define PMUFAB_LINUX_CACHEINFO_H
#include <linux/cpumask.h>
#endif
