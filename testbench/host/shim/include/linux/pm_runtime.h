// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_PM_RUNTIME_H
#define PMUFAB_LINUX_PM_RUNTIME_H

#include <linux/device.h>

/* Counts of use, and the driver's callbacks when they go to and from 0. No device loses its power. */
void pm_runtime_enable(struct device* dev);
void pm_runtime_disable(struct device* dev);
int devm_pm_runtime_enable(struct device* dev);
void pm_runtime_set_active(struct device* dev);
void pm_runtime_set_suspended(struct device* dev);
void pm_runtime_get_noresume(struct device* dev);
void pm_runtime_put_noidle(struct device* dev);
/* 1: it was active; 0; or the error of the callback. get_sync keeps the count on an error, resume_and_get does not. */
int pm_runtime_get_sync(struct device* dev);
int pm_runtime_resume_and_get(struct device* dev);
int pm_runtime_put_sync(struct device* dev);
#define pm_runtime_get(dev) pm_runtime_get_sync(dev)
#define pm_runtime_put(dev) pm_runtime_put_sync(dev)
#define pm_runtime_put_autosuspend(dev) pm_runtime_put_sync(dev)
bool pm_runtime_suspended(struct device* dev);
#define pm_runtime_active(dev) (!pm_runtime_suspended(dev))
bool pm_runtime_enabled(struct device* dev);
int pm_runtime_get_if_active(struct device* dev);

#define SET_RUNTIME_PM_OPS(suspend, resume, idle) .runtime_suspend = (suspend), .runtime_resume = (resume),
#define RUNTIME_PM_OPS SET_RUNTIME_PM_OPS

#endif
