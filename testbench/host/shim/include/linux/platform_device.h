// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/device.h>
#include <linux/io.h>
#include <linux/property.h>
#include <linux/types.h>
#include <linux/version.h>

#define PLATFORM_DEVID_NONE (-1)
#define PLATFORM_DEVID_AUTO (-2)

struct platform_device {
  const char* name;
  int id;
  bool id_auto;
  struct device dev;
  u32 num_resources;
  struct resource* resource;
  const struct platform_device_id* id_entry;
  void* owned_platform_data; /* ours */
};
struct platform_driver {
  int (*probe)(struct platform_device* pdev);
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
  int (*remove)(struct platform_device* pdev);
  void (*remove_new)(struct platform_device* pdev); /* preferred; since 6.3 */
#else
  union {
    void (*remove)(struct platform_device* pdev);
    void (*remove_new)(struct platform_device* pdev);
  };
#endif
  void (*shutdown)(struct platform_device* pdev);
  struct device_driver driver;
  const struct platform_device_id* id_table;
  bool prevent_deferred_probe;
};
extern struct bus_type platform_bus_type;

#define to_platform_device(pointer) container_of((pointer), struct platform_device, dev)
#define to_platform_driver(pointer) container_of((pointer), struct platform_driver, driver)
#define platform_get_device_id(pdev) ((pdev)->id_entry)
static inline void* platform_get_drvdata(const struct platform_device* pdev) { return dev_get_drvdata(&pdev->dev); }
static inline void platform_set_drvdata(struct platform_device* pdev, void* data) { dev_set_drvdata(&pdev->dev, data); }

struct platform_device* platform_device_alloc(const char* name, int id);
int platform_device_add_resources(struct platform_device* pdev, const struct resource* resources, unsigned int count);
int platform_device_add_data(struct platform_device* pdev, const void* data, size_t size);
void platform_device_set_fwnode(struct platform_device* pdev, struct fwnode_handle* fwnode);
int platform_device_add(struct platform_device* pdev);
void platform_device_put(struct platform_device* pdev);
void platform_device_del(struct platform_device* pdev);
void platform_device_unregister(struct platform_device* pdev);
/* A device that is there at once. An error pointer if it cannot be. */
struct platform_device* platform_device_register_simple(const char* name, int id, const struct resource* resources,
                                                        unsigned int count);
#define platform_driver_register(driver) __platform_driver_register(driver, THIS_MODULE)
int __platform_driver_register(struct platform_driver* driver, struct module* owner);
void platform_driver_unregister(struct platform_driver* driver);
#define builtin_platform_driver(driver) builtin_driver(driver, platform_driver_register)
#define module_platform_driver(driver) module_driver(driver, platform_driver_register, platform_driver_unregister)

struct resource* platform_get_resource(struct platform_device* pdev, unsigned int type, unsigned int index);
/* The interrupt number, or -ENXIO if there is none. The first of the two logs that. */
int platform_get_irq(struct platform_device* pdev, unsigned int index);
int platform_get_irq_optional(struct platform_device* pdev, unsigned int index);
int platform_irq_count(struct platform_device* pdev);
void __iomem* devm_platform_ioremap_resource(struct platform_device* pdev, unsigned int index);
void __iomem* devm_platform_get_and_ioremap_resource(struct platform_device* pdev, unsigned int index,
                                                     struct resource** resource);

/* Message interrupts of platform devices, whose driver writes the message into the device's registers. */
struct msi_msg {
  u32 address_lo, address_hi, data;
};
struct msi_desc {
  struct device* dev;
  unsigned int irq;
  struct msi_msg msg;
};
#define msi_desc_to_dev(desc) ((desc)->dev)
typedef void (*irq_write_msi_msg_t)(struct msi_desc* desc, struct msi_msg* msg);
int platform_device_msi_init_and_alloc_irqs(struct device* dev, unsigned int count, irq_write_msi_msg_t write);
void platform_device_msi_free_irqs_all(struct device* dev);
unsigned int msi_get_virq(struct device* dev, unsigned int index); /* 0: there is none */
