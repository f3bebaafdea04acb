// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_IO_H
#define PMUFAB_LINUX_IO_H

#include <linux/err.h>
#include <linux/ioport.h>
#include <linux/page.h>
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

#endif
