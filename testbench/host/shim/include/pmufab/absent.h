// SPDX-License-Identifier: BSD-2-Clause
/* What drivers include and no PMU needs. Of the headers in ../forwarded-headers.txt that are not mentioned here, they
 * use nothing. */
#pragma once

#include <linux/device.h>
#include <linux/fs.h>
#include <linux/ioport.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/xarray.h>

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

/* PMUs do not use persistent memory: types for declarations only. */
#define NVDIMM_PASSPHRASE_LEN 32
struct nvdimm;
struct nvdimm_bus;
struct nvdimm_security_ops;
struct nvdimm_bus_descriptor {
  int unused;
};
struct nd_interleave_set;

struct access_coordinate {
  unsigned int read_bandwidth, write_bandwidth, read_latency, write_latency;
};
enum access_coordinate_class { ACCESS_COORDINATE_LOCAL, ACCESS_COORDINATE_CPU, ACCESS_COORDINATE_MAX };

/* linux/arm-cci.h: on arm64, firmware keeps the registers of a CCI that are not its PMU's. */
#define platform_has_secure_cci_access() false

#define LOCKDOWN_PCI_ACCESS 0
#define security_locked_down(what) 0

/* Tracing does not exist: an event is a call of an empty function. */
#define TP_PROTO(parameters...) parameters
#define TP_ARGS(arguments...)
#define TP_STRUCT__entry(fields...)
#define TP_fast_assign(statements...)
#define TP_printk(format...)
#define TRACE_EVENT(name, parameters, arguments, fields, assign, print) \
  static inline void trace_##name(parameters) {}                        \
  static inline bool trace_##name##_enabled(void) { return false; }

/* CXL Features are not configured: a type for declarations only. */
struct cxl_feat_entry {
  uuid_t uuid;
};
