// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#define SZ_1K 0x400
#define SZ_2K 0x800
#define SZ_4K 0x1000
#define SZ_8K 0x2000
#define SZ_16K 0x4000
#define SZ_32K 0x8000
#define SZ_64K 0x10000
#define SZ_128K 0x20000
#define SZ_256K 0x40000
#define SZ_512K 0x80000
#define SZ_1M 0x100000
#define SZ_2M 0x200000
#define SZ_4M 0x400000
#define SZ_16M 0x1000000
#define SZ_64M 0x4000000
#define SZ_256M 0x10000000
#define SZ_1G 0x40000000

#define __ALIGN_MASK(value, mask) (((value) + (mask)) & ~(mask))
#define ALIGN(value, power) __ALIGN_MASK(value, (__typeof__(value))(power)-1)
#define ALIGN_DOWN(value, power) ((value) & ~((__typeof__(value))(power)-1))
#define IS_ALIGNED(value, power) (((value) & ((__typeof__(value))(power)-1)) == 0)
#define PTR_ALIGN(pointer, power) ((__typeof__(pointer))ALIGN((unsigned long)(pointer), (power)))

#define KILO 1000UL
#define MEGA 1000000UL
#define GIGA 1000000000UL
#define PICO 1000000000000ULL

#define PAGE_SHIFT 12
#define PAGE_SIZE (1UL << PAGE_SHIFT)
#define PAGE_MASK (~(PAGE_SIZE - 1))
#define PAGE_ALIGN(value) (((value) + PAGE_SIZE - 1) & PAGE_MASK)
#define offset_in_page(pointer) ((unsigned long)(pointer) & ~PAGE_MASK)
