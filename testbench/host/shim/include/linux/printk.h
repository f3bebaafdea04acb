// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_PRINTK_H
#define PMUFAB_LINUX_PRINTK_H

#include <linux/compiler.h>
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

#endif
