// SPDX-License-Identifier: BSD-2-Clause
/* Linux error numbers (asm-generic), and the kernel's own above 511. */
#ifndef PMUFAB_LINUX_ERRNO_H
#define PMUFAB_LINUX_ERRNO_H
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
#endif
