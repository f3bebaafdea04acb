// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_BUG_H
#define PMUFAB_LINUX_BUG_H

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/printk.h>

/* Log "WARNING: ..." and count it. A null format: no message. */
__printf(4, 5) void pmufab_warn(const char* file, int line, const char* function, const char* format, ...);
/* Stop the whole kernel: throws in the host. */
__printf(1, 2) __noreturn void pmufab_panic(const char* format, ...);

#define WARN(condition, format...)                                           \
  ({                                                                         \
    int __warn = !!(condition);                                              \
    if (unlikely(__warn)) pmufab_warn(__FILE__, __LINE__, __func__, format); \
    unlikely(__warn);                                                        \
  })
#define WARN_ON(condition) WARN(condition, "%s\n", #condition)
#define WARN_ONCE(condition, format...)                  \
  ({                                                     \
    static bool __warned;                                \
    int __warn_once = !!(condition);                     \
    if (unlikely(__warn_once) && !__warned) {            \
      __warned = true;                                   \
      pmufab_warn(__FILE__, __LINE__, __func__, format); \
    }                                                    \
    unlikely(__warn_once);                               \
  })
#define WARN_ON_ONCE(condition) WARN_ONCE(condition, "%s\n", #condition)
#define BUG() pmufab_panic("BUG at %s:%d (%s)", __FILE__, __LINE__, __func__)
#define BUG_ON(condition)           \
  do {                              \
    if (unlikely(condition)) BUG(); \
  } while (0)
#define panic pmufab_panic

#endif
