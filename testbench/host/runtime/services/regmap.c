// SPDX-License-Identifier: BSD-2-Clause
/* Register maps: checked accesses to device memory. */
#include <linux/regmap.h>

#include "../runtime.h"

struct regmap {
  struct device* dev;
  void __iomem* base;
  struct regmap_config config;
  unsigned int stride, size;
  spinlock_t lock;
};

struct regmap* regmap_init_mmio(struct device* dev, void __iomem* base, const struct regmap_config* config) {
  const unsigned int size = (unsigned int)config->val_bits / BITS_PER_BYTE;
  const unsigned int stride = config->reg_stride ? (unsigned int)config->reg_stride : 1;
  if (config->val_bits % BITS_PER_BYTE || (size != 1 && size != 2 && size != 4) || stride % size)
    return (struct regmap*)ERR_PTR(-EINVAL);
  struct regmap* map = pmufab_alloc(sizeof(*map), GFP_KERNEL, PLACE);
  if (!map) return (struct regmap*)ERR_PTR(-ENOMEM);
  *map = (struct regmap){.dev = dev, .base = base, .config = *config, .stride = stride, .size = size};
  spin_lock_init(&map->lock);
  return map;
}

void regmap_exit(struct regmap* map) { kfree(map); }
static void leave(void* map) { regmap_exit(map); }

struct regmap* devm_regmap_init_mmio(struct device* dev, void __iomem* base, const struct regmap_config* config) {
  struct regmap* map = regmap_init_mmio(dev, base, config);
  if (IS_ERR(map)) return map;
  const int error = devm_add_action_or_reset(dev, leave, map);
  return error ? (struct regmap*)ERR_PTR(error) : map;
}

static int check(const struct regmap* map, unsigned int reg, bool (*allowed)(struct device* dev, unsigned int reg)) {
  if (reg % map->stride) return -EINVAL;
  if (map->config.max_register && reg > map->config.max_register) return -EIO;
  return allowed && !allowed(map->dev, reg) ? -EIO : 0;
}

static unsigned int get(const struct regmap* map, unsigned int reg) {
  return (unsigned int)pmufab_mmio_read(map->base + map->config.reg_base + reg, map->size);
}

static void put(const struct regmap* map, unsigned int reg, unsigned int value) {
  pmufab_mmio_write(map->base + map->config.reg_base + reg, map->size, value);
}

static unsigned long take(struct regmap* map) {
  unsigned long flags = 0;
  if (!map->config.disable_locking) spin_lock_irqsave(&map->lock, flags);
  return flags;
}

static void drop(struct regmap* map, unsigned long flags) {
  if (!map->config.disable_locking) spin_unlock_irqrestore(&map->lock, flags);
}

int regmap_read(struct regmap* map, unsigned int reg, unsigned int* value) {
  const int error = check(map, reg, map->config.readable_reg);
  if (error) return error;
  const unsigned long flags = take(map);
  *value = get(map, reg);
  drop(map, flags);
  return 0;
}

int regmap_write(struct regmap* map, unsigned int reg, unsigned int value) {
  const int error = check(map, reg, map->config.writeable_reg);
  if (error) return error;
  const unsigned long flags = take(map);
  put(map, reg, value);
  drop(map, flags);
  return 0;
}

int regmap_bulk_read(struct regmap* map, unsigned int reg, void* values, size_t count) {
  for (size_t i = 0; i < count; i++) {
    unsigned int value = 0;
    const int error = regmap_read(map, reg + (unsigned int)i * map->stride, &value);
    if (error) return error;
    memcpy((char*)values + i * map->size, &value, map->size);
  }
  return 0;
}

/* What would not change is not written. */
int regmap_update_bits(struct regmap* map, unsigned int reg, unsigned int mask, unsigned int value) {
  int error = check(map, reg, map->config.readable_reg);
  if (!error) error = check(map, reg, map->config.writeable_reg);
  if (error) return error;
  const unsigned long flags = take(map);
  const unsigned int old = get(map, reg);
  const unsigned int changed = (old & ~mask) | (value & mask);
  if (changed != old) put(map, reg, changed);
  drop(map, flags);
  return 0;
}

int regmap_test_bits(struct regmap* map, unsigned int reg, unsigned int bits) {
  unsigned int value = 0;
  const int error = regmap_read(map, reg, &value);
  return error ? error : (value & bits) == bits;
}
