// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_LIBNVDIMM_H
#define PMUFAB_LINUX_LIBNVDIMM_H
#include <linux/range.h>
#include <linux/rwsem.h>
#include <linux/uuid.h>
/* PMUs do not use persistent memory: types for declarations only. */
#define NVDIMM_PASSPHRASE_LEN 32
struct nvdimm;
struct nvdimm_bus;
struct nvdimm_security_ops;
struct nvdimm_bus_descriptor {
  int unused;
};
struct nd_interleave_set;
#endif
