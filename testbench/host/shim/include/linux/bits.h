// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_BITS_H
#define PMUFAB_LINUX_BITS_H

#include <linux/build_bug.h>
#include <linux/const.h>
#include <linux/types.h>

#define BIT(number) (1UL << (number))
#define BIT_ULL(number) (1ULL << (number))
#define BIT_U8(number) ((u8)(1U << (number)))
#define BIT_U16(number) ((u16)(1U << (number)))
#define BIT_U32(number) ((u32)(1U << (number)))
#define BIT_U64(number) ((u64)1 << (number))
#define BIT_MASK(number) (1UL << ((number) % BITS_PER_LONG))
#define BIT_WORD(number) ((number) / BITS_PER_LONG)

#define __PMUFAB_GENMASK(type, high, low) \
  ((type)((((type) ~(type)0) << (low)) & (((type) ~(type)0) >> (sizeof(type) * 8 - 1 - (high)))))
#define GENMASK(high, low) __PMUFAB_GENMASK(unsigned long, high, low)
#define GENMASK_ULL(high, low) __PMUFAB_GENMASK(unsigned long long, high, low)
#define GENMASK_U8(high, low) ((u8)GENMASK_ULL(high, low))
#define GENMASK_U16(high, low) ((u16)GENMASK_ULL(high, low))
#define GENMASK_U32(high, low) ((u32)GENMASK_ULL(high, low))
#define GENMASK_U64(high, low) GENMASK_ULL(high, low)

#endif
