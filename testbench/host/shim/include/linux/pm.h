// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_PM_H
#define PMUFAB_LINUX_PM_H
struct device;
/* The machine is never suspended. Of these, only the runtime callbacks are called: see linux/pm_runtime.h. */
struct dev_pm_ops {
  int (*suspend)(struct device* dev);
  int (*resume)(struct device* dev);
  int (*suspend_noirq)(struct device* dev);
  int (*resume_noirq)(struct device* dev);
  int (*runtime_suspend)(struct device* dev);
  int (*runtime_resume)(struct device* dev);
};
#define SET_SYSTEM_SLEEP_PM_OPS(suspend_function, resume_function) \
  .suspend = (suspend_function), .resume = (resume_function),
#define SYSTEM_SLEEP_PM_OPS SET_SYSTEM_SLEEP_PM_OPS
#define DEFINE_SIMPLE_DEV_PM_OPS(name, suspend, resume) \
  static const struct dev_pm_ops name __attribute__((__unused__)) = {SET_SYSTEM_SLEEP_PM_OPS(suspend, resume)}
#define pm_ptr(pointer) (pointer)
#define pm_sleep_ptr(pointer) (pointer)
#endif
