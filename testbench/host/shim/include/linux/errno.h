// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/compiler_types.h>
#include <linux/types.h>

/* Linux error numbers (asm-generic), and the kernel's own above 511. */
#define EPERM 1
#define ENOENT 2
#define EINTR 4
#define EIO 5
#define ENXIO 6
#define E2BIG 7
#define EBADF 9
#define EAGAIN 11
#define ENOMEM 12
#define EACCES 13
#define EFAULT 14
#define EBUSY 16
#define EEXIST 17
#define EXDEV 18
#define ENODEV 19
#define ENOTDIR 20
#define EINVAL 22
#define ENOTTY 25
#define EFBIG 27
#define ENOSPC 28
#define EDOM 33
#define ERANGE 34
#define EWOULDBLOCK EAGAIN
#define ENODATA 61
#define EPROTO 71
#define EOVERFLOW 75
#define EOPNOTSUPP 95
#define EADDRINUSE 98
#define ENOBUFS 105
#define ESHUTDOWN 108
#define ETIMEDOUT 110
#define ENOTSUPP 524
#define EPROBE_DEFER 517

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
