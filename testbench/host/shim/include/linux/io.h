// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/errno.h>
#include <linux/ioport.h>
#include <linux/sizes.h>
#include <linux/types.h>

void __iomem* ioremap(phys_addr_t start, size_t size);
void iounmap(volatile void __iomem* mapping);
#define ioremap_np ioremap
#define ioremap_wc ioremap

/* One access of the platform's bus. Everything between two accesses happens at one instant of simulated time. */
u64 pmufab_mmio_read(const volatile void __iomem* address, unsigned int size);
void pmufab_mmio_write(volatile void __iomem* address, unsigned int size, u64 value);

static inline u8 readb(const volatile void __iomem* address) { return (u8)pmufab_mmio_read(address, 1); }
static inline u16 readw(const volatile void __iomem* address) { return (u16)pmufab_mmio_read(address, 2); }
static inline u32 readl(const volatile void __iomem* address) { return (u32)pmufab_mmio_read(address, 4); }
static inline u64 readq(const volatile void __iomem* address) { return pmufab_mmio_read(address, 8); }
static inline void writeb(u8 value, volatile void __iomem* address) { pmufab_mmio_write(address, 1, value); }
static inline void writew(u16 value, volatile void __iomem* address) { pmufab_mmio_write(address, 2, value); }
static inline void writel(u32 value, volatile void __iomem* address) { pmufab_mmio_write(address, 4, value); }
static inline void writeq(u64 value, volatile void __iomem* address) { pmufab_mmio_write(address, 8, value); }
#define readb readb
#define readw readw
#define readl readl
#define readq readq
#define writeb writeb
#define writew writew
#define writel writel
#define writeq writeq
#define readb_relaxed readb
#define readw_relaxed readw
#define readl_relaxed readl
#define readq_relaxed readq
#define writeb_relaxed writeb
#define writew_relaxed writew
#define writel_relaxed writel
#define writeq_relaxed writeq
#define __raw_readl readl
#define __raw_readq readq
#define __raw_writel writel
#define __raw_writeq writeq
#define ioread32 readl
#define ioread64 readq
#define iowrite32 writel
#define iowrite64 writeq

/* Eight bytes at a time where the device's address allows it, else single bytes. */
void memcpy_fromio(void* to, const volatile void __iomem* from, size_t size);
void memcpy_toio(volatile void __iomem* to, const void* from, size_t size);

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
