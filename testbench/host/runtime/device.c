// SPDX-License-Identifier: BSD-2-Clause
/* Devices, drivers and buses: binding, deferred probes, releases. */
#include <linux/device.h>

#include "runtime.h"

enum { kBuses = 16 };

struct device* pmufab_probing;
const struct device* pmufab_leaving;
static struct bus_type* known_buses[kBuses]; /* on which drivers were registered */
static int known_count;

static bool retry_deferred; /* a device was bound since the deferred probes were last tried */

int dev_set_name(struct device* dev, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  kfree(dev->allocated_name);
  dev->allocated_name = kvasprintf(GFP_KERNEL, format, arguments);
  va_end(arguments);
  dev->kobj.name = dev->allocated_name;
  return dev->allocated_name ? 0 : -ENOMEM;
}

const char* dev_driver_string(const struct device* dev) {
  return dev->driver ? dev->driver->name : dev->bus ? dev->bus->name : "";
}

void device_initialize(struct device* dev) {
  INIT_LIST_HEAD(&dev->bus_node);
  INIT_LIST_HEAD(&dev->devres);
  dev->references = 1;
  dev->numa_node = NUMA_NO_NODE;
}

struct device* pmufab_get_device(struct device* dev, const void* place) {
  if (!dev) return dev;
  dev->references++;
  pmufab_reference_taken(dev, dev->bus == &pci_bus_type ? "PCI device" : "device", dev_name(dev), place);
  return dev;
}

struct device* get_device(struct device* dev) {
  return pmufab_get_device(dev, PLACE);
}

/* What the kernel itself holds. */
void pmufab_drop_device(struct device* dev) {
  if (WARN_ON(dev->references <= 0) || --dev->references > 0) return;
  pmufab_devres_release_all(dev);
  char* name = dev->allocated_name;
  if (dev->release)
    dev->release(dev);
  else if (dev->type && dev->type->release)
    dev->type->release(dev);
  kfree(name);
}

void put_device(struct device* dev) {
  if (!dev) return;
  pmufab_reference_put(dev);
  pmufab_drop_device(dev);
}

int bus_register_notifier(const struct bus_type* bus, struct notifier_block* block) {
  return blocking_notifier_chain_register((struct raw_notifier_head*)&bus->notifiers, block);
}

int bus_unregister_notifier(const struct bus_type* bus, struct notifier_block* block) {
  return blocking_notifier_chain_unregister((struct raw_notifier_head*)&bus->notifiers, block);
}

static void notify(struct device* dev, unsigned long action) {
  if (dev->bus) raw_notifier_call_chain((struct raw_notifier_head*)&dev->bus->notifiers, action, dev);
}

/* The driver is done with the device. */
static void leave(struct device* dev) {
  const struct device* const outer = pmufab_leaving; /* devices below it are unbound with it */
  pmufab_leaving = dev;
  PMUFAB_CALL(pmufab_devres_release_all(dev));
  pmufab_leaving = outer;
  pmufab_perf_check_gone(dev);
  pmufab_irq_check_gone(dev);
  pmufab_debugfs_check_gone(dev);
  dev->driver = NULL;
  dev->power.usage = dev->power.enabled = 0;
  dev->power.active = false;
  dev_set_drvdata(dev, NULL);
}

/* udev loads the modules that have a device in a table. */
static void check_table(struct device* dev, const struct device_driver* driver) {
  const char* kind = dev->bus == &pci_bus_type ? "pci" : NULL;
  if (dev->bus == &platform_bus_type) kind = pmufab_platform_table(dev, driver);
  if (strcmp(dev->bus->name, "cxl") == 0) kind = "cxl";
  if (kind && driver->owner) pmufab_module_check_table(driver->owner, kind, dev_name(dev));
}

