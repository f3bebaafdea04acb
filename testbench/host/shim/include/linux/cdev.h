// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_CDEV_H
#define PMUFAB_LINUX_CDEV_H
#include <linux/device.h>
#include <linux/fs.h>
/* A character device that cannot be opened: only its device exists. */
struct cdev {
  const struct file_operations* ops;
};
static inline void cdev_init(struct cdev* cdev, const struct file_operations* ops) { cdev->ops = ops; }
static inline int cdev_device_add(struct cdev* cdev, struct device* dev) {
  (void)cdev;
  return device_add(dev);
}
static inline void cdev_device_del(struct cdev* cdev, struct device* dev) {
  (void)cdev;
  device_del(dev);
}
#endif
