// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_LOG2_H
#define PMUFAB_LINUX_LOG2_H
#include <linux/bitops.h>
#define ilog2(value) (63 - __builtin_clzll(value))
static inline bool is_power_of_2(unsigned long value) { return value && !(value & (value - 1)); }
static inline unsigned long roundup_pow_of_two(unsigned long value) { return value <= 1 ? 1 : 1UL << fls64(value - 1); }
static inline unsigned long rounddown_pow_of_two(unsigned long value) { return 1UL << __fls(value); }
#define order_base_2(value) ((value) <= 1 ? 0 : ilog2((value)-1) + 1)
#endif
