// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/bitops.h>
#include <linux/compiler_types.h>
#include <linux/errno.h>
#include <linux/math.h>
#include <linux/printk.h>
#include <linux/sizes.h>
#include <linux/string.h>
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