static int probe(struct device* dev, struct device_driver* driver) {
  struct device* const outer = pmufab_probing;
  dev->driver = driver;
  dev->helpers = 0;
  dev->deferred = false;
  pmufab_probing = dev;
  notify(dev, BUS_NOTIFY_BIND_DRIVER);
  if (driver->owner && !try_module_get(driver->owner)) {
    pmufab_probing = outer;
    dev->driver = NULL;
    return -ENODEV;
  }
  int error;
  PMUFAB_CALL(error = dev->bus->probe ? dev->bus->probe(dev) : driver->probe(dev));
  pmufab_probing = outer;
  module_put(driver->owner); /* a bound device does not hold a reference to its module */
  if (!error) {
    if (driver->owner) driver->owner->is_used = true;
    check_table(dev, driver);
    pmufab_mark_used(dev->helpers);
    retry_deferred = true;
    notify(dev, BUS_NOTIFY_BOUND_DRIVER);
    return 0;
  }
  /* The driver's name stays in messages until the end. */
  if (error == -EPROBE_DEFER)
    dev->deferred = true;
  else if (error == -ENODEV || error == -ENXIO)
    pr_debug("%s: probe of %s rejects match %d\n", driver->name, dev_name(dev), -error);
  else
    dev_err(dev, "probe with driver %s failed with error %d\n", driver->name, error);
  leave(dev);
  notify(dev, BUS_NOTIFY_DRIVER_NOT_BOUND);
  return error;
}

static bool matches(struct device* dev, const struct device_driver* driver) {
  return !dev->bus->match || dev->bus->match(dev, driver) > 0;
}

int device_attach(struct device* dev) {
  struct device_driver* driver;
  if (dev->driver || dev->dead) return dev->driver != NULL;
  list_for_each_entry(driver, &dev->bus->drivers, node) if (matches(dev, driver) && probe(dev, driver) == 0) return 1;
  return 0;
}

int driver_attach(const struct device_driver* driver) {
  struct device *dev, *next;
  list_for_each_entry_safe(dev, next, &driver->bus->devices,
                           bus_node) if (!dev->driver && !dev->dead && matches(dev, driver))
      probe(dev, (struct device_driver*)driver);
  return 0;
}

void device_release_driver(struct device* dev) {
  struct device_driver* driver = dev->driver;
  if (!driver) return;
  const struct device* const outer = pmufab_leaving;
  notify(dev, BUS_NOTIFY_UNBIND_DRIVER);
  pmufab_leaving = dev;
  if (dev->bus->remove)
    PMUFAB_CALL(dev->bus->remove(dev));
  else if (driver->remove)
    PMUFAB_CALL(driver->remove(dev));
  leave(dev);
  pmufab_leaving = outer;
  notify(dev, BUS_NOTIFY_UNBOUND_DRIVER);
}

int device_add(struct device* dev) {
  struct device* other;
  if (!dev->kobj.name && dev->init_name) dev_set_name(dev, "%s", dev->init_name);
  if (!dev->kobj.name) return -EINVAL;
  if (dev->parent) {
    dev->parent->references++;
    if (dev->numa_node == NUMA_NO_NODE) dev->numa_node = dev->parent->numa_node;
  }
  dev->added = true;
  if (!dev->bus) return 0;
  list_for_each_entry(other, &dev->bus->devices, bus_node) {
    if (strcmp(dev_name(other), dev_name(dev)) != 0) continue;
    pr_warn("sysfs: cannot create duplicate filename '/bus/%s/devices/%s'\n", dev->bus->name, dev_name(dev));
    dev->added = false;
    if (dev->parent) pmufab_drop_device(dev->parent);
    return -EEXIST;
  }
  list_add_tail(&dev->bus_node, (struct list_head*)&dev->bus->devices);
  notify(dev, BUS_NOTIFY_ADD_DEVICE);
  device_attach(dev);
  return 0;
}

void device_del(struct device* dev) {
  if (!dev->added) return;
  dev->dead = true;
  dev->added = false;
  if (dev->bus) {
    notify(dev, BUS_NOTIFY_DEL_DEVICE);
    device_release_driver(dev);
    list_del_init(&dev->bus_node);
    notify(dev, BUS_NOTIFY_REMOVED_DEVICE);
  }
  if (dev->parent) pmufab_drop_device(dev->parent);
}

int device_register(struct device* dev) {
  device_initialize(dev);
  return device_add(dev);
}

void device_unregister(struct device* dev) {
  device_del(dev);
  pmufab_drop_device(dev);
}

int bus_register(const struct bus_type* bus_in) {
  struct bus_type* bus = (struct bus_type*)bus_in;
  INIT_LIST_HEAD(&bus->devices);
  INIT_LIST_HEAD(&bus->drivers);
  return 0;
}

