// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_INIT_H
#define PMUFAB_LINUX_INIT_H
#include <linux/compiler.h>
#include <linux/types.h>
#endif
