// SPDX-License-Identifier: BSD-2-Clause
/* The platform bus: devices from the firmware description. */
#include <linux/interrupt.h>
#include <linux/of.h>

#include "runtime.h"

static int automatic_id;

static const struct platform_device_id* match_id(const struct platform_device_id* table, const char* name) {
  for (; table && table->name[0]; table++)
    if (strcmp(table->name, name) == 0) return table;
  return NULL;
}

static int platform_match(struct device* dev, const struct device_driver* driver) {
  struct platform_device* pdev = to_platform_device(dev);
  struct platform_driver* pdrv = to_platform_driver(driver);
  if (driver->of_match_table && of_match_device(driver->of_match_table, dev)) return 1;
  if (driver->acpi_match_table && acpi_match_device(driver->acpi_match_table, dev)) return 1;
  if (pdrv->id_table) {
    pdev->id_entry = match_id(pdrv->id_table, pdev->name);
    return pdev->id_entry != NULL;
  }
  return strcmp(pdev->name, driver->name) == 0;
}

const char* pmufab_platform_table(struct device* dev, const struct device_driver* driver) {
  if (driver->of_match_table && of_match_device(driver->of_match_table, dev)) return "of";
  if (driver->acpi_match_table && acpi_match_device(driver->acpi_match_table, dev)) return "acpi";
  return to_platform_driver(driver)->id_table ? "platform" : NULL;
}

static int platform_probe(struct device* dev) {
  struct platform_driver* driver = to_platform_driver(dev->driver);
  const int error = driver->probe ? driver->probe(to_platform_device(dev)) : 0;
  return error == -EPROBE_DEFER && driver->prevent_deferred_probe ? -ENXIO : error;
}

static void platform_remove(struct device* dev) {
  struct platform_driver* driver = to_platform_driver(dev->driver);
  if (driver->remove_new)
    driver->remove_new(to_platform_device(dev));
  else if (driver->remove)
    driver->remove(to_platform_device(dev));
}

struct bus_type platform_bus_type = {
    .name = "platform",
    .match = platform_match,
    .probe = platform_probe,
    .remove = platform_remove,
    .devices = LIST_HEAD_INIT(platform_bus_type.devices),
    .drivers = LIST_HEAD_INIT(platform_bus_type.drivers),
};

static void platform_release(struct device* dev) {
  struct platform_device* pdev = to_platform_device(dev);
  kfree(pdev->owned_platform_data);
  kfree(pdev->resource);
  kfree(pdev->name);
  kfree(pdev);
}

struct platform_device* platform_device_alloc(const char* name, int id) {
  struct platform_device* pdev = kzalloc(sizeof(*pdev), GFP_KERNEL);
  if (!pdev) return NULL;
  device_initialize(&pdev->dev);
  pdev->name = kstrdup(name, GFP_KERNEL);
  pdev->id = id;
  pdev->dev.release = platform_release;
  pdev->dev.bus = &platform_bus_type;
  return pdev;
}

int platform_device_add_resources(struct platform_device* pdev, const struct resource* resources, unsigned int count) {
  struct resource* copy = count ? kmemdup(resources, count * sizeof(*resources), GFP_KERNEL) : NULL;
  if (count && !copy) return -ENOMEM;
  kfree(pdev->resource);
  pdev->resource = copy;
  pdev->num_resources = count;
  return 0;
}

int platform_device_add_data(struct platform_device* pdev, const void* data, size_t size) {
  void* copy = data ? kmemdup(data, size, GFP_KERNEL) : NULL;
  if (data && !copy) return -ENOMEM;
  kfree(pdev->owned_platform_data);
  pdev->owned_platform_data = pdev->dev.platform_data = copy;
  return 0;
}

void platform_device_set_fwnode(struct platform_device* pdev, struct fwnode_handle* fwnode) {
  pdev->dev.fwnode = fwnode;
  pdev->dev.of_node = to_of_node(fwnode);
}

