// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_ALIGN_H
#define PMUFAB_LINUX_ALIGN_H
#define __ALIGN_MASK(value, mask) (((value) + (mask)) & ~(mask))
#define ALIGN(value, power) __ALIGN_MASK(value, (__typeof__(value))(power)-1)
#define ALIGN_DOWN(value, power) ((value) & ~((__typeof__(value))(power)-1))
#define IS_ALIGNED(value, power) (((value) & ((__typeof__(value))(power)-1)) == 0)
#define PTR_ALIGN(pointer, power) ((__typeof__(pointer))ALIGN((unsigned long)(pointer), (power)))
#endif
