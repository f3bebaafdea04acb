// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_KMOD_H
#define PMUFAB_LINUX_KMOD_H
#include <linux/compiler.h>
/* Queued: the module is loaded after the caller has returned, because its init may take the caller's locks. */
__printf(1, 2) int request_module_nowait(const char* format, ...);
#define request_module(format...) request_module_nowait(format)
#endif
