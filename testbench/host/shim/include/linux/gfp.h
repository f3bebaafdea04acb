// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_GFP_H
#define PMUFAB_LINUX_GFP_H
#define __GFP_ZERO 0x100u
#define __GFP_NOWARN 0x200u
#define __GFP_DIRECT_RECLAIM 0x400u
#define GFP_KERNEL 0xcc0u
#define GFP_ATOMIC 0x820u
#define GFP_NOWAIT 0x800u
#define GFP_KERNEL_ACCOUNT GFP_KERNEL
#endif