void bus_unregister(const struct bus_type* bus) {
  WARN(!list_empty(&bus->devices), "bus %s still has devices\n", bus->name);
}

static void remember(struct bus_type* bus) {
  for (int i = 0; i < known_count; i++)
    if (known_buses[i] == bus) return;
  if (known_count < kBuses) known_buses[known_count++] = bus;
}

int driver_register(struct device_driver* driver) {
  struct device_driver* other;
  remember((struct bus_type*)driver->bus);
  list_for_each_entry(other, &driver->bus->drivers, node) {
    if (strcmp(other->name, driver->name) != 0) continue;
    pr_err("Error: Driver '%s' is already registered, aborting...\n", driver->name);
    return -EBUSY;
  }
  list_add_tail(&driver->node, (struct list_head*)&driver->bus->drivers);
  return driver_attach(driver);
}

void driver_unregister(struct device_driver* driver) {
  struct device* dev;
  list_for_each_entry_reverse(dev, &driver->bus->devices, bus_node) if (dev->driver == driver)
      device_release_driver(dev);
  list_del(&driver->node);
}

struct device* driver_find_device(const struct device_driver* driver, struct device* start, const void* data,
                                  int (*match)(struct device* dev, const void* data)) {
  struct device* dev;
  bool passed = start == NULL;
  list_for_each_entry(dev, &driver->bus->devices, bus_node) {
    if (passed && dev->driver == driver && match(dev, data)) return pmufab_get_device(dev, PLACE);
    if (dev == start) passed = true;
  }
  return NULL;
}

static struct device_driver* find_driver(const char* name) {
  for (int i = 0; i < known_count; i++) {
    struct device_driver* driver;
    list_for_each_entry(driver, &known_buses[i]->drivers, node) if (strcmp(driver->name, name) == 0) return driver;
  }
  return NULL;
}

static struct device* first_bound(const struct device_driver* driver) {
  struct device* dev;
  list_for_each_entry(dev, &driver->bus->devices, bus_node) if (dev->driver == driver) return dev;
  return NULL;
}

int pmufab_driver_unbind(const char* name) {
  const struct device_driver* const driver = find_driver(name);
  struct device* dev;
  int count = 0;
  if (!driver) return -ENODEV;
  if (driver->suppress_bind_attrs) return -ENOENT;
  /* Others may go with it. */
  for (; (dev = first_bound(driver)) != NULL; count++) device_release_driver(dev);
  return count;
}

int pmufab_driver_bind(const char* name) {
  const struct device_driver* const driver = find_driver(name);
  struct device* dev;
  int count = 0;
  if (!driver) return -ENODEV;
  if (driver->suppress_bind_attrs) return -ENOENT;
  driver_attach(driver);
  list_for_each_entry(dev, &driver->bus->devices, bus_node) count += dev->driver == driver;
  return count;
}

void pmufab_list_bound(void* context, void (*device)(void* context, const char* name, const char* driver,
                                                     unsigned pmu_count, unsigned file_count)) {
  struct device* dev;
  for (int i = 0; i < known_count; i++) {
    list_for_each_entry(dev, &known_buses[i]->devices, bus_node) {
      unsigned int file_count;
      if (!dev->driver) continue;
      const unsigned int pmu_count = pmufab_perf_count_of(dev, &file_count);
      device(context, dev_name(dev), dev->driver->name, pmu_count, file_count);
    }
  }
}

int device_match_name(struct device* dev, const void* name) { return strcmp(dev_name(dev), name) == 0; }

/* The buses on which probes are deferred. */
static struct bus_type* const buses[] = {&platform_bus_type, &pci_bus_type};

void pmufab_deferred_probe_run(void) {
  while (retry_deferred) {
    retry_deferred = false;
    struct device *dev, *next;
    for (size_t i = 0; i < ARRAY_SIZE(buses); i++)
      list_for_each_entry_safe(dev, next, &buses[i]->devices, bus_node) if (dev->deferred) device_attach(dev);
  }
}

void pmufab_deferred_probe_report(void) {
  struct device* dev;
  for (size_t i = 0; i < ARRAY_SIZE(buses); i++)
    list_for_each_entry(dev, &buses[i]->devices, bus_node) if (dev->deferred) dev_info(dev, "deferred probe pending\n");
}
