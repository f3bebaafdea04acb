// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_ASM_PAGE_H
#define PMUFAB_ASM_PAGE_H
#define PAGE_SHIFT 12
#define PAGE_SIZE (1UL << PAGE_SHIFT)
#define PAGE_MASK (~(PAGE_SIZE - 1))
#define PAGE_ALIGN(value) (((value) + PAGE_SIZE - 1) & PAGE_MASK)
#define offset_in_page(pointer) ((unsigned long)(pointer) & ~PAGE_MASK)
#endif
