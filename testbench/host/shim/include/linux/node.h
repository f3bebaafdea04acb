// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_NODE_H
#define PMUFAB_LINUX_NODE_H
#include <linux/device.h>
#include <linux/range.h>
#include <linux/rwsem.h>
#include <linux/uuid.h>
#include <linux/xarray.h>
struct access_coordinate {
  unsigned int read_bandwidth, write_bandwidth, read_latency, write_latency;
};
enum access_coordinate_class { ACCESS_COORDINATE_LOCAL, ACCESS_COORDINATE_CPU, ACCESS_COORDINATE_MAX };
#endif
