// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_CONTAINER_OF_H
#define PMUFAB_LINUX_CONTAINER_OF_H
#include <linux/types.h>
#define container_of(pointer, type, member) ((type*)((char*)(pointer)-offsetof(type, member)))
#define container_of_const(pointer, type, member) container_of(pointer, type, member)
#endif
