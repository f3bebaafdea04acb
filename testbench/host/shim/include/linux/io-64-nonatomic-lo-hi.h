// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_IO_64_NONATOMIC_LO_HI_H
#define PMUFAB_LINUX_IO_64_NONATOMIC_LO_HI_H
#include <linux/io.h>
/* A 64-bit register as two 32-bit ones, low half first. */
static inline u64 lo_hi_readq(const volatile void __iomem* address) {
  u32 low = readl(address);
  u32 high = readl((const volatile char*)address + 4);
  return low | (u64)high << 32;
}
static inline void lo_hi_writeq(u64 value, volatile void __iomem* address) {
  writel((u32)value, address);
  writel((u32)(value >> 32), (volatile char*)address + 4);
}
#define lo_hi_readq_relaxed lo_hi_readq
#define lo_hi_writeq_relaxed lo_hi_writeq
#endif
