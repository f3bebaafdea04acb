// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_CONST_H
#define PMUFAB_LINUX_CONST_H
#define __AC(value, suffix) (value##suffix)
#define _AC(value, suffix) __AC(value, suffix)
#define UL(value) (_AC(value, UL))
#define ULL(value) (_AC(value, ULL))
#define _UL(value) (_AC(value, UL))
#define _ULL(value) (_AC(value, ULL))
#endif
