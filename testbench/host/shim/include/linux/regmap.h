// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/device.h>
#include <linux/errno.h>
#include <linux/io.h>
#include <linux/iopoll.h>
#include <linux/of.h>
#include <linux/spinlock.h>

/* Registers in device memory. Each access is one of the bus. There is no cache. */
struct regmap;
struct regmap_config {
  const char* name;
  int reg_bits, val_bits, reg_stride;
  unsigned int reg_base;
  unsigned int max_register; /* 0: not checked */
  bool fast_io, disable_locking;
  bool (*writeable_reg)(struct device* dev, unsigned int reg);
  bool (*readable_reg)(struct device* dev, unsigned int reg);
};
struct regmap* regmap_init_mmio(struct device* dev, void __iomem* base, const struct regmap_config* config);
struct regmap* devm_regmap_init_mmio(struct device* dev, void __iomem* base, const struct regmap_config* config);
void regmap_exit(struct regmap* map);
/* -EINVAL: not a multiple of the stride; -EIO: the map has no such register, or not for this. */
int regmap_read(struct regmap* map, unsigned int reg, unsigned int* value);
int regmap_write(struct regmap* map, unsigned int reg, unsigned int value);
int regmap_bulk_read(struct regmap* map, unsigned int reg, void* values, size_t count);
int regmap_update_bits(struct regmap* map, unsigned int reg, unsigned int mask, unsigned int value);
static inline int regmap_set_bits(struct regmap* map, unsigned int reg, unsigned int bits) {
  return regmap_update_bits(map, reg, bits, bits);
}
static inline int regmap_clear_bits(struct regmap* map, unsigned int reg, unsigned int bits) {
  return regmap_update_bits(map, reg, bits, 0);
}
int regmap_test_bits(struct regmap* map, unsigned int reg, unsigned int bits);
#define regmap_read_poll_timeout(map, reg, value, condition, pause, timeout)                                          \
  ({                                                                                                                  \
    int __failed;                                                                                                     \
    const int __late =                                                                                                \
        read_poll_timeout(regmap_read, __failed, __failed || (condition), pause, timeout, false, map, reg, &(value)); \
    __failed ? __failed : __late;                                                                                     \
  })

/* References between nodes are not described: see linux/of.h. */
static inline struct regmap* syscon_regmap_lookup_by_phandle(struct device_node* node, const char* name) {
  (void)node, (void)name;
  return (struct regmap*)ERR_PTR(-ENODEV);
}
