// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_IO_64_NONATOMIC_HI_LO_H
#define PMUFAB_LINUX_IO_64_NONATOMIC_HI_LO_H
#include <linux/io.h>
/* A 64-bit register as two 32-bit ones, high half first. */
static inline u64 hi_lo_readq(const volatile void __iomem* address) {
  u32 high = readl((const volatile char*)address + 4);
  u32 low = readl(address);
  return low | (u64)high << 32;
}
static inline void hi_lo_writeq(u64 value, volatile void __iomem* address) {
  writel((u32)(value >> 32), (volatile char*)address + 4);
  writel((u32)value, address);
}
#define hi_lo_readq_relaxed hi_lo_readq
#define hi_lo_writeq_relaxed hi_lo_writeq
#endif