int platform_device_add(struct platform_device* pdev) {
  if (pdev->dev.of_node && !pdev->dev.fwnode) pdev->dev.fwnode = &pdev->dev.of_node->fwnode;
  if (!pdev->dev.kobj.name) {
    if (pdev->id == PLATFORM_DEVID_NONE)
      dev_set_name(&pdev->dev, "%s", pdev->name);
    else if (pdev->id == PLATFORM_DEVID_AUTO)
      dev_set_name(&pdev->dev, "%s.%d.auto", pdev->name, automatic_id++);
    else
      dev_set_name(&pdev->dev, "%s.%d", pdev->name, pdev->id);
  }
  for (u32 i = 0; i < pdev->num_resources; i++)
    if (!pdev->resource[i].name) pdev->resource[i].name = dev_name(&pdev->dev);
  return device_add(&pdev->dev);
}

void platform_device_put(struct platform_device* pdev) {
  if (pdev) pmufab_drop_device(&pdev->dev);
}

void platform_device_del(struct platform_device* pdev) {
  if (pdev) device_del(&pdev->dev);
}

void platform_device_unregister(struct platform_device* pdev) {
  platform_device_del(pdev);
  platform_device_put(pdev);
}

struct platform_device* platform_device_register_simple(const char* name, int id, const struct resource* resources,
                                                        unsigned int count) {
  if (PMUFAB_CALL_FAILS()) return ERR_PTR(-ENOMEM);
  struct platform_device* pdev = platform_device_alloc(name, id);
  if (!pdev) return ERR_PTR(-ENOMEM);
  int error = platform_device_add_resources(pdev, resources, count);
  if (!error) error = platform_device_add(pdev);
  if (!error) return pdev;
  platform_device_put(pdev);
  return ERR_PTR(error);
}

int __platform_driver_register(struct platform_driver* driver, struct module* owner) {
  if (PMUFAB_CALL_FAILS()) return -ENOMEM;
  driver->driver.owner = owner;
  driver->driver.bus = &platform_bus_type;
  return driver_register(&driver->driver);
}

void platform_driver_unregister(struct platform_driver* driver) { driver_unregister(&driver->driver); }

struct resource* platform_get_resource(struct platform_device* pdev, unsigned int type, unsigned int index) {
  for (u32 i = 0; i < pdev->num_resources; i++)
    if (resource_type(&pdev->resource[i]) == type && index-- == 0) return &pdev->resource[i];
  return NULL;
}

int platform_get_irq_optional(struct platform_device* pdev, unsigned int index) {
  if (PMUFAB_CALL_FAILS()) return -ENXIO;
  const struct resource* resource = platform_get_resource(pdev, IORESOURCE_IRQ, index);
  if (!resource) return -ENXIO;
  return WARN(resource->start == 0, "0 is an invalid IRQ number\n") ? -EINVAL : (int)resource->start;
}

int platform_get_irq(struct platform_device* pdev, unsigned int index) {
  if (PMUFAB_CALL_FAILS()) return -ENXIO;
  const int irq = platform_get_irq_optional(pdev, index);
  return irq < 0 ? dev_err_probe(&pdev->dev, irq, "IRQ index %u not found\n", index) : irq;
}

int platform_irq_count(struct platform_device* pdev) {
  int count = 0;
  while (platform_get_resource(pdev, IORESOURCE_IRQ, (unsigned int)count)) count++;
  return count;
}

void __iomem* devm_platform_get_and_ioremap_resource(struct platform_device* pdev, unsigned int index,
                                                     struct resource** resource_out) {
  if (PMUFAB_CALL_FAILS()) return IOMEM_ERR_PTR(-ENOMEM);
  struct resource* resource = platform_get_resource(pdev, IORESOURCE_MEM, index);
  if (resource_out) *resource_out = resource;
  return devm_ioremap_resource(&pdev->dev, resource);
}

void __iomem* devm_platform_ioremap_resource(struct platform_device* pdev, unsigned int index) {
  if (PMUFAB_CALL_FAILS()) return IOMEM_ERR_PTR(-ENOMEM);
  return devm_platform_get_and_ioremap_resource(pdev, index, NULL);
}
