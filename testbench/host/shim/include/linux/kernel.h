// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_KERNEL_H
#define PMUFAB_LINUX_KERNEL_H

#include <linux/align.h>
#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/container_of.h>
#include <linux/errno.h>
#include <linux/kstrtox.h>
#include <linux/limits.h>
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/printk.h>
#include <linux/stringify.h>
#include <linux/types.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]) + BUILD_BUG_ON_ZERO(__same_type((array), &(array)[0])))
#define upper_32_bits(value) ((u32)((u64)(value) >> 32))
#define lower_32_bits(value) ((u32)((value)&0xffffffff))
#define upper_16_bits(value) ((u16)((value) >> 16))
#define lower_16_bits(value) ((u16)((value)&0xffff))
#define TAINT_USER 6
#define LOCKDEP_STILL_OK 1
#define add_taint(flag, lockdep) ((void)0)
#define cond_resched() ((void)0)
#define typecheck(type, value) 1
#define PTR_IF(condition, pointer) ((condition) ? (pointer) : 0)
#define u64_to_user_ptr(value) ((void*)(uintptr_t)(value))
#define offsetofend(type, member) (offsetof(type, member) + sizeof(((type*)0)->member))
#define sizeof_field(type, member) sizeof(((type*)0)->member)
#define le16_to_cpu(value) ((u16)(value))
#define le32_to_cpu(value) ((u32)(value))
#define le64_to_cpu(value) ((u64)(value))
#define cpu_to_le16(value) ((__le16)(value))
#define cpu_to_le32(value) ((__le32)(value))
#define cpu_to_le64(value) ((__le64)(value))

#endif
