// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_SORT_H
#define PMUFAB_LINUX_SORT_H
#include <linux/types.h>
typedef int (*cmp_func_t)(const void* left, const void* right);
typedef void (*swap_func_t)(void* left, void* right, int size);
#define sort pmufab_sort
void pmufab_sort(void* base, size_t count, size_t size, cmp_func_t compare, swap_func_t swap_elements);
#endif
