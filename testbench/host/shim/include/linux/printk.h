// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/compiler_types.h>
#include <linux/types.h>

#define KERN_SOH "\001"
#define KERN_EMERG KERN_SOH "0"
#define KERN_ALERT KERN_SOH "1"
#define KERN_CRIT KERN_SOH "2"
#define KERN_ERR KERN_SOH "3"
#define KERN_WARNING KERN_SOH "4"
#define KERN_NOTICE KERN_SOH "5"
#define KERN_INFO KERN_SOH "6"
#define KERN_DEBUG KERN_SOH "7"
#define KERN_DEFAULT ""
#define KERN_CONT KERN_SOH "c"

struct va_format {
  const char* fmt;
  va_list* va;
};

#define printk pmufab_printk
#define _printk pmufab_printk
__printf(1, 2) int pmufab_printk(const char* format, ...);
int pmufab_vprintk(const char* format, va_list arguments);

#ifndef pr_fmt
#define pr_fmt(format) format
#endif
#define pr_emerg(format, ...) printk(KERN_EMERG pr_fmt(format), ##__VA_ARGS__)
#define pr_crit(format, ...) printk(KERN_CRIT pr_fmt(format), ##__VA_ARGS__)
#define pr_err(format, ...) printk(KERN_ERR pr_fmt(format), ##__VA_ARGS__)
#define pr_warn(format, ...) printk(KERN_WARNING pr_fmt(format), ##__VA_ARGS__)
#define pr_notice(format, ...) printk(KERN_NOTICE pr_fmt(format), ##__VA_ARGS__)
#define pr_info(format, ...) printk(KERN_INFO pr_fmt(format), ##__VA_ARGS__)
#define pr_debug(format, ...) printk(KERN_DEBUG pr_fmt(format), ##__VA_ARGS__)
#define pr_cont(format, ...) printk(KERN_CONT format, ##__VA_ARGS__)

#define __pmufab_print_once(print) \
  ({                               \
    static bool __printed;         \
    bool __first = !__printed;     \
    __printed = true;              \
    if (__first) (void)(print);    \
    __first;                       \
  })
#define printk_once(format, ...) __pmufab_print_once(printk(format, ##__VA_ARGS__))
#define pr_err_once(format, ...) __pmufab_print_once(pr_err(format, ##__VA_ARGS__))
#define pr_warn_once(format, ...) __pmufab_print_once(pr_warn(format, ##__VA_ARGS__))
#define pr_info_once(format, ...) __pmufab_print_once(pr_info(format, ##__VA_ARGS__))
#define pr_err_ratelimited pr_err
#define pr_warn_ratelimited pr_warn
#define pr_info_ratelimited pr_info

#define snprintf pmufab_snprintf
#define vsnprintf pmufab_vsnprintf
#define sprintf pmufab_sprintf
#define scnprintf pmufab_scnprintf
__printf(3, 4) int pmufab_snprintf(char* to, size_t size, const char* format, ...);
__printf(2, 3) int pmufab_sprintf(char* to, const char* format, ...);
__printf(3, 4) int pmufab_scnprintf(char* to, size_t size, const char* format, ...);
/* The kernel's printf, with %p extensions. Returns the length of the whole text. */
int pmufab_vsnprintf(char* to, size_t size, const char* format, va_list arguments);

struct device;
#ifndef dev_fmt
#define dev_fmt(format) format
#endif
/* "driver device: " before the text. */
__printf(3, 4) void pmufab_dev_printk(const char* level, const struct device* dev, const char* format, ...);
/* As dev_err, but silent (recorded as the reason) if the error is -EPROBE_DEFER. Returns the error. */
__printf(3, 4) int dev_err_probe(const struct device* dev, int error, const char* format, ...);

#define dev_printk(level, dev, format, ...) pmufab_dev_printk(level, dev, dev_fmt(format), ##__VA_ARGS__)
#define dev_emerg(dev, format, ...) dev_printk(KERN_EMERG, dev, format, ##__VA_ARGS__)
#define dev_crit(dev, format, ...) dev_printk(KERN_CRIT, dev, format, ##__VA_ARGS__)
#define dev_err(dev, format, ...) dev_printk(KERN_ERR, dev, format, ##__VA_ARGS__)
#define dev_warn(dev, format, ...) dev_printk(KERN_WARNING, dev, format, ##__VA_ARGS__)
#define dev_notice(dev, format, ...) dev_printk(KERN_NOTICE, dev, format, ##__VA_ARGS__)
#define dev_info(dev, format, ...) dev_printk(KERN_INFO, dev, format, ##__VA_ARGS__)
#define dev_dbg(dev, format, ...) dev_printk(KERN_DEBUG, dev, format, ##__VA_ARGS__)
#define dev_vdbg dev_dbg
#define dev_err_once(dev, format, ...) __pmufab_print_once((dev_err(dev, format, ##__VA_ARGS__), 0))
#define dev_warn_once(dev, format, ...) __pmufab_print_once((dev_warn(dev, format, ##__VA_ARGS__), 0))
#define dev_info_once(dev, format, ...) __pmufab_print_once((dev_info(dev, format, ##__VA_ARGS__), 0))
#define dev_err_ratelimited dev_err
#define dev_warn_ratelimited dev_warn
#define dev_dbg_ratelimited dev_dbg
#define dev_WARN(dev, format, ...) WARN(1, "%s %s: " format, dev_driver_string(dev), dev_name(dev), ##__VA_ARGS__)
#define dev_WARN_ONCE(dev, condition, format, ...) \
  WARN_ONCE(condition, "%s %s: " format, dev_driver_string(dev), dev_name(dev), ##__VA_ARGS__)

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
