// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_DEV_PRINTK_H
#define PMUFAB_LINUX_DEV_PRINTK_H

#include <linux/printk.h>

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

#endif
