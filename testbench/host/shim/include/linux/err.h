// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_ERR_H
#define PMUFAB_LINUX_ERR_H

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/types.h>

/* An error number is encoded as a pointer into the last page of the address space. */
#define MAX_ERRNO 4095
#define IS_ERR_VALUE(value) unlikely((unsigned long)(void*)(value) >= (unsigned long)-MAX_ERRNO)
#define IOMEM_ERR_PTR(error) ((void __iomem*)ERR_PTR(error))

static inline void* ERR_PTR(long error) { return (void*)error; }
static inline long PTR_ERR(const void* pointer) { return (long)pointer; }
static inline bool IS_ERR(const void* pointer) { return IS_ERR_VALUE((unsigned long)pointer); }
static inline bool IS_ERR_OR_NULL(const void* pointer) { return !pointer || IS_ERR(pointer); }
static inline void* ERR_CAST(const void* pointer) { return (void*)pointer; }
static inline int PTR_ERR_OR_ZERO(const void* pointer) { return IS_ERR(pointer) ? (int)PTR_ERR(pointer) : 0; }

#endif
