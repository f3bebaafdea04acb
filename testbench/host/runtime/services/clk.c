// SPDX-License-Identifier: BSD-2-Clause
/* Clocks and runtime power management: whether they are used as they must be. */
#include <linux/clk.h>
#include <linux/device.h>
#include <linux/property.h>

#include "../runtime.h"

struct clk {
  struct device* dev;
  int prepared, enabled;
};

static void release(struct device* dev, void* resource) {
  const struct clk* clock = resource;
  WARN(clock->enabled, "a clock of %s is put while it is enabled\n", dev_name(dev));
}

struct clk* devm_clk_get(struct device* dev, const char* id) {
  struct clk* clock = devres_alloc(release, sizeof(*clock), GFP_KERNEL);
  (void)id;
  if (!clock) return (struct clk*)ERR_PTR(-ENOMEM);
  clock->dev = dev;
  devres_add(dev, clock);
  return clock;
}

static void switch_off(void* clock) { clk_disable_unprepare(clock); }

struct clk* devm_clk_get_enabled(struct device* dev, const char* id) {
  struct clk* clock = devm_clk_get(dev, id);
  if (IS_ERR(clock)) return clock;
  clk_prepare_enable(clock);
  const int error = devm_add_action_or_reset(dev, switch_off, clock);
  return error ? (struct clk*)ERR_PTR(error) : clock;
}

int devm_clk_bulk_get(struct device* dev, int count, struct clk_bulk_data* clocks) {
  for (int i = 0; i < count; i++) {
    clocks[i].clk = devm_clk_get(dev, clocks[i].id);
    if (IS_ERR(clocks[i].clk)) return (int)PTR_ERR(clocks[i].clk);
  }
  return 0;
}

int devm_clk_bulk_get_all_enabled(struct device* dev, struct clk_bulk_data** clocks) {
  struct clk* clock = devm_clk_get_enabled(dev, NULL);
  if (IS_ERR(clock)) return (int)PTR_ERR(clock);
  *clocks = devm_kzalloc(dev, sizeof(**clocks), GFP_KERNEL);
  if (!*clocks) return -ENOMEM;
  (*clocks)->clk = clock;
  return 1;
}

int clk_prepare(struct clk* clock) {
  pmufab_might_sleep("clk_prepare()");
  if (clock) clock->prepared++;
  return 0;
}

void clk_unprepare(struct clk* clock) {
  pmufab_might_sleep("clk_unprepare()");
  if (!clock || WARN(clock->prepared == 0, "a clock of %s is already unprepared\n", dev_name(clock->dev))) return;
  clock->prepared--;
  WARN(clock->prepared == 0 && clock->enabled > 0, "unpreparing an enabled clock of %s\n", dev_name(clock->dev));
}

int clk_enable(struct clk* clock) {
  if (!clock) return 0;
  if (WARN(clock->prepared == 0, "enabling an unprepared clock of %s\n", dev_name(clock->dev))) return -ESHUTDOWN;
  clock->enabled++;
  return 0;
}

void clk_disable(struct clk* clock) {
  if (!clock || WARN(clock->enabled == 0, "a clock of %s is already disabled\n", dev_name(clock->dev))) return;
  clock->enabled--;
}

int clk_bulk_prepare_enable(int count, const struct clk_bulk_data* clocks) {
  for (int i = 0; i < count; i++) {
    const int error = clk_prepare_enable(clocks[i].clk);
    if (!error) continue;
    clk_bulk_disable_unprepare(i, clocks);
    return error;
  }
  return 0;
}

void clk_bulk_disable_unprepare(int count, const struct clk_bulk_data* clocks) {
  while (count-- > 0) clk_disable_unprepare(clocks[count].clk);
}

unsigned long clk_get_rate(struct clk* clock) {
  u32 rate = 0;
  if (clock) device_property_read_u32(clock->dev, "clock-frequency", &rate);
  return rate;
}

/* Runtime power management. A new device is suspended and its management disabled, as in the kernel. */

static int call(struct device* dev, bool resume) {
  const struct dev_pm_ops* pm = dev->driver ? dev->driver->pm : NULL;
  int (*callback)(struct device * dev) = !pm ? NULL : resume ? pm->runtime_resume : pm->runtime_suspend;
  const int error = callback ? callback(dev) : 0;
  if (!error) dev->power.active = resume;
  return error;
}

bool pm_runtime_enabled(struct device* dev) { return dev->power.enabled > 0; }
bool pm_runtime_suspended(struct device* dev) { return pm_runtime_enabled(dev) && !dev->power.active; }
void pm_runtime_enable(struct device* dev) { dev->power.enabled++; }
void pm_runtime_disable(struct device* dev) {
  pmufab_might_sleep("pm_runtime_disable()");
  dev->power.enabled--;
}

static void disable(void* dev) { pm_runtime_disable(dev); }
int devm_pm_runtime_enable(struct device* dev) {
  pm_runtime_enable(dev);
  return devm_add_action_or_reset(dev, disable, dev);
}

static void set(struct device* dev, bool active) {
  if (!WARN(pm_runtime_enabled(dev), "the state of %s is set while its power management is enabled\n", dev_name(dev)))
    dev->power.active = active;
}
void pm_runtime_set_active(struct device* dev) { set(dev, true); }
void pm_runtime_set_suspended(struct device* dev) { set(dev, false); }
void pm_runtime_get_noresume(struct device* dev) { dev->power.usage++; }

void pm_runtime_put_noidle(struct device* dev) {
  if (!WARN(dev->power.usage == 0, "Runtime PM usage count underflow of %s!\n", dev_name(dev))) dev->power.usage--;
}

int pm_runtime_get_sync(struct device* dev) {
  pmufab_might_sleep("pm_runtime_get_sync()");
  dev->power.usage++;
  if (!pm_runtime_enabled(dev)) return dev->power.active ? 1 : -EACCES;
  return dev->power.active ? 1 : call(dev, true);
}

int pm_runtime_resume_and_get(struct device* dev) {
  const int result = pm_runtime_get_sync(dev);
  if (result >= 0) return 0;
  pm_runtime_put_noidle(dev);
  return result;
}

int pm_runtime_put_sync(struct device* dev) {
  pmufab_might_sleep("pm_runtime_put_sync()");
  if (WARN(dev->power.usage == 0, "Runtime PM usage count underflow of %s!\n", dev_name(dev))) return -EINVAL;
  if (--dev->power.usage > 0 || !pm_runtime_enabled(dev) || !dev->power.active) return 0;
  return call(dev, false);
}

int pm_runtime_get_if_active(struct device* dev) {
  if (!pm_runtime_enabled(dev)) return -EINVAL;
  if (!dev->power.active) return 0;
  dev->power.usage++;
  return 1;
}
